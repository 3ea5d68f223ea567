// Rondo_Alltoallv_dynamic, Rondo_Alltoallv_dynamic_alloc, their large-count forms, and
// Rondo_Alltoallv_dynamic_take.

#include "communicator/dynamic.hpp"
#include "api/entry.hpp"
#include "api/forward_dynamic.hpp"
#include "communicator/attributes.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

template <class Count, class Displacement>
void exchange_once(State& state, const DynamicArguments<Count, Displacement>& arguments) {
  if (state.must_forward()) return forward_dynamic(state, arguments);
  state.begin_exchange();
  const choice::Choice& choice = state.choose(Form::alltoallv, std::nullopt);
  if (choice.algorithm->shape == registry::Shape::library) return forward_dynamic(state, arguments);
  Placing placing(arguments, state.kept);
  auto failure = bind_dynamic(state, arguments, placing);
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
    return state.start(Form::alltoallv, run(forward_dynamic<Count, Displacement>), exchanged);
  });
}

void take(void* buffer, std::int64_t capacity, MPI_Datatype type, MPI_Comm comm) {
  const State* const state = is_inter(comm) ? nullptr : find_state(comm);
  if (state == nullptr) throw Error(ErrorClass::argument, "there was no dynamic exchange on comm");
  state->kept.copy_to(buffer, capacity, type, comm);
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
