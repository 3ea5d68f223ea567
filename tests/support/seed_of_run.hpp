// The seed of random tests.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace rondo::test {

/// RONDO_TEST_SEED, which repeats a run, else another one each time. Who draws from it prints it.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("RONDO_TEST_SEED");
  return given != nullptr ? std::stoull(given) : std::random_device{}();
}

}  // namespace rondo::test
