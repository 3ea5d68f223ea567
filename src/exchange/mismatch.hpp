// Mismatches: blocks that arrive with another length than their receiver expects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace rondo::exchange {

/// The mismatches that one rank sees in one exchange. Allocates nothing as long as there are none.
class Mismatch {
 public:
  void compare(int source, std::size_t sent, std::size_t expected) {
    if (sent != expected) seen_.push_back({source, sent, expected});
  }

  /// Returns the length of the block from `source`: the expected one, unless another was seen.
  std::size_t sent_by(int source, std::size_t expected) const {
    const auto seen = std::ranges::find(seen_, source, &Lengths::source);
    return seen == seen_.end() ? expected : seen->sent;
  }

  /// Returns where to receive `sent` bytes: `place` if it has that length, else memory that nobody
  /// reads. The whole message is received in either case, so that its sender goes on.
  std::byte* room_for(std::size_t sent, const Block& place) {
    return sent == place.bytes ? place.data : unexpected_.emplace_back(sent).data();
  }

  /// Returns the Error(truncate) of the first mismatch, if any. It names the pair of ranks.
  std::optional<Error> error(int receiver) const {
    if (seen_.empty()) return std::nullopt;
    const Lengths& first = seen_.front();
    return Error(ErrorClass::truncate,
                 text("rank ", first.source, " sends ", first.sent, " bytes to rank ", receiver,
                      ", which expects ", first.expected));
  }

 private:
  struct Lengths {
    int source;
    std::size_t sent;
    std::size_t expected;
  };
  std::vector<Lengths> seen_;
  std::vector<std::vector<std::byte>> unexpected_;
};

}  // namespace rondo::exchange
