// Rondo_Neighbor_alltoall, Rondo_Neighbor_alltoallv, Rondo_Neighbor_alltoallw and their large-count
// forms.

#include "api/carry_out.hpp"
#include "api/entry.hpp"
#include "api/neighbor_state.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

/// Binds the arguments of the call in progress. Returns what is wrong with them.
template <class Arguments>
std::optional<Error> bind_call(Neighbourhood& neighbourhood, const Arguments& arguments) {
  const Topology& topology = neighbourhood.topology();
  return failure_of([&] {
    neighbourhood.binding.bind(arguments, topology.to.ranks, topology.from.ranks);
    neighbourhood.blocks().check_own(neighbourhood.binding.binding());
    neighbourhood.binding.binding().check_buffers(arguments.send_buffer, arguments.receive_buffer);
  });
}

/// Under `auto` most calls know without their arguments that they are the MPI library's.
template <class Arguments>
int exchange_once_on_edges(State& state, const Arguments& arguments) {
  if (state.must_forward()) return forward(arguments);
  exchange::Context& context = state.begin_exchange();
  Neighbourhood& neighbourhood = *state.neighbourhood;
  neighbourhood.prepare(state);

  const Binding& binding = neighbourhood.binding.binding();
  if (state.settings().check != 0)
    agree_on_edges(context, neighbourhood.blocks(), bind_call(neighbourhood, arguments), binding);
  const choice::Choice& choice = neighbourhood.choose(
      state, [&] { return bind_call(neighbourhood, arguments) ? nullptr : &binding; });
  if (choice.algorithm->shape == registry::Shape::library) return forward(arguments);
  auto failure = bind_call(neighbourhood, arguments);
  execute_on_edges({.state = state,
                    .context = context,
                    .peers = neighbourhood.blocks(),
                    .pattern = neighbourhood.pattern(),
                    .choice = choice,
                    .binding = binding,
                    .send_buffer = arguments.send_buffer,
                    .receive_buffer = arguments.receive_buffer,
                    .failure = failure});
  return MPI_SUCCESS;
}

template <class Arguments>
int run_on_edges(const Arguments& arguments) {
  State* state = recent_state(arguments.comm);
  if (state == nullptr || !state->neighbourhood) {
    if (has_ended()) return forward(arguments);
    state = state_with_topology(arguments.comm).get();
  }
  if (state->neighbourhood->must_forward(*state)) return forward(arguments);
  const auto exchange = [&] { return exchange_once_on_edges(*state, arguments); };
  // A forwarded call must match edges as later calls do.
  if (state->neighbourhood->topology().is_ambiguous) state->prepare();
  if (!state->awaits_set_up()) return exchange();
  return state->start(
      kNeighborForm, [&] { return forward(arguments); }, exchange);
}

template <class Arguments>
int carry_out_on_edges(const Arguments& arguments) {
  return guarded(arguments.comm, [&] { return run_on_edges(arguments); });
}

}  // namespace

int carry_out(const NeighborAlltoall& arguments) {
  return carry_out_on_edges(arguments);
}
int carry_out(const NeighborAlltoallv& arguments) {
  return carry_out_on_edges(arguments);
}
int carry_out(const NeighborAlltoallw& arguments) {
  return carry_out_on_edges(arguments);
}
#if MPI_VERSION >= 4
int carry_out(const LargeNeighborAlltoall& arguments) {
  return carry_out_on_edges(arguments);
}
int carry_out(const LargeNeighborAlltoallv& arguments) {
  return carry_out_on_edges(arguments);
}
int carry_out(const LargeNeighborAlltoallw& arguments) {
  return carry_out_on_edges(arguments);
}
#endif

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(
      NeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}});
}

int Rondo_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(NeighborAlltoallv{
      {sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm}});
}

int Rondo_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm comm) {
  return carry_out(NeighborAlltoallw{
      {sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm}});
}

#if MPI_VERSION >= 4
int Rondo_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              MPI_Comm comm) {
  return carry_out(
      LargeNeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}});
}

int Rondo_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                               MPI_Datatype recvtype, MPI_Comm comm) {
  return carry_out(LargeNeighborAlltoallv{
      {sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm}});
}

int Rondo_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                               void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                               MPI_Comm comm) {
  return carry_out(LargeNeighborAlltoallw{
      {sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm}});
}
#endif

}  // extern "C"
