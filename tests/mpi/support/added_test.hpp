// The tests of the program mpi_tests, one a file. A file adds its own.
#pragma once

#include <utility>
#include <vector>

#include "support/runner.hpp"

namespace rondo::testing {

inline std::vector<Test>& added_tests() {
  static std::vector<Test> tests;
  return tests;
}

/// Adds a test before main begins.
struct AddedTest {
  explicit AddedTest(Test test) { added_tests().push_back(std::move(test)); }
};

}  // namespace rondo::testing
