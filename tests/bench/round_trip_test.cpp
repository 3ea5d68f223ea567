// How far apart two cores are.
#include "round_trip.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace rondo::bench {
namespace {

TEST(RoundTrip, IsMeasuredBetweenTwoCoresThoughTheProcessIsBoundToOne) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two cores";
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int core = 0; CPU_COUNT(&first) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  const auto time = round_trip_nanoseconds();
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&first, &after));
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  ASSERT_TRUE(time.has_value());
  EXPECT_GT(*time, 5);
}

TEST(RoundTrip, SaysWhenTheCoresMoved) {
  EXPECT_FALSE((RoundTrips{.before = 57, .after = 61}).differ());
  EXPECT_TRUE((RoundTrips{.before = 57, .after = 330}).differ());
  EXPECT_TRUE((RoundTrips{.before = 330, .after = 57}).differ());
  EXPECT_FALSE((RoundTrips{.before = 57, .after = {}}).differ());
}

}  // namespace
}  // namespace rondo::bench
