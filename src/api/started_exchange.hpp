// One exchange of all ranks that has been started, until it is over.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/choosing.hpp"
#include "communicator/agree.hpp"
#include "communicator/execute.hpp"

namespace rondo::api {

template <class Arguments>
class StartedExchange {
 public:
  /// Binds the arguments, and holds the types, since the caller may free its own.
  StartedExchange(communicator::State& state, communicator::Channel& channel,
                  const Arguments& arguments)
      : state_(state),
        channel_(channel),
        own_binding_(channel.is_idle() ? nullptr : std::make_unique<buffers::Binding>()),
        binding_(own_binding_ ? *own_binding_ : channel.binding),
        arguments_(arguments),
        failure_(bind_arguments()),
        block_bytes_(known_block_bytes(binding_, arguments_, state_.ranks(), failure_)) {}

  const std::optional<Error>& failure() const { return failure_; }

  /// Runs in a fiber, as the only one in the channel.
  void run() {
    exchange::Context& context = channel_.context();
    if (state_.settings().check != 0) communicator::agree_on_lengths(context, failure_, binding_);
    const Chosen chosen = api::choose(channel_, Arguments::kForm, block_bytes_, failure_);
    const std::function<const choice::Choice&(std::size_t)> choose_for_length =
        [this](std::size_t bytes) -> const choice::Choice& {
      return channel_.instead_of_library(channel_.choose(Arguments::kForm, bytes));
    };
    choice_ = &channel_.instead_of_library(chosen.choice);
    state_.note_choice(*choice_);
    communicator::execute(
        {.state = state_,
         .context = context,
         .form = Arguments::kForm,
         .choice = *choice_,
         .binding = binding_,
         .send_buffer = arguments_.send_buffer,
         .receive_buffer = arguments_.receive_buffer,
         .failure = failure_,
         .block_bytes = chosen.block_bytes,
         .choose_by_neighbours = chosen.neighbours_decide ? &choose_for_length : nullptr});
  }

  /// What it runs; null if it has not begun.
  const choice::Choice* choice() const { return choice_; }

 private:
  std::optional<Error> bind_arguments() {
    const bool is_packed_later = own_binding_ || state_.settings().check != 0;
    return failure_of([&] {
      bind(binding_, arguments_, state_.ranks());
      binding_.check_own(state_.rank());
      binding_.check_buffers(arguments_.send_buffer, arguments_.receive_buffer);
      binding_.hold_types(is_packed_later, [&](MPI_Datatype type) { return types_.type(type); });
    });
  }

  communicator::State& state_;
  communicator::Channel& channel_;
  std::unique_ptr<buffers::Binding> own_binding_;  ///< if that of the channel may still be in use
  buffers::Binding& binding_;
  Arguments arguments_;
  buffers::ArgumentCopies types_;
  std::optional<Error> failure_;
  std::optional<std::size_t> block_bytes_;
  const choice::Choice* choice_ = nullptr;
};

}  // namespace rondo::api
