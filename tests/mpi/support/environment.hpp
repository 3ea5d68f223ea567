// A variable of this rank's environment.
#pragma once

#include <cstdlib>

namespace rondo::testing {

/// Set, unless `value` is null, as long as this lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (value != nullptr) setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace rondo::testing
