// Functions that run on a stack of their own and can be suspended in the middle.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>

#include "base/fiber_switch.hpp"

namespace rondo {

/// Memory for the stack of a fiber. Some is kept for later fibers.
class FiberStack {
 public:
  /// Throws Error(no_memory) if there is none.
  FiberStack();
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  std::byte* data() const { return memory_.data; }
  std::size_t bytes() const { return memory_.bytes; }

  /// Nobody may use the memory again.
  void lose() { memory_ = {}; }

  struct Memory {
    std::byte* data = nullptr;  ///< above a guard
    std::size_t bytes = 0;
  };

 private:
  Memory memory_;
};

/// A function that gives its thread back whenever it has to wait. It may go on in another thread than it
/// began in, so it must not keep the address of a thread-local variable across a wait. It must not
/// wait in a catch block, where the C++ library keeps the exception in the thread.
///
/// The stack is short, so the body must not call what may run code of the program. What it waits for is
/// looked at, and what it holds is freed, on the stack of the thread.
class Fiber {
 public:
  /// `body` begins at the first resume(). Throws Error(no_memory) if there is no memory for a stack, and then has
  /// not moved `body`.
  explicit Fiber(std::function<void()>&& body);

  /// A body that has begun and not ended keeps its stack for ever: others may still write there.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it waits or ends. Does nothing as long as what the body waits for is not
  /// there, and goes on until it is not. Returns whether something has happened: the body has begun or
  /// ended, or what it waited for was there. Only one thread at a time may call it, and no fiber.
  bool resume();

  bool is_over() const { return is_over_; }

  /// What the body has thrown, or null.
  const std::exception_ptr& error() const { return error_; }

  /// Whether the caller is the body of a fiber.
  static bool is_running();

  /// Suspends the calling body once.
  static void yield();

  /// Suspends the calling body until is_ready() returns true. It is called by whoever resumes, on
  /// that one's stack, and must not throw. The first wait of a body suspends it without a look, so that
  /// beginning it takes no longer than its own work: MPI libraries make progress, and may yield the
  /// core, whenever a request is tested.
  template <class Ready>
  static void wait_until(Ready&& is_ready) {
    suspend({.call = [](void* of) { return (*static_cast<std::remove_reference_t<Ready>*>(of))(); },
             .of = &is_ready});
  }

 private:
  struct Condition {
    bool (*call)(void* of) = nullptr;
    void* of = nullptr;
  };
  static void suspend(Condition condition);
  static void enter();
  bool is_ready() const { return condition_.call == nullptr || condition_.call(condition_.of); }
  void run() noexcept;

  std::exception_ptr error_;
  Condition condition_;  ///< what the body waits for
  FiberStack stack_;
  FiberSwitch switch_;
  std::function<void()> body_;
  bool has_begun_ = false;
  bool is_over_ = false;
};

}  // namespace rondo
