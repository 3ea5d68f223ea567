// What the system says of processes.
#include "watch/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

#include "child.hpp"

namespace rondo::watch {
namespace {

using test::Child;
using test::sleep_for_ever;

/// Looks until it is so, since a process takes a while to come there.
bool becomes(pid_t process, Activity expected) {
  for (int looks = 0; looks < 5000; ++looks) {
    if (activity_of(process) == expected) return true;
    usleep(1000);
  }
  return false;
}

TEST(Process, Sleeps) {
  const Child child(sleep_for_ever);
  EXPECT_TRUE(becomes(child.process(), Activity::sleeps));
}

TEST(Process, Runs) {
  const Child child([] {
    while (true) __asm__ volatile("");
  });
  EXPECT_TRUE(becomes(child.process(), Activity::runs));
}

TEST(Process, Stopped) {
  const Child child(sleep_for_ever);
  kill(child.process(), SIGSTOP);
  EXPECT_TRUE(becomes(child.process(), Activity::stopped));
}

TEST(Process, EndedAndNotWaitedFor) {
  const Child child([] {});
  EXPECT_TRUE(becomes(child.process(), Activity::ended));
}

/// Its file in /proc, without a descriptor.
TEST(Process, ThatCannotBeReadHasNotEnded) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers need descriptors themselves";
#endif
  const Child child(sleep_for_ever);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const Activity activity = activity_of(child.process());
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_NE(activity, Activity::ended);
}

TEST(Process, ThatIsNotThere) {
  EXPECT_EQ(activity_of(1'000'000'000), Activity::ended);
}

TEST(Process, ANameMayLookLikeAState) {
  const Child child([] {
    prctl(PR_SET_NAME, "a) Z (b) T");
    sleep_for_ever();
  });
  EXPECT_TRUE(becomes(child.process(), Activity::sleeps));
}

}  // namespace
}  // namespace rondo::watch
