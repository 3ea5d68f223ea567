// Variables of this rank's environment.
#pragma once

#include <cstdlib>
#include <list>
#include <optional>
#include <sstream>
#include <string>

namespace rondo::testing {

/// The variable is set while this lives, unless `value` is null. Then it is what it was before.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    if (value != nullptr) setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    if (before_)
      setenv(name_.c_str(), before_->c_str(), 1);
    else
      unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// The same for several, as in `RONDO_CHECK=1 RONDO_REQUESTS=2`.
class Environments {
 public:
  explicit Environments(const std::string& assignments) {
    std::istringstream words(assignments);
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      all_.emplace_back(word.substr(0, equals).c_str(), word.substr(equals + 1).c_str());
    }
  }

 private:
  std::list<Environment> all_;
};

}  // namespace rondo::testing
