// The random tests: their seed, and how to repeat one of them.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <iostream>
#include <random>

#include "seed_of_run.hpp"

namespace rondo::test {

/// The seed of this run, printed in the command that repeats the current test.
inline std::uint64_t seed() {
  const std::uint64_t value = seed_of_run();
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  std::cout << "repeat: RONDO_TEST_SEED=" << value << ' ' << program_invocation_name
            << " --gtest_filter=" << test.test_suite_name() << '.' << test.name() << '\n';
  return value;
}

/// Even over low..high, both included.
inline int random_in(std::mt19937_64& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

}  // namespace rondo::test
