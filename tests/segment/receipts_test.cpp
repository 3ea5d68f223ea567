#include "segment/receipts.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace rondo::segment {
namespace {

/// Zeroed memory for the receipts of some ranks, aligned to cache lines.
class Memory {
 public:
  explicit Memory(int ranks) : lines_(Receipts::bytes(static_cast<std::size_t>(ranks)) / 64) {}
  std::byte* data() { return lines_.data()->bytes; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64]{};
  };
  std::vector<Line> lines_;
};

struct NeverCome {};
[[noreturn]] void give_up() {
  throw NeverCome();
}

TEST(Receipts, EveryPairHasItsOwn) {
  for (const int ranks : {1, 2, 7, 8, 9, 33}) {
    Memory memory(ranks);
    for (int source = 0; source < ranks; ++source)
      for (int reader = 0; reader < ranks; ++reader) {
        const Receipts of_source(memory.data(), ranks, source);
        const Receipts of_reader(memory.data(), ranks, reader);
        EXPECT_THROW(of_source.wait_for(reader, 1, give_up), NeverCome);
        of_reader.give(source, 1, (source + reader) % 2 == 1);
      }
    for (int source = 0; source < ranks; ++source)
      for (int reader = 0; reader < ranks; ++reader) {
        const Receipts of_source(memory.data(), ranks, source);
        EXPECT_EQ(of_source.wait_for(reader, 1, give_up), (source + reader) % 2 == 0);
        EXPECT_THROW(of_source.wait_for(reader, 2, give_up), NeverCome);
      }
  }
}

TEST(Receipts, FindingsAreSeenAfterTheyArePublished) {
  constexpr int kRanks = 3;
  Memory memory(kRanks);
  const Receipts writer(memory.data(), kRanks, 2);
  const Receipts reader(memory.data(), kRanks, 0);
  writer.finding().source = 1;
  writer.finding().sent = 10;
  EXPECT_THROW(reader.wait_for_finding(2, 5, give_up), NeverCome);
  writer.publish(5);
  EXPECT_EQ(reader.wait_for_finding(2, 5, give_up).source, 1);
  EXPECT_EQ(reader.wait_for_finding(2, 5, give_up).sent, 10U);
  EXPECT_THROW(reader.wait_for_finding(1, 5, give_up), NeverCome);
}

/// The sender changes what it has sent as soon as it has all receipts.
TEST(Receipts, SendersWaitForTheirReaders) {
  constexpr int kRanks = 4;
  constexpr std::uint64_t kEpochs = 2000;
  Memory memory(kRanks);
  std::uint64_t block = 0;
  std::atomic<std::uint64_t> begun{0};
  std::atomic<int> wrong{0};
  const auto read = [&](int self) {
    const Receipts receipts(memory.data(), kRanks, self);
    for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
      while (begun.load(std::memory_order_acquire) < epoch) std::this_thread::yield();
      if (block != epoch) ++wrong;
      receipts.give(0, epoch, false);
    }
  };
  std::vector<std::thread> readers;
  for (int reader = 1; reader < kRanks; ++reader) readers.emplace_back(read, reader);
  const Receipts receipts(memory.data(), kRanks, 0);
  for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    block = epoch;
    begun.store(epoch, std::memory_order_release);
    for (int reader = 1; reader < kRanks; ++reader)
      receipts.wait_for(reader, epoch, [] { std::this_thread::yield(); });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rondo::segment
