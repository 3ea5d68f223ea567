// Functions on a stack of their own.
#include "base/fiber.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cfenv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rondo {
namespace {

TEST(Fiber, RunsUntilItWaitsAndGoesOnWhereItWas) {
  std::vector<int> seen;
  Fiber fiber([&] {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(i);
      Fiber::yield();
    }
  });
  EXPECT_TRUE(seen.empty());
  for (std::size_t resumed = 1; resumed <= 3; ++resumed) {
    fiber.resume();
    EXPECT_EQ(seen.size(), resumed);
    EXPECT_FALSE(fiber.is_over());
  }
  fiber.resume();
  EXPECT_TRUE(fiber.is_over());
  fiber.resume();
  EXPECT_EQ(seen.size(), 3U);
}

TEST(Fiber, SaysWhetherSomethingHasHappened) {
  bool is_there = false;
  Fiber fiber([&] {
    Fiber::wait_until([&] { return is_there; });
    Fiber::yield();
  });
  EXPECT_TRUE(fiber.resume());   // it has begun
  EXPECT_FALSE(fiber.resume());  // it still waits
  is_there = true;
  EXPECT_TRUE(fiber.resume());
  EXPECT_TRUE(fiber.resume());  // it has ended
  EXPECT_FALSE(fiber.resume());
}

TEST(Fiber, KnowsWhetherItRuns) {
  bool was_running = false;
  Fiber fiber([&] { was_running = Fiber::is_running(); });
  EXPECT_FALSE(Fiber::is_running());
  fiber.resume();
  EXPECT_TRUE(was_running);
  EXPECT_FALSE(Fiber::is_running());
}

TEST(Fiber, GivesTheThreadBackAtItsFirstWaitUnseen) {
  int looks = 0;
  Fiber fiber([&] {
    for (int i = 0; i < 2; ++i) Fiber::wait_until([&] { return ++looks != 0; });
  });
  fiber.resume();
  EXPECT_EQ(looks, 0);
  fiber.resume();
  EXPECT_EQ(looks, 2);
  EXPECT_TRUE(fiber.is_over());
}

TEST(Fiber, GoesOnOnlyWhenWhatItWaitsForIsThere) {
  int looks = 0;
  bool is_there = false;
  Fiber fiber([&] {
    Fiber::wait_until([&] {
      ++looks;
      return is_there;
    });
  });
  fiber.resume();
  fiber.resume();
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(fiber.is_over());
  is_there = true;
  fiber.resume();
  EXPECT_EQ(looks, 2);
  EXPECT_TRUE(fiber.is_over());
}

TEST(Fiber, KeepsWhatItsBodyThrows) {
  Fiber fiber([] {
    const std::string long_enough_for_the_heap(100, 'x');
    Fiber::yield();
    throw std::runtime_error(long_enough_for_the_heap);
  });
  fiber.resume();
  EXPECT_EQ(fiber.error(), nullptr);
  fiber.resume();
  EXPECT_TRUE(fiber.is_over());
  try {
    std::rethrow_exception(fiber.error());
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), std::string(100, 'x'));
  }
}

TEST(Fiber, CatchesInItsBody) {
  int caught = 0;
  Fiber fiber([&] {
    for (int i = 0; i < 3; ++i) {
      try {
        Fiber::yield();
        throw i;
      } catch (int number) {
        caught += number;
      }
      Fiber::yield();
    }
  });
  while (!fiber.is_over()) fiber.resume();
  EXPECT_EQ(caught, 3);
}

TEST(Fiber, GoesOnInAnotherThread) {
  // The compiler takes the thread's own number for constant, so the kernel is asked.
  pid_t first = 0;
  pid_t second = 0;
  Fiber fiber([&] {
    first = gettid();
    Fiber::yield();
    EXPECT_TRUE(Fiber::is_running());
    second = gettid();
  });
  fiber.resume();
  std::thread([&] { fiber.resume(); }).join();
  EXPECT_TRUE(fiber.is_over());
  EXPECT_EQ(first, gettid());
  EXPECT_NE(second, first);
}

TEST(Fiber, HasItsOwnWayOfRounding) {
  int in_body = FE_TONEAREST;
  Fiber fiber([&] {
    std::fesetround(FE_UPWARD);
    Fiber::yield();
    in_body = std::fegetround();
  });
  fiber.resume();
  const int in_thread = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  fiber.resume();
  const int afterwards = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(in_thread, FE_TONEAREST);
  EXPECT_EQ(in_body, FE_UPWARD);
  EXPECT_EQ(afterwards, FE_DOWNWARD);
}

TEST(Fiber, BeginsWithTheThreadsWayOfRounding) {
  int in_body = FE_TONEAREST;
  std::fesetround(FE_DOWNWARD);
  Fiber fiber([&] { in_body = std::fegetround(); });
  fiber.resume();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(in_body, FE_DOWNWARD);
}

/// Fills a good part of the stack, with floating-point numbers in registers across waits.
double deep(int depth) {
  volatile double numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = depth * 1.5 + i;
  Fiber::yield();
  const double below = depth == 0 ? 0 : deep(depth - 1);
  return below + numbers[depth % 64];
}

TEST(Fiber, ManyAtATimeOnStacksThatAreReused) {
  const auto expected = [](int depth) {
    double sum = 0;
    for (int i = 0; i <= depth; ++i) sum += i * 1.5 + i % 64;
    return sum;
  };
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<double> sums(100);
    for (int i = 0; i < 100; ++i)
      fibers.push_back(std::make_unique<Fiber>(
          [i, &sum = sums[static_cast<std::size_t>(i)]] { sum = deep(i); }));
    for (bool is_over = false; !is_over;) {
      is_over = true;
      for (const auto& fiber : fibers) {
        fiber->resume();
        is_over = is_over && fiber->is_over();
      }
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], expected(i));
  }
}

/// The address of something on the stack that is running.
std::uintptr_t place_on_stack() {
  volatile char here = 0;
  return reinterpret_cast<std::uintptr_t>(&here);
}

TEST(Fiber, LooksAtWhatItWaitsForOnTheStackOfTheThread) {
  std::uintptr_t body = 0;
  std::vector<std::uintptr_t> looks;
  Fiber fiber([&] {
    body = place_on_stack();
    for (int i = 0; i < 3; ++i)
      Fiber::wait_until([&] {
        looks.push_back(place_on_stack());
        return true;
      });
  });
  while (!fiber.is_over()) fiber.resume();
  const auto distance = [](std::uintptr_t a, std::uintptr_t b) { return a < b ? b - a : a - b; };
  ASSERT_EQ(looks.size(), 3U);
  for (const std::uintptr_t look : looks) {
    EXPECT_LT(distance(look, place_on_stack()), std::uintptr_t{64} << 10);
    EXPECT_GT(distance(look, body), std::uintptr_t{256} << 10);
  }
}

TEST(Fiber, KeepsWhatItsBodyHoldsSinceItMustNotBeFreedOnItsStack) {
  const auto held = std::make_shared<int>(1);
  std::optional<Fiber> fiber;
  fiber.emplace([held] {});
  fiber->resume();
  EXPECT_TRUE(fiber->is_over());
  EXPECT_EQ(held.use_count(), 2);
  fiber.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(FiberDeathTest, NoFrameReachesAcrossTheGuard) {
  const auto overflow = [] {
    Fiber fiber([] {
      volatile char large[7 << 20];
      large[0] = 1;
      if (large[0] != 1) std::abort();
    });
    fiber.resume();
  };
  EXPECT_DEATH(overflow(), "");
}

}  // namespace
}  // namespace rondo
