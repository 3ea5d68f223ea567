// The MPI handles that the library has made, or got from MPI, and not freed. Handles of the test itself do
// not count, as only the library's calls are intercepted. A program that links this links intercept.cpp.
#pragma once

#include <map>
#include <string>

#include "support/intercept.hpp"
#include "support/runner.hpp"

namespace rondo::testing::handles {

/// They are counted while this lives. Watches the intercepted functions.
struct Watched : NonCopyable {
  Watched();
  ~Watched();
};

/// How many handles are alive, by the function that made them. Completed requests are not alive.
using Alive = std::map<intercept::Function, int>;
Alive alive();

/// As "2 more of MPI_Type_commit, 1 fewer of MPI_Isend"; empty if both are the same.
std::string difference(const Alive& before, const Alive& after);

}  // namespace rondo::testing::handles
