// Tells the preload library of `rondo-exec --stats` which of Rondo's functions the program itself calls. Elsewhere it
// costs a look at a null pointer.
#pragma once

#include <chrono>

#include "base/own_calls.hpp"

namespace rondo::api {

/// Null unless the process has rondo-exec's preload library and RONDO_STATS is set.
extern const NoteOwnCall g_note_own_call;

/// Lives as long as one call of `function`, a literal.
class OwnCall {
 public:
  explicit OwnCall(const char* function) noexcept : function_(function) {
    if (g_note_own_call != nullptr) [[unlikely]]
      start_ = Clock::now();
  }
  ~OwnCall() {
    if (g_note_own_call != nullptr) [[unlikely]]
      g_note_own_call(function_, std::chrono::duration<double>(Clock::now() - start_).count());
  }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  const char* function_;
  Clock::time_point start_{};
};

}  // namespace rondo::api
