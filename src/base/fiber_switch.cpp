#include "base/fiber_switch.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/bytes.hpp"

// The sanitizers' functions, which are there if the program is built with one, whether or not this library
// is.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** shadow, const void* data,
                                                  std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* shadow, const void** data,
                                                   std::size_t* bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* data, std::size_t bytes);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

#if defined(__x86_64__)

// The control words of the floating-point units lie below the registers.
asm(R"(
  .text
  .type rondo_switch_stacks, @function
  .hidden rondo_switch_stacks
  .globl rondo_switch_stacks
rondo_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size rondo_switch_stacks, .-rondo_switch_stacks
)");

namespace {
/// In words of 8 bytes, from the lowest: control words, six registers, where to go on. Three more, of which
/// the first is where `entry` would return to, give the stack the alignment of a called function.
constexpr std::size_t kFirstWords = 8 + 3;
constexpr std::size_t kGoOnWord = 7;
}  // namespace

#elif defined(__aarch64__)

// What AAPCS64 wants kept: x19 to x29, the lower halves of v8 to v15, and the control register of the
// floating-point unit, which is slow to write and rarely differs. x30 has no value after a call, so it is set to
// what `entry` needs: nothing has called it, and whoever walks the stack stops there.
asm(R"(
  .text
  .type rondo_switch_stacks, %function
  .hidden rondo_switch_stacks
  .globl rondo_switch_stacks
rondo_switch_stacks:
  sub sp, sp, #176
  mrs x9, fpcr
  str x9, [sp, #0]
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp x29, x30, [sp, #96]
  stp d8, d9, [sp, #112]
  stp d10, d11, [sp, #128]
  stp d12, d13, [sp, #144]
  stp d14, d15, [sp, #160]
  mov x10, sp
  str x10, [x0]
  mov sp, x1
  ldr x10, [sp, #0]
  cmp x9, x10
  b.eq 1f
  msr fpcr, x10
1:
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp x29, x11, [sp, #96]
  ldp d8, d9, [sp, #112]
  ldp d10, d11, [sp, #128]
  ldp d12, d13, [sp, #144]
  ldp d14, d15, [sp, #160]
  add sp, sp, #176
  mov x30, xzr
  ret x11
  .size rondo_switch_stacks, .-rondo_switch_stacks
)");

namespace {
/// In words of 8 bytes, from the lowest: the control register, one for the alignment, ten registers, the frame,
/// where to go on, eight registers.
constexpr std::size_t kFirstWords = 22;
constexpr std::size_t kGoOnWord = 13;
}  // namespace

#else
#define RONDO_FIBER_UCONTEXT
#include <ucontext.h>
#endif

namespace rondo {

#ifndef RONDO_FIBER_UCONTEXT

extern "C" void rondo_switch_stacks(void** from, void* to);

struct FiberSwitch::Contexts {
  void* thread = nullptr;
  void* fiber = nullptr;

  /// Prepares the stack so that the first switch to it calls `entry`.
  Contexts(std::byte* data, std::size_t bytes, void (*entry)()) {
    std::array<std::uint64_t, kFirstWords> words{};
    words[kGoOnWord] = reinterpret_cast<std::uintptr_t>(entry);
#if defined(__x86_64__)
    std::uint32_t vector_control = 0;
    std::uint16_t control = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector_control), "=m"(control));
    words[0] = vector_control | std::uint64_t{control} << 32;
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(words[0]));
#endif
    std::byte* const first = data + bytes - sizeof words;
    std::memcpy(first, words.data(), sizeof words);
    fiber = first;
  }
};

void FiberSwitch::jump_in() {
  rondo_switch_stacks(&contexts_->thread, contexts_->fiber);
}
void FiberSwitch::jump_out() {
  rondo_switch_stacks(&contexts_->fiber, contexts_->thread);
}

#else

struct FiberSwitch::Contexts {
  ucontext_t thread;
  ucontext_t fiber;

  Contexts(std::byte* data, std::size_t bytes, void (*entry)()) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = data;
    fiber.uc_stack.ss_size = bytes;
    fiber.uc_link = nullptr;
    makecontext(&fiber, entry, 0);
  }
};

void FiberSwitch::jump_in() {
  swapcontext(&contexts_->thread, &contexts_->fiber);
}
void FiberSwitch::jump_out() {
  swapcontext(&contexts_->fiber, &contexts_->thread);
}

#endif

namespace {

/// Of the end of a stack. No machine needs more.
constexpr std::size_t kStackAlignment = 16;

/// Before a switch. `shadow` keeps what belongs to the stack that is left; it is null for the last time.
/// `identity` is what the thread sanitizer calls the other stack.
void announce(void** shadow, const void* data, std::size_t bytes, void* identity) {
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(shadow, data, bytes);
  if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(identity, 0);
}

/// After a switch. The stack that was left is stored in `data` and `bytes`, unless they are null.
void confirm(void* shadow, const void** data, std::size_t* bytes) {
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(shadow, data, bytes);
}

}  // namespace

FiberSwitch::FiberSwitch(std::byte* data, std::size_t bytes, void (*entry)())
    : data_(data),
      bytes_(bytes - round_up(sizeof(Contexts), kStackAlignment)),
      contexts_(new (data + bytes_) Contexts(data, bytes_, entry)),
      fiber_identity_(__tsan_create_fiber != nullptr ? __tsan_create_fiber(0) : nullptr) {
  static_assert(std::is_trivially_destructible_v<Contexts>);
}

FiberSwitch::~FiberSwitch() {
  if (is_forgotten_) return;
  if (__tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(fiber_identity_);
  // The last functions on the stack have not returned.
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(data_, bytes_);
}

void FiberSwitch::into() {
  if (__tsan_get_current_fiber != nullptr) thread_identity_ = __tsan_get_current_fiber();
  announce(&thread_shadow_, data_, bytes_, fiber_identity_);
  jump_in();
  confirm(thread_shadow_, nullptr, nullptr);
}

void FiberSwitch::begin() {
  confirm(nullptr, &thread_data_, &thread_bytes_);
}

void FiberSwitch::out() {
  announce(&fiber_shadow_, thread_data_, thread_bytes_, thread_identity_);
  jump_out();
  confirm(fiber_shadow_, &thread_data_, &thread_bytes_);
}

void FiberSwitch::end() {
  announce(nullptr, thread_data_, thread_bytes_, thread_identity_);
  jump_out();
  std::abort();
}

}  // namespace rondo
