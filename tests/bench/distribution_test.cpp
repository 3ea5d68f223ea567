// Block lengths: within their bounds, the promised number and order of them, and spread as they
// should be.
#include "distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "random.hpp"
#include "refusal.hpp"

namespace rondo::bench {
namespace {

/// The blocks that `source` sends, by destination.
std::vector<std::size_t> row_of(const BlockLengths& lengths, int ranks, int source) {
  std::vector<std::size_t> row;
  for (int destination = 0; destination < ranks; ++destination)
    row.push_back(lengths(source, destination));
  return row;
}

BlockLengths make(const char* text, int ranks, std::size_t bytes, std::uint64_t seed = 7) {
  return {Distribution::parse(text), {.ranks = ranks, .seed = seed, .bytes = bytes}};
}

struct Bounds {
  const char* distribution;
  std::size_t bytes;
  std::size_t low;
  std::size_t high;
  double mean;
};

const Bounds kBounds[] = {
    {"uniform", 1000, 0, 1000, 500},
    {"uniform", 1, 0, 1, 0.5},
    {"uniform", 0, 0, 0, 0},
    {"window:20", 1000, 800, 1000, 900},
    {"window:0", 1000, 1000, 1000, 1000},
    {"window:100", 1000, 0, 1000, 500},
    {"window:50", 3, 2, 3, 2.5},
    {"normal", 1000, 0, 1000, 500},
    {"normal", 0, 0, 0, 0},
    {"constant", 77, 77, 77, 77},
    {"power:1", 64, 64, 64, 64},
};

TEST(Distribution, StaysWithinBoundsAndReachesTheMean) {
  constexpr int kRanks = 100;
  for (const Bounds& row : kBounds) {
    const BlockLengths lengths = make(row.distribution, kRanks, row.bytes);
    double sum = 0;
    for (int source = 0; source < kRanks; ++source)
      for (const std::size_t bytes : row_of(lengths, kRanks, source)) {
        EXPECT_GE(bytes, row.low) << row.distribution;
        EXPECT_LE(bytes, row.high) << row.distribution;
        sum += static_cast<double>(bytes);
      }
    // Ten thousand draws: five deviations of the mean are 5 * 0.29 * S / 100.
    EXPECT_NEAR(sum / (kRanks * kRanks), row.mean, 0.015 * static_cast<double>(row.bytes))
        << row.distribution;
  }
}

TEST(Distribution, UniformReachesBothEnds) {
  std::set<std::size_t> seen;
  const BlockLengths lengths = make("uniform", 32, 3);
  for (int source = 0; source < 32; ++source)
    for (const std::size_t bytes : row_of(lengths, 32, source)) seen.insert(bytes);
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(Distribution, NormalHasASixthOfSAsDeviation) {
  double squares = 0;
  const BlockLengths lengths = make("normal", 100, 6000);
  for (int source = 0; source < 100; ++source)
    for (const std::size_t bytes : row_of(lengths, 100, source))
      squares += std::pow(static_cast<double>(bytes) - 3000, 2);
  EXPECT_NEAR(std::sqrt(squares / 10000), 1000, 50);
}

TEST(Distribution, SparseHasExactlyKDestinations) {
  for (const int ranks : {1, 2, 3, 7, 16, 100})
    for (const int k : {0, 1, 2, 7}) {
      const BlockLengths lengths = make(("sparse:" + std::to_string(k)).c_str(), ranks, 9);
      std::set<std::vector<std::size_t>> rows;
      for (int source = 0; source < ranks; ++source) {
        const auto row = row_of(lengths, ranks, source);
        EXPECT_EQ(std::ranges::count(row, 9U), std::min(k, ranks));
        EXPECT_EQ(std::ranges::count(row, 0U), std::max(ranks - k, 0));
        rows.insert(row);
      }
      if (k == 2 && ranks == 100) {
        EXPECT_GT(rows.size(), 90U) << "sources must not choose alike";
      }
    }
}

TEST(Distribution, FewAreTheSameDestinationsForAll) {
  for (const int ranks : {1, 2, 7, 100}) {
    BlockLengths lengths = make("few:2", ranks, 9);
    const auto first = row_of(lengths, ranks, 0);
    EXPECT_EQ(std::ranges::count(first, 9U), std::min(2, ranks));
    for (int source = 1; source < ranks; ++source) EXPECT_EQ(row_of(lengths, ranks, source), first);
    lengths.choose_draw(1);
    if (ranks == 100) {
      EXPECT_NE(row_of(lengths, ranks, 0), first);
    }
  }
}

TEST(Distribution, PowerIsAShuffledGeometricSequence) {
  constexpr int kRanks = 50;
  constexpr std::size_t kBytes = 4096;
  const BlockLengths lengths = make("power:0.9", kRanks, kBytes);
  std::vector<std::size_t> expected;
  for (int k = 0; k < kRanks; ++k)
    expected.push_back(static_cast<std::size_t>(static_cast<double>(kBytes) * std::pow(0.9, k)));
  std::ranges::sort(expected);
  for (int source = 0; source < kRanks; ++source) {
    auto row = row_of(lengths, kRanks, source);
    EXPECT_FALSE(std::ranges::is_sorted(row));
    std::ranges::sort(row);
    EXPECT_EQ(row, expected);
  }
}

TEST(Distribution, SameArgumentsSameLengthsAndTheSeedCounts) {
  // Both sides of a pair evaluate the same function, each in a process of its own: it must depend
  // on nothing but its arguments.
  for (const char* text :
       {"uniform", "window:30", "power:0.99", "normal", "sparse:3", "mix:0=1,1=1"}) {
    const auto row = row_of(make(text, 40, 1000, 1), 40, 5);
    EXPECT_EQ(row, row_of(make(text, 40, 1000, 1), 40, 5)) << text;
    EXPECT_NE(row, row_of(make(text, 40, 1000, 2), 40, 5)) << text;
    EXPECT_NE(row, row_of(make(text, 40, 1000, 1), 40, 6)) << text;
  }
}

TEST(Distribution, DrawsDifferWhereLengthsAreDrawn) {
  for (const char* text :
       {"uniform", "window:30", "power:0.99", "normal", "sparse:3", "mix:0=1,1=1"}) {
    BlockLengths lengths = make(text, 40, 1000);
    EXPECT_TRUE(lengths.vary()) << text;
    const auto first = row_of(lengths, 40, 5);
    lengths.choose_draw(1);
    EXPECT_NE(row_of(lengths, 40, 5), first) << text;
    lengths.choose_draw(0);
    EXPECT_EQ(row_of(lengths, 40, 5), first) << text;
  }
  EXPECT_FALSE(make("constant", 40, 1000).vary());
}

TEST(Distribution, MatrixIsReadBySourceThenDestination) {
  const auto matrix = std::make_shared<const Matrix>(2, std::vector<std::uint64_t>{1, 2, 3, 4});
  const BlockLengths lengths(Distribution::parse("matrix:a:b.txt"), {.ranks = 2}, matrix);
  EXPECT_EQ(lengths(0, 1), 2U);
  EXPECT_EQ(lengths(1, 0), 3U);
  EXPECT_EQ(matrix->largest(), 4U);
  EXPECT_EQ(Distribution::parse("matrix:a:b.txt").file, "a:b.txt");
}

TEST(Distribution, TheSameToAllIsSaidLast) {
  for (const char* text : {"sparse:3", "few:2", "stencil:7", "open_stencil:27"}) {
    const Distribution plain = Distribution::parse(text);
    const Distribution same = Distribution::parse(std::string(text) + ":same");
    EXPECT_FALSE(plain.is_same);
    EXPECT_TRUE(same.is_same);
    EXPECT_EQ(same.text, std::string(text) + ":same");
    EXPECT_EQ(same.kind, plain.kind);
    EXPECT_EQ(same.whole, plain.whole);
    EXPECT_EQ(same.drawn.value, plain.drawn.value);
    EXPECT_EQ(same.is_periodic, plain.is_periodic);
  }
  EXPECT_EQ(Distribution::parse("market:a:same").file, "a:same");
}

TEST(Distribution, RefusesAndNamesTheText) {
  for (const char* text :
       {"",           "unifrm",         "uniform:3",   "window",     "window:",
        "window:101", "window:-1",      "window:x",    "power",      "power:0",
        "power:1.5",  "power:nan",      "power:-0.5",  "normal:1",   "constant:8",
        "sparse",     "sparse:",        "sparse:-1",   "sparse:1.5", "matrix",
        "matrix:",    "stencil",        "stencil:6",   "stencil:x",  "open_stencil:9",
        "market:",    "power:0.9:same", "sparse:same", "mix",        "mix:",
        "mix:1",      "mix:2=1",        "mix:1=2",     "mix:1=0",    "mix:1=1,0=1",
        "mix:0=1,",   "mix:a=1",        "mix:0.5=nan"})
    EXPECT_TRUE(test::says(test::refusal([&] { Distribution::parse(text); }),
                           "'" + std::string(text) + "'"));
}

TEST(Permutation, IsOneForEverySize) {
  for (std::uint64_t size = 1; size <= 300; ++size) {
    const Permutation permutation(size, 42);
    std::set<std::uint64_t> images;
    for (std::uint64_t index = 0; index < size; ++index) images.insert(permutation(index));
    ASSERT_EQ(images.size(), size);
    ASSERT_EQ(*images.rbegin(), size - 1);
  }
}

TEST(Permutation, FirstPlacesAreEvenOverKeys) {
  // The order of the contenders: each must come first about as often as any other.
  constexpr int kKeys = 11000;
  std::map<std::uint64_t, int> first;
  for (std::uint64_t key = 0; key < kKeys; ++key) ++first[Permutation(11, key)(0)];
  ASSERT_EQ(first.size(), 11U);
  for (const auto& [value, count] : first) EXPECT_NEAR(count, kKeys / 11, 160) << value;
}

}  // namespace
}  // namespace rondo::bench
