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
    {1, 15, "< 16"},
    {16, 63, "< 64"},
    {64, 255, "< 256"},
    {256, 1023, "< 1k"},
    {1024, 4095, "< 4k"},
    {4096, 16'383, "< 16k"},
    {16'384, 65'535, "< 64k"},
    {65'536, 262'143, "< 256k"},
    {262'144, 1'048'575, "< 1M"},
    {1'048'576, std::numeric_limits<std::uint64_t>::max(), ">= 1M"},
};

TEST(StatisticsBands, BothEndsAreInTheirBand) {
  for (const BandRow& row : kBands) {
    EXPECT_EQ(band_text(band_of(row.first)), row.text) << row.first << " bytes";
    EXPECT_EQ(band_text(band_of(row.last)), row.text) << row.last << " bytes";
  }
}

}  // namespace
}  // namespace rondo::dropin
