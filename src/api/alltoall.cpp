// Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw and their large-count forms.

#include "api/carry_out.hpp"
#include "api/choosing.hpp"
#include "api/entry.hpp"
#include "communicator/agree.hpp"
#include "communicator/attributes.hpp"
#include "communicator/execute.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

template <class Arguments>
int exchange_once(State& state, const Arguments& arguments) {
  if (state.must_forward()) return forward(arguments);
  exchange::Context& context = state.begin_exchange();

  Binding& binding = state.binding();
  auto failure = failure_of([&] {
    bind(binding, arguments, state.ranks());
    binding.check_own(state.rank());
    binding.check_buffers(arguments.send_buffer, arguments.receive_buffer);
  });
  if (state.settings().check != 0) agree_on_lengths(context, failure, binding);
  const Chosen chosen = choose(state, binding, arguments, failure);
  if (chosen.choice.algorithm->shape == registry::Shape::library) {
    if (failure) throw Error(*failure);
    return forward(arguments);
  }
  std::function<const choice::Choice&(std::size_t)> choose_for_length;
  if (chosen.neighbours_decide)
    choose_for_length = [&](std::size_t bytes) -> const choice::Choice& {
      return state.choose(Arguments::kForm, bytes);
    };
  execute({.state = state,
           .context = context,
           .form = Arguments::kForm,
           .choice = chosen.choice,
           .binding = binding,
           .send_buffer = arguments.send_buffer,
           .receive_buffer = arguments.receive_buffer,
           .failure = failure,
           .block_bytes = chosen.block_bytes,
           .choose_by_neighbours = chosen.neighbours_decide ? &choose_for_length : nullptr});
  return MPI_SUCCESS;
}

template <class Arguments>
int run(const Arguments& arguments) {
  State* recent = recent_state(arguments.comm);
  if (recent == nullptr && (has_ended() || is_inter(arguments.comm))) return forward(arguments);
  State& state = recent != nullptr ? *recent : *state_of(arguments.comm);
  const auto exchange = [&] { return exchange_once(state, arguments); };
  if (!state.awaits_set_up()) return exchange();
  return state.start(
      Arguments::kForm, [&] { return forward(arguments); }, exchange);
}

}  // namespace

template <class Arguments>
int carry_out(const Arguments& arguments) {
  return guarded(arguments.comm, [&] { return run(arguments); });
}

template int carry_out(const Alltoall&);
template int carry_out(const Alltoallv&);
template int carry_out(const Alltoallw&);
#if MPI_VERSION >= 4
template int carry_out(const LargeAlltoall&);
template int carry_out(const LargeAlltoallv&);
template int carry_out(const LargeAlltoallw&);
#endif

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                             recvtype, comm});
}

int Rondo_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return carry_out(Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                             recvtypes, comm});
}

#if MPI_VERSION >= 4
int Rondo_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(LargeAlltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int Rondo_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(LargeAlltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                  rdispls, recvtype, comm});
}

int Rondo_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return carry_out(LargeAlltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                  rdispls, recvtypes, comm});
}
#endif

}  // extern "C"
