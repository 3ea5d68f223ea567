// The bands of lengths in the statistics of `rondo-exec --stats`.
#include "dropin/report/bands.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace rondo::dropin {
namespace {

/// The shortest and the longest block of a band, and how the report writes the band.
struct BandRow {
  std::uint64_t first;
  std::uint64_t last;
  std::string text;
};

const BandRow kBands[] = {
    {0, 0, "0"},
    {1, 16, "<= 16"},
    {17, 64, "<= 64"},
    {65, 256, "<= 256"},
    {257, 1024, "<= 1k"},
    {1025, 4096, "<= 4k"},
    {4097, 16'384, "<= 16k"},
    {16'385, 65'536, "<= 64k"},
    {65'537, 262'144, "<= 256k"},
    {262'145, 1'048'576, "<= 1M"},
    {1'048'577, std::numeric_limits<std::uint64_t>::max(), "> 1M"},
};

TEST(StatisticsBands, BothEndsAreInTheirBand) {
  for (const BandRow& row : kBands) {
    EXPECT_EQ(band_text(band_of(row.first)), row.text) << row.first << " bytes";
    EXPECT_EQ(band_text(band_of(row.last)), row.text) << row.last << " bytes";
  }
}

}  // namespace
}  // namespace rondo::dropin
