// One exchange that has been started, until it is over.
#pragma once

#include <memory>
#include <optional>

#include "exchange/binding_at_start.hpp"
#include "exchange/who.hpp"

namespace rondo::exchange {

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
    if (state_.settings().check != 0) Who::agree(context, workspace_, failure_, *binding_);
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

}  // namespace rondo::exchange
