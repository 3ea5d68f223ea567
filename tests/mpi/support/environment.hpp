// A variable of this rank's environment.
#pragma once

#include <cstdlib>

#include "support/runner.hpp"

namespace rondo::testing {

/// The variable is set while this lives, unless `value` is null.
class Environment : NonCopyable {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (value != nullptr) setenv(name, value, 1);
  }
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace rondo::testing
