// What the last exchange on a communicator ran.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "choice/choice.hpp"

namespace rondo::communicator {

/// Holds the choice by value, since tables and learners may replace theirs before anyone asks. Nonblocking exchanges
/// note theirs in any thread; of two that are noted at a time, either may be the last.
class LastChoice {
 public:
  void forget() { has_one_.store(false, std::memory_order_relaxed); }

  /// Notes what is() or replace() was called with. Most exchanges run what the one before has run, and then nothing is
  /// written but a flag.
  void note() { has_one_.store(true, std::memory_order_release); }

  bool is(const choice::Choice& choice) const {
    if (algorithm_.load(std::memory_order_relaxed) != choice.algorithm) return false;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].load(std::memory_order_relaxed) != choice.values[i]) return false;
    return true;
  }

  [[gnu::noinline]] void replace(const choice::Choice& choice) {
    const std::lock_guard lock(mutex_);
    algorithm_.store(choice.algorithm, std::memory_order_relaxed);
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i].store(choice.values[i], std::memory_order_relaxed);
  }

  /// Returns nothing if the last exchange was forwarded without a choice.
  std::optional<choice::Choice> get() const {
    const std::lock_guard lock(mutex_);
    if (!has_one_.load(std::memory_order_acquire)) return std::nullopt;
    choice::Choice choice{.algorithm = algorithm_.load(std::memory_order_relaxed)};
    if (choice.algorithm == nullptr) return std::nullopt;  // replaced by none while it was noted
    for (std::size_t i = 0; i < values_.size(); ++i)
      choice.values[i] = values_[i].load(std::memory_order_relaxed);
    return choice;
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> has_one_ = false;
  std::atomic<const registry::Algorithm*> algorithm_ = nullptr;
  std::array<std::atomic<std::int64_t>, registry::kMaxParameters> values_{};
};

}  // namespace rondo::communicator
