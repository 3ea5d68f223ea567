// An MPI library that is slow by the clock alone. Programs link clock.cpp and intercept.cpp.
#pragma once

#include <chrono>
#include <functional>

#include "support/clock.hpp"
#include "support/intercept.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// By every rank's clock, each call of the MPI library takes a millisecond, while this lives.
class SlowLibrary : NonCopyable {
 public:
  SlowLibrary() {
    using intercept::Function;
    intercept::watch([](Function called, intercept::Given, const std::function<int()>& call) {
      const int code = call();
      if (called == Function::Alltoall || called == Function::Alltoallv)
        clock::advance(std::chrono::milliseconds(1));
      return code;
    });
  }
  ~SlowLibrary() { intercept::watch({}); }
};

}  // namespace rondo::testing
