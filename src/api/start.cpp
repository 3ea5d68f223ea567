// Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw and their large-count forms.

#include "api/choosing.hpp"
#include "api/entry.hpp"
#include "api/request.hpp"
#include "communicator/agree.hpp"
#include "communicator/attributes.hpp"
#include "communicator/execute.hpp"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

/// One exchange, from its start until it is over.
template <class Arguments>
class Exchange {
 public:
  Exchange(State& state, Channel& channel, const Arguments& arguments)
      : state_(state),
        channel_(channel),
        arguments_(arguments),
        failure_(bind_arguments()),
        chosen_(choose(channel, channel.binding, arguments, failure_)) {
    if (chosen_.neighbours_decide)
      choose_for_length_ = [this](std::size_t bytes) -> const choice::Choice& {
        return channel_.choose(Arguments::kForm, bytes);
      };
  }

  const choice::Choice& choice() const { return chosen_.choice; }
  const std::optional<Error>& failure() const { return failure_; }

  /// Runs in a fiber.
  void run() {
    exchange::Context& context = channel_.context();
    if (state_.settings().check != 0) agree_on_lengths(context, failure_, channel_.binding);
    execute({.state = state_,
             .context = context,
             .form = Arguments::kForm,
             .choice = chosen_.choice,
             .binding = channel_.binding,
             .send_buffer = arguments_.send_buffer,
             .receive_buffer = arguments_.receive_buffer,
             .failure = failure_,
             .block_bytes = chosen_.block_bytes,
             .choose_by_neighbours = chosen_.neighbours_decide ? &choose_for_length_ : nullptr});
  }

 private:
  std::optional<Error> bind_arguments() {
    Binding& binding = channel_.binding;
    return failure_of([&] {
      bind(binding, arguments_, state_.ranks());
      binding.hold_types(state_.settings().check != 0,
                         [&](MPI_Datatype type) { return types_.type(type); });
      binding.check_own(state_.rank());
      binding.check_buffers(arguments_.send_buffer, arguments_.receive_buffer);
    });
  }

  State& state_;
  Channel& channel_;
  Arguments arguments_;
  ArgumentCopies types_;  ///< the caller may free its own
  std::optional<Error> failure_;
  Chosen chosen_;
  std::function<const choice::Choice&(std::size_t)> choose_for_length_;
};

template <class Arguments>
int start_forwarded(const Arguments& arguments, Rondo_Request* request) {
  MPI_Request forwarded = MPI_REQUEST_NULL;
  const int code = forward_start(arguments, &forwarded);
  if (code == MPI_SUCCESS) *request = forwarded_request(forwarded, arguments.comm);
  return code;
}

/// The first exchange of a channel: the MPI library carries it out, while the channel is prepared. If
/// it does not begin, this rank still takes part in the preparation.
template <class Arguments>
int start_first(State& state, Channel& channel, const Arguments& arguments,
                Rondo_Request* request) {
  state.begin_channel(channel);
  MPI_Request forwarded = MPI_REQUEST_NULL;
  const int code = forward_start(arguments, &forwarded);
  const Rondo_Request begun = begin_preparation(state.shared_from_this(), channel, forwarded);
  if (code == MPI_SUCCESS)
    *request = begun;
  else
    delete begun;
  return code;
}

template <class Arguments>
int start_on(State& state, const Arguments& arguments, Rondo_Request* request) {
  state.context();  // throws if it cannot be used
  Channel& channel = state.next_channel();
  if (!channel.is_prepared()) return start_first(state, channel, arguments, request);
  channel.context().begin_exchange();
  const auto exchange = std::make_shared<Exchange<Arguments>>(state, channel, arguments);
  if (exchange->choice().algorithm->shape == registry::Shape::library) {
    if (exchange->failure()) throw Error(*exchange->failure());
    return start_forwarded(arguments, request);
  }
  state.set_last_choice(&exchange->choice());
  *request = begin_request(state.shared_from_this(), channel, [exchange] { exchange->run(); });
  return MPI_SUCCESS;
}

/// Returns the state of a communicator that has been set up, or null. A start never sets up, since it
/// must not wait for other ranks.
State* ready_state(MPI_Comm comm) {
  State* state = recent_state(comm);
  if (state == nullptr) state = has_ended() || is_inter(comm) ? nullptr : find_state(comm);
  return state == nullptr || state->must_forward() || !state->is_prepared() ? nullptr : state;
}

template <class Arguments>
int start(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&] {
    clear_request(request);
    if (exchange::has_outstanding()) exchange::advance_outstanding();
    State* const state = ready_state(arguments.comm);
    return state == nullptr ? start_forwarded(arguments, request)
                            : start_on(*state, arguments, request);
  });
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start(Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}, request);
}

int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request) {
  return start(Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                         recvtype, comm},
               request);
}

int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     Rondo_Request* request) {
  return start(Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                         recvtypes, comm},
               request);
}

#if MPI_VERSION >= 4
int Rondo_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      Rondo_Request* request) {
  return start(LargeAlltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
               request);
}

int Rondo_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       Rondo_Request* request) {
  return start(LargeAlltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, comm},
               request);
}

int Rondo_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       Rondo_Request* request) {
  return start(LargeAlltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes, comm},
               request);
}
#endif

}  // extern "C"
