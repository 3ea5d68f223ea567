#include "base/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rondo {

namespace {

/// Enough for an engine, and for an MPI library below it.
constexpr std::size_t kStackBytes = std::size_t{256} << 10;

/// How many stacks are kept for later fibers.
constexpr std::size_t kKeptStacks = 64;

FiberStack::Memory map_memory() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = kStackBytes + page;
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (data == MAP_FAILED || mprotect(data, page, PROT_NONE) != 0) {
    if (data != MAP_FAILED) munmap(data, bytes);
    throw Error(ErrorClass::no_memory, text("no memory for a stack of ", bytes,
                                            " bytes, on which a started exchange runs"));
  }
  return {static_cast<std::byte*>(data), bytes};
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

FiberStack::Memory take_memory() {
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
  munmap(memory.data, memory.bytes);
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
  if (memory_.data != nullptr) give_back(memory_);
}

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), switch_(stack_.data(), stack_.bytes(), &Fiber::enter) {}

Fiber::~Fiber() {
  if (!has_begun_ || is_over_) return;
  switch_.forget();
  stack_.lose();
}

bool Fiber::resume() {
  if (is_over_ || (condition_.call != nullptr && !condition_.call(condition_.of))) return false;
  const bool has_waited_for_something = condition_.call != nullptr;
  const bool begins = !has_begun_;
  condition_ = {};
  has_begun_ = true;
  running() = this;
  switch_.into();
  running() = nullptr;
  return begins || has_waited_for_something || is_over_;
}

void Fiber::run() noexcept {
  try {
    body_();
  } catch (...) {
    error_ = std::current_exception();
  }
  body_ = nullptr;
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

bool Fiber::has_waited() {
  return running()->has_waited_;
}

void Fiber::suspend(Condition condition) {
  Fiber& self = *running();
  self.has_waited_ = true;
  self.condition_ = condition;
  self.switch_.out();
}

}  // namespace rondo
