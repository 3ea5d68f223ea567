// The seed of the random tests: RONDO_TEST_SEED replays a run.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace rondo::test {

/// From the environment variable RONDO_TEST_SEED, else new; printed either way.
inline std::uint64_t seed() {
  const char* given = std::getenv("RONDO_TEST_SEED");
  const std::uint64_t value = given != nullptr ? std::stoull(given) : std::random_device{}();
  std::cout << "RONDO_TEST_SEED=" << value << '\n';
  return value;
}

/// Even over low..high, both included.
inline int random_in(std::mt19937_64& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

}  // namespace rondo::test
