// Switching between the stack of a thread and the stack of a fiber.
//
// On x86-64 and aarch64 a few instructions save and load the registers that a called function must
// keep. Elsewhere ucontext.h does it, with two calls of the kernel. The sanitizers are told of every
// switch.
#pragma once

#include <cstddef>

namespace rondo {

class FiberSwitch {
 public:
  /// `entry` will run on the stack [data, data + bytes) and must never return: it calls end().
  FiberSwitch(std::byte* data, std::size_t bytes, void (*entry)());
  ~FiberSwitch();
  FiberSwitch(const FiberSwitch&) = delete;
  FiberSwitch& operator=(const FiberSwitch&) = delete;

  /// From a thread: goes on where the fiber is. Returns when the fiber calls out() or end().
  void into();

  /// The first thing that a fiber calls.
  void begin();

  /// From the fiber: goes on in the thread that called into().
  void out();
  [[noreturn]] void end();

  /// Called if the fiber will never go on.
  void forget() { is_forgotten_ = true; }

 private:
  struct Contexts;

  void jump_in();
  void jump_out();

  std::byte* data_;
  std::size_t bytes_;  ///< without the contexts
  bool is_forgotten_ = false;
  Contexts* contexts_;  ///< at the end of the stack

  // What the sanitizers keep of the two stacks.
  void* thread_shadow_ = nullptr;
  void* fiber_shadow_ = nullptr;
  const void* thread_data_ = nullptr;
  std::size_t thread_bytes_ = 0;
  void* thread_identity_ = nullptr;
  void* fiber_identity_ = nullptr;
};

}  // namespace rondo
