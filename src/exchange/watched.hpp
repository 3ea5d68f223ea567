// While RONDO_WATCH is set, tells the other ranks of the node that this one is in an exchange.
#pragma once

#include <cstddef>

#include "buffers/binding.hpp"
#include "communicator/state.hpp"

namespace rondo::exchange {

/// While it lives, its rank is in an exchange, one that is watched if the communicator is. One within another does
/// nothing.
class InExchange {
 public:
  InExchange(const communicator::State& state, buffers::Form form) : line_(state.watched_line()) {
    if (line_ != nullptr && line_->is_busy()) line_ = nullptr;
    if (line_ != nullptr) line_->begin(static_cast<std::int32_t>(form));
  }
  ~InExchange() {
    if (line_ != nullptr) line_->end();
  }
  InExchange(const InExchange&) = delete;
  InExchange& operator=(const InExchange&) = delete;

  /// From now on the exchange is the MPI library's.
  void leave_to_library() const {
    if (line_ != nullptr) line_->is_forwarded.store(true, std::memory_order_relaxed);
  }

 private:
  watch::Line* line_;
};

/// Notes how much this rank sends in the exchange that it is in.
inline void note_lengths(const communicator::State& state, const buffers::Binding& binding) {
  watch::Line* const line = state.watched_line();
  if (line == nullptr) return;
  std::size_t longest = 0;
  const auto& sending = binding.sending();
  for (std::size_t i = 0; i < sending.ranks(); ++i)
    longest = std::max(longest, sending.part(i).bytes);
  line->longest.store(longest, std::memory_order_relaxed);
  line->bytes.store(sending.total_bytes(), std::memory_order_relaxed);
}

}  // namespace rondo::exchange
