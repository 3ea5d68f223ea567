// Statistics worked by hand, and the properties of the bootstrap interval.
#include "support/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

TEST(Bootstrap, DrawsEveryPlaceAndTheSameOnesForASeed) {
  Drawer draw(5);
  Drawer same(5);
  Drawer other(6);
  std::vector<int> counts(7);
  int differences = 0;
  for (int i = 0; i < 7000; ++i) {
    const std::size_t place = draw(counts.size());
    EXPECT_EQ(same(counts.size()), place);
    if (other(counts.size()) != place) ++differences;
    ++counts.at(place);
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);  // five deviations
  EXPECT_NEAR(differences, 6000, 150);
}

TEST(Bootstrap, IntervalOfAMeanIsAsWideAsTheoryHasIt) {
  std::vector<double> samples(400);
  Drawer noise(3);
  for (double& sample : samples) sample = static_cast<double>(noise(1000)) / 1000;
  const auto mean_of = [&](auto&& place) {
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) sum += samples[place(i)];
    return sum / static_cast<double>(samples.size());
  };
  const Interval interval = bootstrap(
      1, [&](Drawer& draw) { return mean_of([&](std::size_t) { return draw(samples.size()); }); });
  const double mean = mean_of([](std::size_t i) { return i; });
  EXPECT_LT(interval.low, mean);
  EXPECT_GT(interval.high, mean);
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 / std::sqrt(12.0 * 400), 0.008);
}

}  // namespace
}  // namespace rondo::support
