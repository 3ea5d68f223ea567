// Statistics worked by hand, and the properties of the bootstrap interval.
#include "support/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace rondo::support {
namespace {

TEST(Statistics, PercentileInterpolates) {
  const std::vector<double> sorted{10, 20, 30, 40, 50};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.5), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.95), 48);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 50);
  EXPECT_DOUBLE_EQ(percentile(std::vector<double>{7}, 0.95), 7);
}

TEST(Statistics, OfAnOddNumber) {
  const Summary summary = summarize({9, 1, 100, 3, 4}, 1);
  EXPECT_DOUBLE_EQ(summary.median, 4);
  EXPECT_DOUBLE_EQ(summary.mad, 3);  // of 3 1 0 5 96
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summary.p95, 9 + 0.8 * 91);
}

TEST(Statistics, OfAnEvenNumber) {
  const Summary summary = summarize({4, 1, 2, 9}, 1);
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.mad, 1.5);  // of 1 2 1 6
}

TEST(Statistics, OneSampleIsItsOwnInterval) {
  const Summary summary = summarize({5}, 1);
  EXPECT_DOUBLE_EQ(summary.median, 5);
  EXPECT_DOUBLE_EQ(summary.mad, 0);
  EXPECT_DOUBLE_EQ(summary.low, 5);
  EXPECT_DOUBLE_EQ(summary.high, 5);
}

TEST(Statistics, IntervalHoldsTheMedianAndNarrowsWithSamples) {
  const auto width = [](std::size_t count) {
    std::vector<double> samples(count);
    std::iota(samples.begin(), samples.end(), 0.0);
    for (double& sample : samples) sample /= static_cast<double>(count);
    const Summary summary = summarize(samples, 3);
    EXPECT_LT(summary.low, summary.median);
    EXPECT_GT(summary.high, summary.median);
    return summary.high - summary.low;
  };
  EXPECT_NEAR(width(100), 4 * 0.05, 0.05);  // the median's deviation is 1 / (2 sqrt n)
  EXPECT_LT(width(1000), width(100) / 2);
}

TEST(Statistics, SameSeedSameInterval) {
  const std::vector<double> samples{1, 5, 2, 8, 3, 9, 4, 7, 2, 6};
  EXPECT_DOUBLE_EQ(summarize(samples, 1).low, summarize(samples, 1).low);
  EXPECT_DOUBLE_EQ(summarize(samples, 1).high, summarize(samples, 1).high);
}

TEST(Statistics, RatioIsThatOfTheMedians) {
  // The median of the ratios, 4, is another number.
  const std::vector<double> above{4, 8, 6};
  const std::vector<double> below{1, 2, 3};
  const Ratio ratio = ratio_of_medians(above, below, 7);
  EXPECT_DOUBLE_EQ(ratio.value, 3);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 4);
}

TEST(Statistics, RatioOfSamplesThatGoTogetherIsSharp) {
  std::vector<double> above;
  std::vector<double> below;
  for (int i = 1; i <= 20; ++i) {
    below.push_back(i);
    above.push_back(3 * i);
  }
  const Ratio ratio = ratio_of_medians(above, below, 7);
  EXPECT_DOUBLE_EQ(ratio.low, 3);
  EXPECT_DOUBLE_EQ(ratio.high, 3);
}

}  // namespace
}  // namespace rondo::support
