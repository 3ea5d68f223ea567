// An exchange of all ranks without receive counts, as a start.
#pragma once

#include "exchange/call_receiving.hpp"
#include "exchange/start.hpp"
#include "mpi/transport.hpp"
#include "transport/outstanding.hpp"

namespace rondo::exchange {

template <class Count, class Displacement>
class StartedDynamic {
 public:
  using Arguments = DynamicArguments<Count, Displacement>;

  /// Binds the arguments, and holds the types, since the caller may free its own.
  StartedDynamic(communicator::State& state, communicator::Channel& channel,
                 const Arguments& arguments)
      : state_(state),
        channel_(channel),
        binding_(channel, channel.binding),
        arguments_(arguments),
        placing_(arguments_, kept_) {
    arguments_.target.is_handed_over = true;
    arguments_.send_type = types_.held(arguments.send_type);
    arguments_.receive_type = types_.held(arguments.receive_type);
    failure_ = bind_dynamic(*binding_, state.ranks(), arguments_, placing_);
  }

  /// Runs in a fiber, as the only one in the channel.
  void run() {
    const choice::Choice& choice =
        channel_.instead_of_library(channel_.choose(Arguments::kForm, std::nullopt));
    state_.note_choice(choice);
    execute(DynamicTask{.state = state_,
                        .channel = channel_,
                        .binding = *binding_,
                        .choice = choice,
                        .send_buffer = arguments_.send_buffer,
                        .receiver = placing_,
                        .failure = failure_});
    placing_.finish();
    has_arrived_ = true;
  }

  /// What is kept is that of the exchange which the program has completed last.
  void hand_over() {
    const auto failure = failure_of([&] {
      if (has_arrived_) placing_.hand_over(mpi::comm_of(channel_.context().transport()));
    });
    state_.kept.forget();
    if (kept_.is_kept()) state_.kept = std::move(kept_);
    if (failure) throw Error(*failure);
  }

 private:
  communicator::State& state_;
  communicator::Channel& channel_;
  BindingAtStart<buffers::Binding> binding_;
  Arguments arguments_;
  buffers::ArgumentCopies types_;
  buffers::Kept kept_;
  Placing<Count, Displacement> placing_;
  std::optional<Error> failure_;
  bool has_arrived_ = false;
};

/// The MPI library has no such start, and its two calls would have to come one after the other in the order of
/// the program's collectives on all ranks.
template <class Count, class Displacement>
int start_dynamic(const DynamicArguments<Count, Displacement>& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&] {
    clear_request(request);
    if (transport::has_outstanding()) transport::advance_outstanding();
    communicator::State* const state = ready_state(arguments.comm);
    if (state == nullptr) {
      refuse_inter(arguments);
      throw Error(ErrorClass::communicator,
                  "Rondo is not set up on comm, and the start of a dynamic exchange must not wait "
                  "for other ranks; call Rondo_Comm_prepare first, or Rondo_Alltoallv_dynamic if "
                  "set-up fails");
    }
    *request = start_next<StartedDynamic<Count, Displacement>>(*state, arguments);
  });
}

}  // namespace rondo::exchange
