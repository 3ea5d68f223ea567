// While RONDO_WATCH is set, tells the other ranks of the node that this one is in an exchange.
#pragma once

#include <cstdint>

#include "buffers/form.hpp"
#include "communicator/state.hpp"

namespace rondo::exchange {

/// While it lives, its rank is in an exchange, one that is watched if the communicator is. One within another is the
/// same exchange.
class InExchange {
 public:
  InExchange(const communicator::State& state, buffers::Form form)
      : line_(state.watched_line()), begins_(line_ != nullptr && !line_->is_busy()) {
    if (begins_) line_->begin(static_cast<std::int32_t>(form));
  }
  ~InExchange() {
    if (begins_) line_->end();
  }
  InExchange(const InExchange&) = delete;
  InExchange& operator=(const InExchange&) = delete;

  /// From now on the exchange is the MPI library's.
  void leave_to_library() const {
    if (line_ != nullptr) line_->is_forwarded.store(true, std::memory_order_relaxed);
  }

 private:
  watch::Line* line_;
  bool begins_;
};

}  // namespace rondo::exchange
