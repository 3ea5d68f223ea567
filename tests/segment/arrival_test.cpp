// Threads in the place of processes run thousands of exchanges as engines/node/neighbours.hpp does,
// with delays at random, and look at every byte. Also built with ThreadSanitizer, which sees orders
// that the processor at hand would keep by itself.
#include "segment/arrival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../unit/seed.hpp"
#include "base/mix.hpp"
#include "segment/wait.hpp"

namespace rondo::segment {
namespace {

constexpr std::size_t kLongestBlock = 400;
constexpr std::size_t kParities = Arrival::kParities;

/// Memory as a segment is at first: all zero, with no object in it.
template <class Value>
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t count)
      : data_(static_cast<Value*>(std::aligned_alloc(64, (count * sizeof(Value) + 63) / 64 * 64))) {
    std::memset(static_cast<void*>(data_), 0, count * sizeof(Value));
  }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  ~ZeroedMemory() { std::free(data_); }

  Value* data() const { return data_; }

 private:
  Value* data_;
};

/// What one rank sends to another in one epoch.
class Content {
 public:
  Content(std::uint64_t seed, std::uint64_t epoch, int from, int to)
      : number_(mix(mix(mix(mix(seed) ^ epoch) ^ static_cast<unsigned>(from)) ^
                    static_cast<unsigned>(to))) {}

  /// Often nothing, else short or long.
  std::size_t bytes() const {
    const std::size_t length = number_ >> 8U;
    switch (number_ % 4) {
      case 0:
        return 1 + length % Cell::kInlineBytes;
      case 1:
        return Cell::kInlineBytes + 1 + length % (kLongestBlock - Cell::kInlineBytes);
      default:
        return 0;
    }
  }

  std::byte at(std::size_t i) const {
    return static_cast<std::byte>((number_ >> (8 * (i % 8))) + i);
  }

 private:
  std::uint64_t number_;
};

struct Stopped {};

/// What the threads share.
struct Shared {
  Shared(int count, std::uint64_t random_seed)
      : ranks(count),
        seed(random_seed),
        cells(Arrival::cells(static_cast<std::size_t>(count))),
        slots(static_cast<std::size_t>(count) * kParities * slot_bytes()) {}

  std::size_t slot_bytes() const { return static_cast<std::size_t>(ranks) * kLongestBlock; }
  std::byte* slot(int rank, std::size_t parity) const {
    return slots.data() + (static_cast<std::size_t>(rank) * kParities + parity) * slot_bytes();
  }

  /// The first failure is kept and ends all threads.
  [[noreturn]] void fail(const std::string& text) {
    {
      const std::lock_guard lock(mutex);
      if (!failure) failure = text;
    }
    is_over.store(true);
    throw Stopped();
  }

  int ranks;
  std::uint64_t seed;
  ZeroedMemory<Cell> cells;
  ZeroedMemory<std::byte> slots;
  std::mutex mutex;
  std::optional<std::string> failure;
  std::atomic<bool> is_over{false};
};

class Rank {
 public:
  Rank(Shared& shared, int self)
      : shared_(shared),
        self_(self),
        arrival_(shared.cells.data(), shared.ranks, self),
        waiter_(shared.ranks, static_cast<int>(std::thread::hardware_concurrency())),
        random_(mix(shared.seed + static_cast<unsigned>(self))) {}

  void run(int epochs) {
    try {
      for (int i = 0; i < epochs; ++i) exchange();
    } catch (const Stopped&) {
      return;
    }
  }

 private:
  void exchange() {
    parity_ = arrival_.begin();
    std::size_t used = 0;
    for_each([&](int peer) {
      used += write(peer, used);
      delay();
      arrival_.send(peer);
    });
    for_each([&](int peer) {
      arrival_.wait_for(peer, [&] { pause(); });
      delay();
      read(peer);
    });
  }

