// What --help and --list answer.
#pragma once

#include <string>

namespace rondo::bench {

/// Text to print instead of a run.
struct Answer {
  std::string text;
};

}  // namespace rondo::bench
