// An exchange as a start: it takes the arguments, and a request says when it is over.
#pragma once

#include <memory>
#include <optional>

#include "communicator/channel.hpp"
#include "exchange/request.hpp"
#include "exchange/who.hpp"
#include "transport/outstanding.hpp"

namespace rondo::exchange {

/// Where a nonblocking exchange binds its arguments: the binding of the channel, or one of the exchange's own if those
/// before it may still use the channel's.
template <class Binding>
class BindingAtStart {
 public:
  BindingAtStart(const communicator::Channel& channel, Binding& of_channel)
      : own_(channel.is_idle() ? nullptr : std::make_unique<Binding>()),
        binding_(own_ ? *own_ : of_channel) {}

  Binding& operator*() const { return binding_; }
  Binding* operator->() const { return &binding_; }

  /// Whether the exchange begins after its start has returned.
  bool begins_later() const { return own_ != nullptr; }

 private:
  std::unique_ptr<Binding> own_;
  Binding& binding_;
};

/// One exchange that has been started, until it is over.
template <class Arguments>
class StartedExchange {
  using Who = WhoOf<Arguments>;

 public:
  /// Binds the arguments, and holds the types, since the caller may free its own.
  StartedExchange(communicator::State& state, communicator::Channel& channel,
                  const Arguments& arguments)
      : state_(state),
        channel_(channel),
        workspace_(Who().workspace(state, channel)),
        binding_(channel, workspace_.binding),
        arguments_(arguments),
        failure_(bind_arguments()),
        at_start_(state, *binding_, arguments_, failure_) {}

  const std::optional<Error>& failure() const { return failure_; }

  /// Runs in a fiber, as the only one in the channel.
  void run() {
    engines::Context& context = channel_.context();
    if (state_.settings().check != 0)
      Who::compare_lengths(context, workspace_, failure_, *binding_);
    const choice::Choice choice = at_start_.choose(state_, channel_, failure_);
    algorithm_ = choice.algorithm;
    execute({.state = state_,
             .context = context,
             .choice = choice,
             .binding = *binding_,
             .send_buffer = arguments_.send_buffer,
             .receive_buffer = arguments_.receive_buffer,
             .failure = failure_,
             .peers = Who::peers(workspace_),
             .pattern = Who::pattern(state_)});
  }

  /// What it runs; null if it has not begun.
  const registry::Algorithm* algorithm() const { return algorithm_; }

 private:
  std::optional<Error> bind_arguments() {
    const bool is_packed_later = binding_.begins_later() || state_.settings().check != 0;
    return failure_of([&] {
      Who().bind(state_, *binding_, arguments_);
      binding_->check_buffers(arguments_.send_buffer, arguments_.receive_buffer);
      binding_->hold_types(is_packed_later, [&](MPI_Datatype type) { return types_.held(type); });
    });
  }

  communicator::State& state_;
  communicator::Channel& channel_;
  typename Who::Workspace& workspace_;
  BindingAtStart<typename Who::Binding> binding_;
  Arguments arguments_;
  buffers::ArgumentCopies types_;
  std::optional<Error> failure_;
  typename Who::template AtStart<Arguments> at_start_;
  const registry::Algorithm* algorithm_ = nullptr;
};

/// Starts an Exchange of these arguments, in the next channel. If it has something to hand over, the program's
/// stack does so.
template <class Exchange, class Arguments>
Rondo_Request start_next(communicator::State& state, const Arguments& arguments) {
  return start_with_request(state.shared_from_this(), [&] {
    communicator::Channel& channel = state.next_channel();
    const auto exchange = std::make_shared<Exchange>(state, channel, arguments);
    Begun begun{state.start_in(channel, [exchange] { exchange->run(); })};
    if constexpr (requires { exchange->hand_over(); })
      begun.hand_over = [exchange] { exchange->hand_over(); };
    return begun;
  });
}

template <class Arguments>
int start(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&]() -> int {
    clear_request(request);
    if (transport::has_outstanding()) transport::advance_outstanding();
    communicator::State* const state = ready_state(arguments.comm);
    if (state == nullptr || !WhoOf<Arguments>::can_start(*state, Arguments::kForm))
      return start_forwarded(arguments, request);
    *request = start_next<StartedExchange<Arguments>>(*state, arguments);
    return MPI_SUCCESS;
  });
}

}  // namespace rondo::exchange
