// What `auto` stands for on one communicator, by the length of its blocks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "choice/choice.hpp"

namespace rondo::select {

inline constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();

/// Blocks of up to this many bytes, from where the band before ends.
struct Band {
  std::size_t up_to = kNoEnd;
  choice::Request request;
  std::string reason;  ///< why, in a few words
};

/// Ascending; the last one has no end.
using Bands = std::vector<Band>;

/// By S: the length of alltoall's blocks, of the longest block of alltoallv and alltoallw.
struct Decisions {
  Bands alltoall;
  Bands alltoallv;

  const Bands& of(registry::Collective collective) const {
    return collective == registry::Collective::alltoall ? alltoall : alltoallv;
  }
  Bands& of(registry::Collective collective) {
    return collective == registry::Collective::alltoall ? alltoall : alltoallv;
  }
};

const Band& band_of(const Bands& bands, std::size_t block_bytes);

/// Whether its exchanges report the length of the longest block to all ranks. `auto` needs that to
/// follow changes.
bool reports_longest(const choice::Request& request);

/// The band of that length, or, where its algorithm reports nothing, the nearest one whose algorithm
/// does: below if there is one, else above. Its own if no algorithm does.
const Band& reporting_band_of(const Bands& bands, std::size_t block_bytes);

/// Without the reasons: what rank 0 sends to the others.
std::string to_text(const Decisions& decisions);
Decisions decisions_from(std::string_view text);

}  // namespace rondo::select
