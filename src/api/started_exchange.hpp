// One exchange that has been started, until it is over.
#pragma once

#include <functional>
#include <optional>

#include "api/choosing.hpp"
#include "communicator/agree.hpp"
#include "communicator/execute.hpp"

namespace rondo::api {

template <class Arguments>
class StartedExchange {
 public:
  /// Binds the arguments. `binding` must not be used otherwise until the exchange is over.
  StartedExchange(communicator::State& state, communicator::Channel& channel,
                  buffers::Binding& binding, const Arguments& arguments)
      : state_(state),
        channel_(channel),
        binding_(binding),
        arguments_(arguments),
        failure_(bind_arguments()),
        block_bytes_(known_block_bytes(binding_, arguments_, state_.ranks(), failure_)) {}

  /// Call it at the start, since the caller may free its types afterwards. `is_packed_later`: not all
  /// that is sent is packed before the start returns.
  void hold_types(bool is_packed_later) {
    if (failure_) return;
    failure_ = failure_of([&] {
      binding_.hold_types(is_packed_later, [&](MPI_Datatype type) { return types_.type(type); });
    });
  }

  /// Call it when the last exchange in the channel is over.
  void choose() {
    chosen_.emplace(api::choose(channel_, Arguments::kForm, block_bytes_, failure_));
    if (!chosen_->neighbours_decide) return;
    choose_for_length_ = [this](std::size_t bytes) -> const choice::Choice& {
      return channel_.choose(Arguments::kForm, bytes);
    };
  }

  /// Runs another algorithm instead of the chosen one.
  void choose(const choice::Choice& choice) {
    chosen_.emplace(Chosen{.choice = choice, .block_bytes = block_bytes_});
  }

  const choice::Choice& choice() const { return chosen_->choice; }
  const std::optional<Error>& failure() const { return failure_; }

  /// Runs in a fiber, after choose().
  void run() {
    exchange::Context& context = channel_.context();
    if (state_.settings().check != 0) communicator::agree_on_lengths(context, failure_, binding_);
    communicator::execute(
        {.state = state_,
         .context = context,
         .form = Arguments::kForm,
         .choice = chosen_->choice,
         .binding = binding_,
         .send_buffer = arguments_.send_buffer,
         .receive_buffer = arguments_.receive_buffer,
         .failure = failure_,
         .block_bytes = chosen_->block_bytes,
         .choose_by_neighbours = chosen_->neighbours_decide ? &choose_for_length_ : nullptr});
  }

 private:
  std::optional<Error> bind_arguments() {
    return failure_of([&] {
      bind(binding_, arguments_, state_.ranks());
      binding_.check_own(state_.rank());
      binding_.check_buffers(arguments_.send_buffer, arguments_.receive_buffer);
    });
  }

  communicator::State& state_;
  communicator::Channel& channel_;
  buffers::Binding& binding_;
  Arguments arguments_;
  buffers::ArgumentCopies types_;  ///< the caller may free its own
  std::optional<Error> failure_;
  std::optional<std::size_t> block_bytes_;
  std::optional<Chosen> chosen_;
  std::function<const choice::Choice&(std::size_t)> choose_for_length_;
};

}  // namespace rondo::api
