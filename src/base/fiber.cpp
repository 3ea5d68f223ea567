#include "base/fiber.hpp"

#include <sys/mman.h>

#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rondo {

namespace {

/// Enough for an engine, and for an MPI library that packs and posts below it.
constexpr std::size_t kStackBytes = std::size_t{256} << 10;

/// As long as the whole stack of a thread usually is: no function that can run there has a frame that
/// reaches across. It takes addresses and no memory.
constexpr std::size_t kGuardBytes = std::size_t{8} << 20;

/// How many stacks are kept for later fibers.
constexpr std::size_t kKeptStacks = 64;

FiberStack::Memory map_memory() {
  const std::size_t bytes = kGuardBytes + kStackBytes;
  void* const all = mmap(nullptr, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (all != MAP_FAILED) {
    std::byte* const data = static_cast<std::byte*>(all) + kGuardBytes;
    if (mprotect(data, kStackBytes, PROT_READ | PROT_WRITE) == 0) return {data, kStackBytes};
    munmap(all, bytes);
  }
  throw Error(ErrorClass::no_memory,
              text("no memory for a stack of ", kStackBytes, " bytes and ", kGuardBytes,
                   " bytes of addresses below it, on which a "
                   "nonblocking exchange runs"));
}

/// Stacks that nobody uses.
struct Pool {
  std::mutex mutex;
  std::vector<FiberStack::Memory> kept;
};

/// Never destroyed, because a static object's destructor may still end a fiber.
Pool& pool() {
  static Pool& pool = *new Pool;
  return pool;
}

void give_back(const FiberStack::Memory& memory);

/// A stack that this thread has used last.
struct Spare {
  FiberStack::Memory memory;
  ~Spare() {
    if (memory.data != nullptr) give_back(std::exchange(memory, {}));
  }
};
thread_local Spare t_spare;

FiberStack::Memory take_memory() {
  if (t_spare.memory.data != nullptr) return std::exchange(t_spare.memory, {});
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().kept.empty()) {
      const FiberStack::Memory memory = pool().kept.back();
      pool().kept.pop_back();
      return memory;
    }
    pool().kept.reserve(kKeptStacks);
  }
  return map_memory();
}

void give_back(const FiberStack::Memory& memory) {
  {
    const std::lock_guard lock(pool().mutex);
    if (pool().kept.size() < kKeptStacks) return pool().kept.push_back(memory);
  }
  munmap(memory.data - kGuardBytes, kGuardBytes + memory.bytes);
}

thread_local Fiber* t_running = nullptr;

/// The compiler must not reuse the result, since a body may change its thread at any wait.
[[gnu::noinline]] Fiber*& running() {
  asm volatile("");
  return t_running;
}

}  // namespace

FiberStack::FiberStack() : memory_(take_memory()) {}

FiberStack::~FiberStack() {
  if (memory_.data == nullptr) return;
  const Memory before = std::exchange(t_spare.memory, memory_);
  if (before.data != nullptr) give_back(before);
}

Fiber::Fiber(std::function<void()>&& body)
    : switch_(stack_.data(), stack_.bytes(), &Fiber::enter), body_(std::move(body)) {}

Fiber::~Fiber() {
  if (!has_begun_ || is_over_) return;
  switch_.forget();
  stack_.lose();
}

bool Fiber::resume() {
  if (is_over_) return false;
  bool has_happened = false;
  while (!is_over_ && is_ready()) {
    const bool begins = !has_begun_;
    has_happened |= begins || condition_.call != nullptr;
    condition_ = {};
    has_begun_ = true;
    running() = this;
    switch_.into();
    running() = nullptr;
    if (begins || condition_.call == nullptr) break;
  }
  return has_happened || is_over_;
}

void Fiber::run() noexcept {
  try {
    body_();
  } catch (...) {
    error_ = std::current_exception();
  }
  is_over_ = true;
}

void Fiber::enter() {
  Fiber& self = *running();
  self.switch_.begin();
  self.run();
  self.switch_.end();
}

bool Fiber::is_running() {
  return running() != nullptr;
}

void Fiber::yield() {
  suspend({});
}

void Fiber::suspend(Condition condition) {
  Fiber& self = *running();
  self.condition_ = condition;
  self.switch_.out();
}

}  // namespace rondo
