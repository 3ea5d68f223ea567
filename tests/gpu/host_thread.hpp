// The kernel of `direct` on the host, with threads of C++ instead of CUDA threads.
#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "gpu/direct_body.hpp"

namespace rondo::testing {

/// The shared state of a thread block.
struct Team {
  explicit Team(int threads) : barrier(threads) {}

  std::barrier<> barrier;
  gpu::SharedNumbers shared = {};
};

/// As direct_body.hpp wants it. A barrier orders what comes before it and what follows, so that
/// publish() has nothing to add.
class HostThread {
 public:
  HostThread(Team& team, int index, int count, int block)
      : team_(team), index_(index), count_(count), block_(block) {}

  int index() const { return index_; }
  int count() const { return count_; }
  int block() const { return block_; }
  void sync() { team_.barrier.arrive_and_wait(); }
  gpu::SharedNumbers& shared() { return team_.shared; }

  template <class Word>
  Word load(Word* word) const {
    return std::atomic_ref(*word).load(std::memory_order_relaxed);
  }
  template <class Word>
  Word load_acquire(Word* word) const {
    return std::atomic_ref(*word).load(std::memory_order_acquire);
  }
  template <class Word>
  void store_release(Word* word, Word value) const {
    std::atomic_ref(*word).store(value, std::memory_order_release);
  }
  std::uint32_t add(std::uint32_t* word) const {
    return std::atomic_ref(*word).fetch_add(1, std::memory_order_acq_rel);
  }

  gpu::Line load_line(const gpu::Line* line) const {
    auto& words = const_cast<gpu::Line&>(*line);
    return {load(&words.low), load(&words.high)};
  }
  void store_line(gpu::Line* line, const gpu::Line& value) const {
    std::atomic_ref(line->low).store(value.low, std::memory_order_relaxed);
    std::this_thread::yield();  // the halves of a line need not arrive together
    std::atomic_ref(line->high).store(value.high, std::memory_order_relaxed);
  }

  void publish() const {}
  void pause() const { std::this_thread::yield(); }
  std::uint64_t nanoseconds() const {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

 private:
  Team& team_;
  int index_;
  int count_;
  int block_;
};

/// Runs one thread block of a launch, and returns when all its threads have ended.
inline void run_block_on_host(const gpu::DirectCall& call, const gpu::Blocks& blocks, int threads,
                              int block) {
  Team team(threads);
  std::vector<std::jthread> running;
  for (int index = 0; index < threads; ++index)
    running.emplace_back([&, index] {
      HostThread thread(team, index, threads, block);
      gpu::DirectBody<HostThread>(thread, call, blocks).run();
    });
}

/// Runs one launch, all thread blocks at the same time.
inline void launch_on_host(const gpu::DirectCall& call, const gpu::Blocks& blocks, int threads) {
  std::vector<std::jthread> running;
  for (int block = 0; block < call.region.blocks; ++block)
    running.emplace_back([&, block] { run_block_on_host(call, blocks, threads, block); });
}

}  // namespace rondo::testing
