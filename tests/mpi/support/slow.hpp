// Functions of MPI that are slow by the clock alone. Programs link clock.cpp and intercept.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "support/clock.hpp"
#include "support/intercept.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// By every rank's clock, each call of these functions takes a tenth of a second, while this lives.
class Slow : NonCopyable {
 public:
  explicit Slow(std::vector<intercept::Function> functions) {
    intercept::watch([functions = std::move(functions)](intercept::Function called,
                                                        intercept::Given,
                                                        const std::function<int()>& call) {
      const int code = call();
      if (std::ranges::find(functions, called) != functions.end()) clock::advance(kDelay);
      return code;
    });
  }
  ~Slow() { intercept::watch({}); }

 private:
  /// More than the time slices that a busy machine adds to a call.
  static constexpr std::chrono::milliseconds kDelay{100};
};

struct SlowLibrary : Slow {
  SlowLibrary() : Slow({intercept::Function::Alltoall, intercept::Function::Alltoallv}) {}
};

}  // namespace rondo::testing
