// A number that nobody can guess.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace rondo {

inline std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error(ErrorClass::no_memory, text("getrandom: ", std::strerror(errno)));
  return number;
}

}  // namespace rondo
