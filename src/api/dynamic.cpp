// Rondo_Alltoallv_dynamic, Rondo_Alltoallv_dynamic_alloc, their large-count forms, and
// Rondo_Alltoallv_dynamic_take.

#include <vector>

#include "api/entry.hpp"
#include "api/placing.hpp"
#include "communicator/attributes.hpp"
#include "communicator/dynamic.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

/// Binds the sending side, and checks all arguments. Returns what is wrong.
template <class Count, class Displacement>
std::optional<Error> bind(State& state, const DynamicArguments<Count, Displacement>& arguments,
                          Placing<Count, Displacement>& placing) {
  Binding& binding = state.binding;
  binding.clear();
  binding.is_in_place = false;
  auto failure = failure_of([&] {
    if (arguments.send_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "sendbuf is MPI_IN_PLACE; a dynamic exchange is not in place");
    placing.bind(binding.receive, state.ranks());
    binding.send().bind_alltoallv(state.ranks(), Numbers(arguments.send_counts),
                                  Numbers(arguments.send_displacements), arguments.send_type);
    binding.send().check_buffer(arguments.send_buffer);
  });
  if (failure) binding.clear();
  return failure;
}

/// The MPI library's two calls: an alltoall of lengths and an alltoallv. MPI only returns its errors
/// here, since the entry raises them.
template <class Count, class Displacement>
void forward(State& state, const DynamicArguments<Count, Displacement>& arguments) {
  Placing placing(arguments, state.kept);
  const auto failure = bind(state, arguments, placing);
  const auto ranks = static_cast<std::size_t>(state.ranks());
  std::vector<std::uint64_t> lengths(2 * ranks);
  const std::span sent = std::span(lengths).first(ranks);
  const std::span arriving = std::span(lengths).last(ranks);
  write_lengths(sent, state.binding.sending(), failure);
  const exchange::ErrorsReturned returned(arguments.comm);
  exchange::check(
      PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, arguments.comm),
      "MPI_Alltoall");
  if (failure) throw Error(*failure);
  if (const auto elsewhere = failure_in(arriving)) throw Error(*elsewhere);
  placing.place(arriving, state.binding.receive);
  placing.receive_forwarded();
  placing.finish();
}

template <class Count, class Displacement>
void exchange_once(State& state, const DynamicArguments<Count, Displacement>& arguments) {
  if (state.must_forward()) return forward(state, arguments);
  state.begin_exchange();
  const choice::Choice& choice = state.choose(Form::alltoallv, std::nullopt);
  if (choice.algorithm->shape == registry::Shape::library) return forward(state, arguments);
  Placing placing(arguments, state.kept);
  auto failure = bind(state, arguments, placing);
  execute_dynamic({.state = state,
                   .choice = choice,
                   .send_buffer = arguments.send_buffer,
                   .receiver = placing,
                   .failure = std::move(failure)});
  placing.finish();
}

template <class Count, class Displacement>
int exchange(const DynamicArguments<Count, Displacement>& arguments) {
  return guarded(arguments.comm, [&] {
    if (is_inter(arguments.comm))
      throw Error(ErrorClass::communicator,
                  "comm is an inter-communicator, on which there are no dynamic exchanges");
    State* const recent = recent_state(arguments.comm);
    State& state = recent != nullptr ? *recent : *state_of(arguments.comm);
    state.kept.forget();
    const auto run = [&](auto&& body) {
      return [&]() -> int {
        body(state, arguments);
        return MPI_SUCCESS;
      };
    };
    const auto exchanged = run(exchange_once<Count, Displacement>);
    if (!state.awaits_set_up()) return exchanged();
    return state.start(Form::alltoallv, run(forward<Count, Displacement>), exchanged);
  });
}

void take(void* buffer, std::int64_t capacity, MPI_Datatype type, MPI_Comm comm) {
  const State* const state = is_inter(comm) ? nullptr : find_state(comm);
  if (state == nullptr) throw Error(ErrorClass::argument, "there was no dynamic exchange on comm");
  state->kept.copy_to(buffer, capacity, type, comm);
}

Target given(void* buffer, std::int64_t capacity) {
  return {.buffer = buffer, .capacity = capacity};
}

Target allocated(Rondo_Allocate_function* allocate, void* extra, void* address) {
  return {.allocate = allocate, .extra = extra, .address = address, .is_given = false};
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Alltoallv_dynamic(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                            int recvcounts[], int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<int, int>{sendbuf, sendcounts, sdispls, sendtype,
                                             given(recvbuf, recvcapacity), recvcounts, rdispls,
                                             recvtype, comm});
}

int Rondo_Alltoallv_dynamic_alloc(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, Rondo_Allocate_function* allocate,
                                  void* extra, void* recvbuf, int recvcounts[], int rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<int, int>{sendbuf, sendcounts, sdispls, sendtype,
                                             allocated(allocate, extra, recvbuf), recvcounts,
                                             rdispls, recvtype, comm});
}

#if MPI_VERSION >= 4
int Rondo_Alltoallv_dynamic_c(const void* sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcapacity, MPI_Count recvcounts[], MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<MPI_Count, MPI_Aint>{sendbuf, sendcounts, sdispls, sendtype,
                                                        given(recvbuf, recvcapacity), recvcounts,
                                                        rdispls, recvtype, comm});
}

int Rondo_Alltoallv_dynamic_alloc_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                    Rondo_Allocate_function* allocate, void* extra, void* recvbuf,
                                    MPI_Count recvcounts[], MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<MPI_Count, MPI_Aint>{sendbuf, sendcounts, sdispls, sendtype,
                                                        allocated(allocate, extra, recvbuf),
                                                        recvcounts, rdispls, recvtype, comm});
}
#endif

int Rondo_Alltoallv_dynamic_take(void* recvbuf, MPI_Count recvcapacity, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  return guarded(comm, [&] {
    take(recvbuf, recvcapacity, recvtype, comm);
    return MPI_SUCCESS;
  });
}

}  // extern "C"
