// The sizes that options and settings accept and refuse.
#include <gtest/gtest.h>

#include <limits>

#include "base/text.hpp"
#include "refusal.hpp"

namespace rondo {
namespace {

using Sizes = std::vector<std::size_t>;

constexpr std::size_t kMost = 2147483647;

struct SizeList {
  const char* text;
  Sizes sizes;
};

const SizeList kSizeLists[] = {
    {"16", {16}},
    {"16,64,256", {16, 64, 256}},
    {"16:128", {16, 32, 64, 128}},
    {"16:100", {16, 32, 64}},
    {"7:7", {7}},
    {"0,1", {0, 1}},
    {"1k,2m", {1024, 2 * 1024 * 1024}},
    {"512:2k", {512, 1024, 2048}},
    {"3,1:4,0", {3, 1, 2, 4, 0}},
    {"2147483647", {2147483647}},
    {"1024m:2147483647", {1073741824}},
    {"1g", {1073741824}},
    {"1K,1M,1G", {1024, 1048576, 1073741824}},
    {"1kb,1Kb,1KB,1kib,1KiB,1KIB", {1024, 1024, 1024, 1024, 1024, 1024}},
    {"1mb,1MiB,1gb,1GiB", {1048576, 1048576, 1073741824, 1073741824}},
    {"16b,64B", {16, 64}},
    {"512B:2KiB", {512, 1024, 2048}},
};

TEST(SizeText, Accepts) {
  for (const SizeList& row : kSizeLists)
    EXPECT_EQ(parse_sizes("--bytes", row.text, kMost), row.sizes) << row.text;
}

void expect_refused(const char* text) {
  const auto parse = [&] { parse_sizes("--bytes", text, kMost); };
  EXPECT_TRUE(test::says(test::refusal(parse), "--bytes: '")) << text;
}

TEST(SizeText, RefusesAndNamesTheEntry) {
  for (const char* text : {"",    ",",     "16,", "x",  "-1", "16q", "1kk", "0:8", "64:16", "16:",
                           ":16", "1:2:4", "1.5", " 1", "2g", "1ib", "1i",  "1bk", "1kbb",  "k"})
    expect_refused(text);
  for (const char* text : {"2048m", "2147483648", "18014398509481984g", "99999999999999999999"})
    expect_refused(text);
}

TEST(SizeText, Durations) {
  const std::pair<const char*, std::int64_t> rows[] = {{"60", 60'000},  {"2s", 2'000},
                                                       {"2S", 2'000},   {"500ms", 500},
                                                       {"3m", 180'000}, {"1h", 3'600'000}};
  for (const auto& [text, expected] : rows)
    EXPECT_EQ(read_duration(text), std::chrono::milliseconds(expected)) << text;
}

TEST(SizeText, WhatIsTooLargeForTheTypeIsItsLargestValue) {
  for (const char* text : {"99999999999999999999", "18014398509481984g"})
    EXPECT_EQ(read_size(text), std::numeric_limits<std::size_t>::max()) << text;
  EXPECT_EQ(read_size("-99999999999999999999"), std::nullopt);
  EXPECT_EQ(read_size("-1"), std::nullopt);
}

}  // namespace
}  // namespace rondo
