#include "node/cores.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "temporary_folder.hpp"

namespace rondo::node {
namespace {

using test::TemporaryFolder;

constexpr int kAnyNumber = std::numeric_limits<int>::max();

struct Group {
  const char* path;
  const char* cpu_max;
};

struct QuotaRow {
  const char* name;
  const char* membership;  ///< null: no such file
  std::vector<Group> groups;
  int expected;
};

const QuotaRow kQuotas[] = {
    {"no files at all", nullptr, {}, kAnyNumber},
    {"no cpu.max", "0::/a\n", {}, kAnyNumber},
    {"max", "0::/a\n", {{"a", "max 100000\n"}}, kAnyNumber},
    {"rounded up", "0::/a\n", {{"a", "150000 100000\n"}}, 2},
    {"whole", "0::/a\n", {{"a", "200000 100000\n"}}, 2},
    {"half a core", "0::/a\n", {{"a", "50000 100000\n"}}, 1},
    {"another period", "0::/a\n", {{"a", "150000 50000\n"}}, 3},
    {"nothing", "0::/a\n", {{"a", "0 100000\n"}}, 1},
    {"the innermost is least",
     "0::/a/b/c\n",
     {{"a", "800000 100000\n"}, {"a/b", "max 100000\n"}, {"a/b/c", "300000 100000\n"}},
     3},
    {"the outermost is least",
     "0::/a/b/c\n",
     {{"a", "200000 100000\n"}, {"a/b", "300000 100000\n"}, {"a/b/c", "max 100000\n"}},
     2},
    {"the middle is least",
     "0::/a/b/c\n",
     {{"a", "900000 100000\n"}, {"a/b", "400000 100000\n"}, {"a/b/c", "500000 100000\n"}},
     4},
    {"one is missing between", "0::/a/b/c\n", {{"a", "600000 100000\n"}}, 6},
    {"the root of a container", "0::/\n", {{"", "700000 100000\n"}}, 7},
    {"the root counts too", "0::/a\n", {{"", "100000 100000\n"}, {"a", "max 100000\n"}}, 1},
    {"not a neighbour's",
     "0::/a\n",
     {{"b", "100000 100000\n"}, {"a/b", "100000 100000\n"}},
     kAnyNumber},
    {"version 1 beside it",
     "12:cpu,cpuacct:/b\n1:name=systemd:/b\n0::/a\n",
     {{"b", "100000 100000\n"}, {"a", "500000 100000\n"}},
     5},
    {"version 1 alone: the root", "12:cpu,cpuacct:/b\n", {{"b", "100000 100000\n"}}, kAnyNumber},
    {"empty", "0::/a\n", {{"a", ""}}, kAnyNumber},
    {"no period", "0::/a\n", {{"a", "100000\n"}}, kAnyNumber},
    {"a period of nothing", "0::/a\n", {{"a", "100000 0\n"}}, kAnyNumber},
    {"words", "0::/a\n", {{"a", "much 100000\n"}}, kAnyNumber},
};

TEST(Cores, QuotaIsTheLeastOfAllGroupsAbove) {
  for (const QuotaRow& row : kQuotas) {
    const TemporaryFolder folder;
    for (const Group& group : row.groups)
      folder.write(std::string("root/") + group.path + "/cpu.max", group.cpu_max);
    const std::string membership = folder / "membership";
    if (row.membership != nullptr) folder.write("membership", row.membership);
    EXPECT_EQ(core_quota(folder / "root", membership), row.expected) << row.name;
  }
}

TEST(Cores, QuotaOfThisProcessIsPositive) {
  EXPECT_GE(core_quota(), 1);
}

/// Affinity is a thread's own, so each row has a thread of its own.
TEST(Cores, UsableCoresAreThoseOfTheAffinity) {
  const CoreSet all = usable_cores();
  ASSERT_GE(all.count(), 1);
  int seen = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    const std::uint64_t bit = std::uint64_t{1} << core % 64;
    if ((all.bits[core / 64] & bit) == 0) continue;
    ++seen;
    std::thread([&] {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(core, &set);
      ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
      const CoreSet one = usable_cores();
      EXPECT_EQ(one.count(), 1);
      EXPECT_EQ(one.bits[core / 64], bit);
    }).join();
  }
  EXPECT_EQ(seen, all.count());
}

TEST(Cores, CountsBits) {
  CoreSet cores;
  EXPECT_EQ(cores.count(), 0);
  cores.bits.front() = 0b1011;
  cores.bits.back() = std::uint64_t{1} << 63U;
  EXPECT_EQ(cores.count(), 4);
}

}  // namespace
}  // namespace rondo::node
