// Rondo_Ineighbor_alltoall, Rondo_Ineighbor_alltoallv, Rondo_Ineighbor_alltoallw and their large-count
// forms.

#include "api/entry.hpp"
#include "api/neighbor_state.hpp"
#include "api/request.hpp"
#include "buffers/neighbor.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

/// One exchange, from its start until it is over.
template <class Arguments>
class EdgeExchange {
 public:
  /// Binds the arguments, and holds the types, since the caller may free its own.
  EdgeExchange(State& state, Channel& channel, const Arguments& arguments,
               const choice::Choice& choice)
      : state_(state),
        channel_(channel),
        room_(state.neighbourhood->room(state.number_of(channel))),
        own_binding_(channel.is_idle() ? nullptr : std::make_unique<EdgeBinding>()),
        binding_(own_binding_ ? *own_binding_ : room_.binding),
        arguments_(arguments),
        choice_(choice),
        failure_(bind_arguments()) {}

  /// Runs in a fiber, as the only one in the channel.
  void run() {
    exchange::Context& context = channel_.context();
    const Binding& binding = binding_.binding();
    if (state_.settings().check != 0) agree_on_edges(context, room_.peers, failure_, binding);
    execute_on_edges({.state = state_,
                      .context = context,
                      .peers = room_.peers,
                      .pattern = state_.neighbourhood->pattern(),
                      .choice = usable_on_edges(context, choice_),
                      .binding = binding,
                      .send_buffer = arguments_.send_buffer,
                      .receive_buffer = arguments_.receive_buffer,
                      .failure = failure_});
  }

 private:
  std::optional<Error> bind_arguments() {
    const Topology& topology = state_.neighbourhood->topology();
    const bool is_packed_later = own_binding_ || state_.settings().check != 0;
    return failure_of([&] {
      binding_.bind(arguments_, topology.to.ranks, topology.from.ranks);
      binding_.hold_types(is_packed_later, [&](MPI_Datatype type) { return types_.type(type); });
      state_.neighbourhood->blocks().check_own(binding_.binding());
      binding_.binding().check_buffers(arguments_.send_buffer, arguments_.receive_buffer);
    });
  }

  State& state_;
  Channel& channel_;
  EdgeRoom& room_;
  std::unique_ptr<EdgeBinding> own_binding_;  ///< if that of the channel may still be in use
  EdgeBinding& binding_;
  Arguments arguments_;
  ArgumentCopies types_;
  choice::Choice choice_;
  std::optional<Error> failure_;
};

/// Returns the state of a communicator whose neighbourhood other exchanges have prepared, or null. A start
/// does not, since it must not wait for other ranks.
State* ready_neighbor_state(MPI_Comm comm) {
  State* const state = ready_state(comm);
  return state == nullptr || state->neighbourhood == nullptr ? nullptr : state;
}

template <class Arguments>
void start_on(State& state, const Arguments& arguments, const choice::Choice& choice,
              Rondo_Request* request) {
  *request = start_with_request(state.shared_from_this(), [&] {
    Channel& channel = state.next_channel();
    const auto exchange =
        std::make_shared<EdgeExchange<Arguments>>(state, channel, arguments, choice);
    state.note_choice(choice);
    return state.start_in(channel, [exchange] { exchange->run(); });
  });
}

template <class Arguments>
int start_on_edges(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&]() -> int {
    clear_request(request);
    if (exchange::has_outstanding()) exchange::advance_outstanding();
    State* const state = ready_neighbor_state(arguments.comm);
    const choice::Choice* const choice =
        state == nullptr ? nullptr : state->neighbourhood->choice_for_start(*state);
    if (choice == nullptr) return start_forwarded(arguments, request);
    start_on(*state, arguments, *choice, request);
    return MPI_SUCCESS;
  });
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             Rondo_Request* request) {
  return start_on_edges(
      NeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}},
      request);
}

int Rondo_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              Rondo_Request* request) {
  return start_on_edges(NeighborAlltoallv{{sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                           recvcounts, rdispls, recvtype, comm}},
                        request);
}

int Rondo_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                              MPI_Comm comm, Rondo_Request* request) {
  return start_on_edges(NeighborAlltoallw{{sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                           recvcounts, rdispls, recvtypes, comm}},
                        request);
}

#if MPI_VERSION >= 4
int Rondo_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm, Rondo_Request* request) {
  return start_on_edges(
      LargeNeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}},
      request);
}

int Rondo_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_on_edges(LargeNeighborAlltoallv{{sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                recvcounts, rdispls, recvtype, comm}},
                        request);
}

int Rondo_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm, Rondo_Request* request) {
  return start_on_edges(LargeNeighborAlltoallw{{sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                recvcounts, rdispls, recvtypes, comm}},
                        request);
}
#endif

}  // extern "C"