  std::size_t write(int peer, std::size_t used) {
    const Content content(shared_.seed, arrival_.epoch(), self_, peer);
    const std::size_t bytes = content.bytes();
    Cell& cell = arrival_.to(peer);
    cell.bytes = static_cast<std::uint32_t>(bytes);
    const bool is_inline = bytes <= Cell::kInlineBytes;
    std::byte* const to = is_inline ? cell.data.data() : shared_.slot(self_, parity_) + used;
    if (!is_inline) cell.offset = static_cast<std::uint32_t>(used);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = content.at(i);
    return is_inline ? 0 : bytes;
  }

  void read(int peer) {
    const Content content(shared_.seed, arrival_.epoch(), peer, self_);
    const Cell& cell = arrival_.from(peer);
    if (cell.epoch.load(std::memory_order_relaxed) != arrival_.epoch()) fail(peer, "the epoch");
    if (cell.bytes != content.bytes()) fail(peer, "the length");
    const std::byte* const data = cell.bytes <= Cell::kInlineBytes
                                      ? cell.data.data()
                                      : shared_.slot(peer, parity_) + cell.offset;
    for (std::size_t i = 0; i < content.bytes(); ++i)
      if (data[i] != content.at(i)) fail(peer, "byte " + std::to_string(i));
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int peer = self_ + 1; peer < shared_.ranks; ++peer) visit(peer);
    for (int peer = 0; peer < self_; ++peer) visit(peer);
  }

  void pause() {
    waiter_.pause(false, [&] {
      if (shared_.is_over.load(std::memory_order_relaxed)) throw Stopped();
    });
  }

  /// Mostly none; sometimes others go ahead; seldom by far.
  void delay() {
    random_ = mix(random_);
    if (random_ % 4096 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random_ / 4096 % 200));
    else if (random_ % 16 == 0)
      std::this_thread::yield();
  }

  [[noreturn]] void fail(int peer, const std::string& what) const {
    std::ostringstream text;
    text << "rank " << self_ << ", epoch " << arrival_.epoch() << ": " << what << " from rank "
         << peer << " is wrong";
    shared_.fail(text.str());
  }

  Shared& shared_;
  int self_;
  Arrival arrival_;
  Waiter waiter_;
  std::uint64_t random_;
  std::size_t parity_ = 0;
};

/// Cells that are written in all: the time that a row takes is about even.
#ifdef __SANITIZE_THREAD__
constexpr int kCells = 40'000;
#else
constexpr int kCells = 500'000;
#endif

class Arrivals : public ::testing::TestWithParam<int> {};

TEST_P(Arrivals, EveryByteIsRight) {
  const int ranks = GetParam();
  Shared shared(ranks, test::seed());
  const int epochs = std::clamp(kCells / (ranks * (ranks - 1)), 2000, 20'000);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&shared, rank, epochs] { Rank(shared, rank).run(epochs); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(shared.failure.has_value()) << *shared.failure;
}

INSTANTIATE_TEST_SUITE_P(Ranks, Arrivals, ::testing::Values(2, 3, 7, 16));

TEST(Arrival, CellsOfAReaderStandSideBySideAndNoTwoAreOne) {
  constexpr int kRanks = 5;
  const ZeroedMemory<Cell> memory(Arrival::cells(kRanks));
  std::vector<const Cell*> seen;
  for (int rank = 0; rank < kRanks; ++rank) {
    Arrival arrival(memory.data(), kRanks, rank);
    for (std::size_t epoch = 1; epoch <= kParities; ++epoch) {
      EXPECT_EQ(arrival.begin(), epoch % kParities);
      for (int peer = 0; peer < kRanks; ++peer) {
        seen.push_back(&arrival.to(peer));
        EXPECT_EQ(&arrival.from(peer), &arrival.from(0) + peer);
      }
    }
    const Cell* const first = &arrival.to(0);
    arrival.begin();
    EXPECT_NE(&arrival.to(0), first) << "the next epoch has other cells";
    arrival.begin();
    EXPECT_EQ(&arrival.to(0), first);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_EQ(seen.front(), memory.data());
  EXPECT_EQ(seen.back(), memory.data() + Arrival::cells(kRanks) - 1);
}

}  // namespace
}  // namespace rondo::segment
