#include "segment/wait.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <vector>

namespace rondo::segment {
namespace {

int progress_calls(int ranks, int cores, int pauses) {
  Waiter waiter(ranks, cores);
  int calls = 0;
  for (int i = 0; i < pauses; ++i) waiter.pause(false, [&] { ++calls; });
  return calls;
}

TEST(Waiter, LooksAtMpiEveryFewYieldsWhereRanksShareCores) {
  for (const int cores : {1, 2, 15}) {
    EXPECT_GE(progress_calls(16, cores, 64), 1) << cores << " cores";
    EXPECT_GE(progress_calls(16, cores, 6400), 100) << cores << " cores";
    EXPECT_LE(progress_calls(16, cores, 6400), 6400 / 2) << cores << " cores: at every look";
  }
}

struct YieldRow {
  const char* name;
  std::vector<int> yields;  ///< what they took, in nanoseconds
  unsigned looks;           ///< before the next one
};

const YieldRow kYields[] = {
    {"at first", {}, 2000},
    {"nobody else runs", {300}, 2000},
    {"another rank runs here", {300, 300, 4000}, 64},
    {"it has left this core", {4000, 4000, 300, 300}, 256},
    {"for long", std::vector<int>(100, 300), 2000},
    {"another program computes here", {4000, 4'000'000}, 256'000},
    {"it has left this core, too", {4'000'000, 4'000'000, 300}, 2000},
    {"another rank comes here", {4'000'000, 4000}, 64},
};

TEST(Patience, LearnsFromWhatYieldsTake) {
  for (const YieldRow& row : kYields) {
    Patience patience;
    for (const int yield : row.yields) patience.learn(std::chrono::nanoseconds(yield));
    EXPECT_EQ(patience.looks(), row.looks) << row.name;
  }
}

TEST(Waiter, LooksAtMpiNowAndThenWithACoreForEveryRank) {
  for (const int cores : {16, 17, 1000}) {
    EXPECT_GE(progress_calls(16, cores, 10'000), 1) << cores << " cores";
    EXPECT_GE(progress_calls(16, cores, 200'000), 20) << cores << " cores";
  }
}

TEST(Waiter, LooksAtMpiAsOftenWhileItDoesNotYield) {
  Patience& patience = Patience::of_process();
  patience.learn(std::chrono::milliseconds(4));
  EXPECT_GE(progress_calls(16, 16, 10'000), 5);
  EXPECT_GT(patience.looks(), 10'000U) << "it has yielded";
  patience.learn({});
}

/// Counts go on from one wait to the next, or many short waits would never look at MPI.
TEST(Waiter, CountsOverManyWaits) {
  Waiter waiter(4, 2);
  int calls = 0;
  for (int wait = 0; wait < 640; ++wait) {
    waiter.pause(false, [&] { ++calls; });
    waiter.pause(false, [&] { ++calls; });
  }
  EXPECT_GE(calls, 20);
}

TEST(Waiter, LooksAtMpiEveryTimeIfThatIsUrgent) {
  for (const int cores : {1, 16}) {
    Waiter waiter(4, cores);
    int calls = 0;
    for (int i = 0; i < 10; ++i) waiter.pause(true, [&] { ++calls; });
    EXPECT_EQ(calls, 10);
  }
}

/// How often this thread has slept. To yield is not to sleep.
long sleeps() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

struct SleepRow {
  const char* name;
  Waiter waiter;
  bool is_one_wait;
  bool sleeps;
};

TEST(Waiter, SleepsInLongWaitsWithoutMpi) {
  const SleepRow rows[] = {
      {"one long wait on a shared core", Waiter::that_sleeps(4, 2), true, true},
      {"one long wait on a core of its own", Waiter::that_sleeps(2, 2), true, true},
      {"many short waits on a shared core", Waiter::that_sleeps(4, 2), false, false},
      {"many short waits on a core of its own", Waiter::that_sleeps(2, 2), false, false},
      {"a long wait for a rank of MPI", Waiter(4, 2), true, false},
  };
  for (SleepRow row : rows) {
    const long before = sleeps();
    int calls = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < end) {
      if (!row.is_one_wait) row.waiter.begin();
      row.waiter.pause(false, [&] { ++calls; });
    }
    EXPECT_EQ(sleeps() > before, row.sleeps) << row.name;
    EXPECT_GE(calls, 3) << row.name;
  }
}

TEST(Waiter, LetsErrorsOut) {
  Waiter waiter(4, 2);
  const auto wait = [&] {
    for (int i = 0; i < 64; ++i) waiter.pause(false, [] { throw 5; });
  };
  EXPECT_THROW(wait(), int);
}

}  // namespace
}  // namespace rondo::segment
