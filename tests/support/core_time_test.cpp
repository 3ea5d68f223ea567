// What others have taken of the cores.
#include "support/core_time.hpp"

#include <gtest/gtest.h>

namespace rondo::support {
namespace {

TEST(CoreTime, IsInTicksOfProcStat) {
  const auto found = core_time_in("cpu  100 20 30 4000 50 6 7 80 0 0\ncpu0 1 1 1 1\n", 100);
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->busy, 1.5);
  EXPECT_DOUBLE_EQ(found->stolen, 0.8);
}

TEST(CoreTime, IsUnknownWhereNothingIsCounted) {
  for (const char* text :
       {"", "cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  1 2 3\n", "intr 1 2 3 4 5 6 7 8\n"})
    EXPECT_FALSE(core_time_in(text, 100).has_value()) << text;
}

struct Row {
  const char* what;
  Watched watched;
  double taken;
};

const Row kRows[] = {
    {"ranks that spin, alone", {1, {2, 0}, 2, 2, 2}, 0},
    {"ranks that sleep", {1, {0.02, 0}, 0.02, 2, 2}, 0},
    {"a program on one of two cores", {1, {2, 0}, 1.5, 2, 2}, 0.25},
    {"beside ranks that share the cores", {2, {4, 0}, 2, 8, 2}, 0.5},
    {"on cores that ranks leave free", {1, {6, 0}, 4, 4, 8}, 0},
    {"on more than these", {1, {8, 0}, 3, 4, 8}, 0.25},
    {"the hypervisor", {1, {1.2, 0.8}, 1.2, 2, 2}, 0.4},
    {"the hypervisor, which takes as much of the cores that ranks leave free",
     {1, {5, 1.6}, 4, 4, 8},
     0.2},
    {"ticks are coarser than what the ranks count", {1, {1.9, 0}, 2, 2, 2}, 0},
    {"no time", {0, {1, 0}, 0, 2, 2}, 0},
};

TEST(CoreTime, TheShareThatOthersTook) {
  for (const Row& row : kRows) EXPECT_NEAR(share_taken(row.watched), row.taken, 1e-9) << row.what;
}

}  // namespace
}  // namespace rondo::support
