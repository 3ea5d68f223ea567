#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "segment/topology.hpp"
#include "temporary_folder.hpp"

namespace rondo::segment {
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

struct ShareRow {
  int ranks;
  int launched;
  int cores;
  int expected;
};

TEST(Cores, AreSharedByAllThatWereLaunched) {
  const ShareRow rows[] = {
      {2, 0, 2, 2},  // not told
      {2, 2, 2, 2}, {2, 8, 8, 8}, {2, 8, 64, 64}, {8, 8, 2, 2},
      {2, 8, 2, 0}, {2, 8, 7, 1}, {4, 16, 8, 2},  {16, 16, 15, 15},
  };
  for (const auto& [ranks, launched, cores, expected] : rows) {
    EXPECT_EQ(share_of_cores(ranks, launched, cores), expected)
        << ranks << " of " << launched << " ranks, " << cores << " cores";
    const bool has_enough = share_of_cores(ranks, launched, cores) >= ranks;
    EXPECT_EQ(has_enough, std::max(ranks, launched) <= cores);
  }
}

using Variables = std::vector<std::pair<const char*, const char*>>;

/// Variables of the launcher, without those of the launcher that may have started this test.
class Launcher {
 public:
  explicit Launcher(const Variables& variables) {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before_.emplace_back(value != nullptr ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~Launcher() {
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (before_[i])
        setenv(kNames[i], before_[i]->c_str(), 1);
      else
        unsetenv(kNames[i]);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

 private:
  static constexpr std::array kNames = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_TASKS_PER_NODE"};
  std::vector<std::optional<std::string>> before_;
};

struct LaunchRow {
  Variables variables;
  int expected;
};

TEST(Cores, LauncherTellsHowManyRanksItStartedHere) {
  const LaunchRow rows[] = {
      {{}, 0},
      {{{"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}, 8},
      {{{"MPI_LOCALNRANKS", "16"}}, 16},
      {{{"SLURM_STEP_TASKS_PER_NODE", "4"}}, 4},
      {{{"SLURM_STEP_TASKS_PER_NODE", "4(x12)"}}, 4},
      {{{"SLURM_STEP_TASKS_PER_NODE", "4(x12),3"}}, 0},
      {{{"SLURM_STEP_TASKS_PER_NODE", "4,3"}}, 0},
      {{{"SLURM_STEP_TASKS_PER_NODE", "1"}, {"MPI_LOCALNRANKS", "6"}}, 6},
      {{{"MPI_LOCALNRANKS", ""}}, 0},
      {{{"MPI_LOCALNRANKS", "-3"}}, 0},
      {{{"MPI_LOCALNRANKS", "many"}}, 0},
      {{{"MPI_LOCALNRANKS", "99999999999"}}, 0},
  };
  for (const LaunchRow& row : rows) {
    const Launcher launcher(row.variables);
    EXPECT_EQ(launched_ranks(), row.expected)
        << (row.variables.empty() ? "nothing" : row.variables.front().second);
  }
}

TEST(Cores, ShareOfThisMachine) {
  const auto share_of_two = [](const char* launched) {
    const Launcher launcher(Variables{{"MPI_LOCALNRANKS", launched}});
    return share_of_machine(2);
  };
  EXPECT_GE(share_of_two("1"), 1);
  EXPECT_LT(share_of_two("1000000"), 2);
}

TEST(Cores, CountsBits) {
  CoreSet cores;
  EXPECT_EQ(cores.count(), 0);
  cores.bits.front() = 0b1011;
  cores.bits.back() = std::uint64_t{1} << 63U;
  EXPECT_EQ(cores.count(), 4);
}

}  // namespace
}  // namespace rondo::segment
