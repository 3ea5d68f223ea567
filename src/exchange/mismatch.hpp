// A block that arrived with another length than its receiver expected.
#pragma once

#include <cstddef>
#include <optional>

#include "base/error.hpp"

namespace rondo::exchange {

/// Remembers the first one.
class Mismatch {
 public:
  void compare(int source, std::size_t sent, std::size_t expected) {
    if (sent != expected && !first_) first_ = {source, sent, expected};
  }

  /// The Error(truncate) that names the pair of ranks, if there was one.
  std::optional<Error> error(int receiver) const {
    if (!first_) return std::nullopt;
    return Error(ErrorClass::truncate,
                 text("rank ", first_->source, " sends ", first_->sent, " bytes to rank ", receiver,
                      ", which expects ", first_->expected));
  }

 private:
  struct Lengths {
    int source;
    std::size_t sent;
    std::size_t expected;
  };
  std::optional<Lengths> first_;
};

}  // namespace rondo::exchange
