// Mismatches: blocks that arrive with another length than their receiver expects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace rondo::engines {

/// A block with another length than its receiver expects.
struct Lengths {
  int source;
  std::size_t sent;
  std::size_t expected;

  /// Returns the Error(truncate) of this block. It names the pair of ranks.
  Error error(int receiver) const {
    return Error(ErrorClass::truncate, text("rank ", source, " sends ", sent, " bytes to rank ",
                                            receiver, ", which expects ", expected));
  }
};

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
  std::byte* place_for(std::size_t sent, const Block& place) {
    return sent == place.bytes ? place.data : unexpected_.emplace_back(sent).data();
  }

  /// Returns the first mismatch, or null.
  const Lengths* first() const { return seen_.empty() ? nullptr : &seen_.front(); }

  /// Returns the error of the first mismatch, if any.
  std::optional<Error> error(int receiver) const {
    return seen_.empty() ? std::nullopt : std::optional(seen_.front().error(receiver));
  }

 private:
  std::vector<Lengths> seen_;
  std::vector<std::vector<std::byte>> unexpected_;
};

}  // namespace rondo::engines
