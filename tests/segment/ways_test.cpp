// Which way a long block goes.
#include "segment/ways.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace rondo::segment {
namespace {

constexpr std::size_t kLength = 64 * 1024;
constexpr Times::Part kParts[] = {Times::write_copied, Times::write_streamed, Times::read_copied,
                                  Times::read_streamed, Times::pull};

/// Two ranks.
struct Pair {
  explicit Pair(const Ways::Setting& setting, Distance between = Distance::near)
      : sender(times, 0, {Distance::near, between}, setting),
        reader(times, 1, {between, Distance::near}, setting) {}

  /// Both ranks' copies take so many nanoseconds a byte.
  void take(Times::Part part, double nanoseconds) { take(part, nanoseconds, nanoseconds); }
  void take(Times::Part part, double senders, double readers) {
    for (int again = 0; again < 40; ++again) {
      sender.add(part, 1, kLength, senders * kLength, kLength);
      reader.add(part, 0, kLength, readers * kLength, kLength);
    }
  }

  /// How many of the next blocks go in each way.
  std::map<Way, int> choose(int blocks) {
    std::map<Way, int> chosen;
    for (int block = 0; block < blocks; ++block) ++chosen[sender.choose(1, kLength)];
    return chosen;
  }

  std::array<Times, 2> times{};
  Ways sender;
  Ways reader;
};

constexpr Ways::Setting kAll{.can_pull = true, .pipe_bytes = 2 << 20, .wait_nanoseconds = 300};

TEST(Ways, EachIsTriedFirst) {
  Pair pair(kAll);
  for (const auto& [way, blocks] : pair.choose(can_stream() ? 9 : 6)) {
    EXPECT_NE(way, Way::sent);
    EXPECT_EQ(blocks, 3);
  }
}

TEST(Ways, BlocksOfAllLengthsTryThemInTheSameExchanges) {
  if (!can_stream()) GTEST_SKIP() << "this processor has two ways only";
  Pair pair(kAll);
  for (const Times::Part part : kParts) pair.take(part, part == Times::pull ? 0.05 : 0.3);
  std::map<std::size_t, int> pulled;
  for (int block = 0; block < 100; ++block)
    for (const std::size_t bytes : {kLength / 8, kLength / 4})
      if (pair.sender.choose(1, bytes) == Way::pulled) {
        pair.sender.add(Times::pull, 1, bytes, 0.05 * static_cast<double>(bytes), bytes);
        pair.reader.add(Times::pull, 0, bytes, 0.05 * static_cast<double>(bytes), bytes);
        ++pulled[bytes];
      } else {
        for (const Times::Part part : kParts) {
          if (part == Times::pull) continue;
          pair.sender.add(part, 1, bytes, 0.3 * static_cast<double>(bytes), bytes);
          pair.reader.add(part, 0, bytes, 0.3 * static_cast<double>(bytes), bytes);
        }
      }
  // 9 exchanges are 4 or 5 blocks of either length.
  EXPECT_GE(pulled[kLength / 8], 94);
  EXPECT_GE(pulled[kLength / 4], 94);
}

TEST(Ways, WhatIsStillUnknownIsTried) {
  Pair pair({.can_pull = true, .pipe_bytes = 2 << 20, .wait_nanoseconds = 300});
  pair.choose(can_stream() ? 9 : 6);
  for (const Times::Part part : kParts)
    if (part != Times::pull) pair.take(part, 0.01);
  EXPECT_EQ(pair.choose(8)[Way::pulled], 8);
  pair.take(Times::pull, 0.3);
  EXPECT_LT(pair.choose(1000)[Way::pulled], 20);
}

struct FastestRow {
  double copied;
  double streamed;
  double pulled;
  Way fastest;
};

TEST(Ways, TheFastestIsTakenAndTheOthersAreTriedMoreRarelyTheSlowerTheyAre) {
  if (!can_stream()) GTEST_SKIP() << "this processor has two ways only";
  for (const FastestRow& row : {FastestRow{0.1, 0.2, 0.4, Way::copied},
                                {0.2, 0.1, 0.4, Way::streamed},
                                {0.3, 0.4, 0.1, Way::pulled}}) {
    Pair pair(kAll);
    pair.choose(9);
    for (const Times::Part part : kParts)
      pair.take(part, part == Times::pull ? row.pulled
                      : part == Times::write_copied || part == Times::read_copied
                          ? row.copied / 2
                          : row.streamed / 2);
    constexpr int kBlocks = 40'000;
    auto chosen = pair.choose(kBlocks);
    EXPECT_GT(chosen[row.fastest], kBlocks * 98 / 100);
    for (const Way other : {Way::copied, Way::streamed, Way::pulled}) {
      EXPECT_GT(chosen[other], 0);
      // One span in 64 if it were as fast, and none of the others is.
      if (other != row.fastest) {
        EXPECT_LT(chosen[other], kBlocks / 64 / 2);
      }
    }
  }
}

/// What the copies of one rank take, in nanoseconds a byte.
struct OfRank {
  double write_copied = 0.1;
  double write_streamed = 0.1;
  double read_copied = 0.1;
  double read_streamed = 0.1;
  double pull = 0.5;
};

/// The sender's reads and the reader's writes are of other blocks.
struct PriceRow {
  const char* name;
  OfRank sender;
  OfRank reader;
  Way fastest;
  Ways::Setting setting = {.can_pull = true, .pipe_bytes = kLength, .wait_nanoseconds = 0};
};

const PriceRow kPrices[] = {
    {"the copied block is read faster",
     {.write_copied = 0.12, .read_copied = 0.5, .read_streamed = 0.01},
     {.read_copied = 0.05, .read_streamed = 0.5},
     Way::copied},
    {"the streamed block is read faster",
     {.write_streamed = 0.12, .read_copied = 0.01, .read_streamed = 0.5},
     {.read_copied = 0.5, .read_streamed = 0.05},
     Way::streamed},
    {"the copied block is written faster",
     {.write_copied = 0.05, .write_streamed = 0.2},
     {.write_copied = 0.5, .write_streamed = 0.01},
     Way::copied},
    {"the streamed block is written faster",
     {.write_copied = 0.2, .write_streamed = 0.05},
     {.write_copied = 0.01, .write_streamed = 0.5},
     Way::streamed},
    {"the reader pulls faster", {.pull = 0.9}, {.pull = 0.1}, Way::pulled},
    {"streamed blocks leave more in the caches", {}, {}, Way::streamed},
    {"both copies take room in the caches", {}, {.pull = 0.22}, Way::pulled},
    {"ranks that share cores share the caches",
     {.write_streamed = 0.2},
     {.pull = 0.22},
     Way::copied,
     {.can_pull = true, .pipe_bytes = kLength, .shares_cores = true}},
    {"a block that fits into the pipe waits for nobody",
     {.write_streamed = 0.2},
     {.pull = 0.1},
     Way::copied,
     {.can_pull = true, .pipe_bytes = kLength, .wait_nanoseconds = 20'000}},
    {"one that is longer waits",
     {.write_streamed = 0.2},
     {.pull = 0.1},
     Way::pulled,
     {.can_pull = true, .pipe_bytes = kLength / 2, .wait_nanoseconds = 20'000}},
};

TEST(Ways, BothRanksCopiesCountWithWhatElseTheyCost) {
  if (!can_stream()) GTEST_SKIP() << "this processor has two ways only";
  for (const PriceRow& row : kPrices) {
    Pair pair(row.setting);
    pair.choose(9);
    pair.take(Times::write_copied, row.sender.write_copied, row.reader.write_copied);
    pair.take(Times::write_streamed, row.sender.write_streamed, row.reader.write_streamed);
    pair.take(Times::read_copied, row.sender.read_copied, row.reader.read_copied);
    pair.take(Times::read_streamed, row.sender.read_streamed, row.reader.read_streamed);
    pair.take(Times::pull, row.sender.pull, row.reader.pull);
    EXPECT_GT(pair.choose(1000)[row.fastest], 900) << row.name;
  }
}

/// All ranks at one distance try the ways in the same exchanges.
TEST(Ways, EachReaderTriesEach) {
  if (!can_stream()) GTEST_SKIP() << "this processor has two ways only";
  std::array<Times, 3> times{};
  Ways sender(times, 0, std::vector(3, Distance::near), kAll);
  std::map<std::pair<int, Way>, int> chosen;
  for (int exchange = 0; exchange < 9; ++exchange)
    for (const int reader : {1, 2}) ++chosen[{reader, sender.choose(reader, kLength)}];
  EXPECT_EQ(chosen.size(), 6U);
  for (const auto& [of, blocks] : chosen) EXPECT_EQ(blocks, 3) << "reader " << of.first;
}

TEST(Ways, OfEachReaderTheFirstTriesDoNotCount) {
  std::array<Times, 3> times{};
  Ways sender(times, 0, std::vector(3, Distance::near), kAll);
  for (const double nanoseconds : {100, 50, 1})
    for (const int reader : {1, 2})
      sender.add(Times::pull, reader, kLength, nanoseconds * kLength, kLength);
  EXPECT_FLOAT_EQ(times[0].of(Times::pull, Distance::near, Times::class_of(kLength)), 1);
}

TEST(Ways, AnotherIsTakenWhenItBecomesFaster) {
  Pair pair(kAll);
  pair.choose(9);
  for (const Times::Part part : kParts) pair.take(part, 0.05);
  pair.take(Times::pull, 0.3);
  EXPECT_LT(pair.choose(1000)[Way::pulled], 10);
  for (const Times::Part part : kParts)
    if (part != Times::pull) pair.take(part, 0.3);
  EXPECT_GT(pair.choose(1000)[Way::pulled], 900);
}

TEST(Ways, WhatWasRefusedIsNotTriedAgain) {
  Pair pair(kAll);
  for (const Times::Part part : kParts) pair.take(part, part == Times::pull ? 0.01 : 0.3);
  EXPECT_GT(pair.choose(1000)[Way::pulled], 900);
  pair.reader.rule_out_pulls(0, kLength);
  pair.take(Times::pull, 0.01);
  pair.choose(8);
  EXPECT_EQ(pair.choose(10'000).count(Way::pulled), 0U);
  EXPECT_TRUE(std::isinf(pair.times[1].of(Times::pull, Distance::near, Times::class_of(kLength))));
  pair.reader.remember();
  Pair next(kAll);
  next.reader.recall();
  EXPECT_FALSE(std::isinf(next.times[1].of(Times::pull, Distance::near, Times::class_of(kLength))));
}

TEST(Ways, OnlyOpenOnesAreTaken) {
  Pair copies({.can_pull = false, .pipe_bytes = 1 << 20, .wait_nanoseconds = 0});
  Pair pulls({.can_pull = true, .pipe_bytes = 0, .wait_nanoseconds = 0});
  Pair neither({.can_pull = false, .pipe_bytes = 0, .wait_nanoseconds = 0});
  for (const Times::Part part : kParts) {
    copies.take(part, 0.1);
    pulls.take(part, 0.1);
  }
  EXPECT_EQ(copies.choose(1000).count(Way::pulled), 0U);
  EXPECT_EQ(pulls.choose(1000)[Way::pulled], 1000);
  EXPECT_EQ(neither.choose(10)[Way::sent], 10);
}

/// Where ranks share cores, a block that is longer than its pipe waits for the reader's turns.
TEST(Ways, WaitsCount) {
  Pair pair({.can_pull = true, .pipe_bytes = 1024, .wait_nanoseconds = 2500});
  pair.choose(9);
  for (const Times::Part part : kParts) pair.take(part, 0.05);
  pair.take(Times::pull, 0.2);
  EXPECT_GT(pair.choose(1000)[Way::pulled], 900);
}

TEST(Ways, RanksElsewhereHaveTimesOfTheirOwn) {
  Pair pair(kAll, Distance::other_socket);
  EXPECT_EQ(pair.times[0].of(Times::pull, Distance::near, Times::class_of(kLength)), 0);
  pair.take(Times::pull, 0.5);
  EXPECT_EQ(pair.times[0].of(Times::pull, Distance::near, Times::class_of(kLength)), 0);
  EXPECT_NEAR(pair.times[0].of(Times::pull, Distance::other_socket, Times::class_of(kLength)), 0.5,
              1e-3);
}

TEST(Times, AClassHasLengthsUpToTwiceItsShortest) {
  EXPECT_EQ(Times::class_of(Times::kShortest), Times::class_of(2 * Times::kShortest - 1));
  EXPECT_EQ(Times::class_of(2 * Times::kShortest), Times::class_of(Times::kShortest) + 1);
  EXPECT_EQ(Times::class_of(1), 0U);
  EXPECT_EQ(Times::class_of(SIZE_MAX), Times::kClasses - 1);
}

TEST(Ways, WhatIsKnownNeedNoTries) {
  Pair first(kAll);
  for (const Times::Part part : kParts) first.take(part, part == Times::pull ? 0.05 : 0.3);
  first.sender.remember();
  Pair second(kAll);
  second.sender.recall();
  EXPECT_LT(second.choose(9)[Way::pulled], 9) << "though the reader knows nothing";
  Pair third(kAll);
  third.sender.recall();
  third.reader.recall();
  EXPECT_EQ(third.choose(9)[Way::pulled], 9);
  const auto known = [&] {
    return third.times[0].of(Times::pull, Distance::near, Times::class_of(kLength));
  };
  const float before = known();
  third.sender.add(Times::pull, 1, kLength, 2.0 * before * kLength, kLength);
  EXPECT_FLOAT_EQ(known(), before * 1.125F) << "it counts as any other after many";
}

TEST(Ways, OneLongTimeChangesLittle) {
  Pair pair(kAll);
  const auto add = [&](double nanoseconds) {
    pair.sender.add(Times::pull, 1, kLength, nanoseconds * kLength, kLength);
    return pair.times[0].of(Times::pull, Distance::near, Times::class_of(kLength));
  };
  EXPECT_FLOAT_EQ(add(100), 100);
  EXPECT_FLOAT_EQ(add(50), 50);
  for (int again = 0; again < 20; ++again) EXPECT_FLOAT_EQ(add(1), 1);
  EXPECT_FLOAT_EQ(add(4000), 1.125F);
  EXPECT_FLOAT_EQ(add(0.125), 1);
}

TEST(Stream, CopiesEveryByteAndNoOther) {
  constexpr std::byte kGuard{0xa5};
  std::vector<std::byte> from(2000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251);
  for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U})
    for (std::size_t to_at = 0; to_at < 66; to_at += 13)
      for (std::size_t from_at = 0; from_at < 66; from_at += 11) {
        std::vector<std::byte> to(1200, kGuard);
        stream(to.data() + 64 + to_at, from.data() + from_at, bytes);
        end_stream();
        for (std::size_t i = 0; i < to.size(); ++i) {
          const std::size_t at = i - 64 - to_at;
          ASSERT_EQ(to[i], i >= 64 + to_at && at < bytes ? from[from_at + at] : kGuard);
        }
      }
}

}  // namespace
}  // namespace rondo::segment
