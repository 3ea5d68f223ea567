// How much of an exchange hides.
#include "overlap.hpp"

#include <gtest/gtest.h>

namespace rondo::bench {
namespace {

OverlapSamples constant(double pure, double compute, double total) {
  return {.pure = {pure}, .start = {pure / 4}, .compute = {compute}, .total = {total}};
}

struct Row {
  const char* what;
  OverlapSamples samples;
  double visible;
  double percent;
  double imb_percent;
};

TEST(Overlap, FollowsTheDefinitionsOfOsuAndImb) {
  const Row rows[] = {
      {"all hidden", constant(10, 10, 10), 0, 100, 100},
      {"nothing hidden", constant(10, 10, 20), 10, 0, 0},
      {"a quarter visible", constant(8, 8, 10), 2, 75, 75},
      {"worse than one after the other", constant(10, 10, 30), 20, 0, 0},
      {"shorter with computing than without", constant(10, 10, 9), -1, 110, 100},
      {"half the computing", constant(10, 5, 10), 5, 50, 100},
      {"twice the computing", constant(10, 20, 22), 2, 80, 80},
      {"no time at all", constant(0, 0, 0), 0, 0, 0},
  };
  for (const Row& row : rows) {
    const Overlap overlap = overlap_of(row.samples, 3);
    EXPECT_DOUBLE_EQ(overlap.visible, row.visible) << row.what;
    EXPECT_DOUBLE_EQ(overlap.percent, row.percent) << row.what;
    EXPECT_DOUBLE_EQ(overlap.imb_percent, row.imb_percent) << row.what;
    EXPECT_EQ(overlap.tests, 3);
  }
}

TEST(Overlap, ComparesTotalAndComputingOfOneIteration) {
  // A disturbance doubles the second iteration.
  const OverlapSamples samples{
      .pure = {10, 20, 10}, .start = {1, 2, 1}, .compute = {10, 20, 10}, .total = {12, 24, 12}};
  const Overlap overlap = overlap_of(samples, 0);
  EXPECT_DOUBLE_EQ(overlap.visible, 2);
  EXPECT_DOUBLE_EQ(overlap.start, 1);
  EXPECT_DOUBLE_EQ(overlap.compute, 10);
  EXPECT_DOUBLE_EQ(overlap.total, 12);
  EXPECT_DOUBLE_EQ(overlap.percent, 80);
}

}  // namespace
}  // namespace rondo::bench
