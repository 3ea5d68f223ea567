// What `auto` chooses on one communicator, by the length of the blocks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "choice/choice.hpp"

namespace rondo::select {

inline constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();

/// A range of block lengths. It begins where the band before it ends.
struct Band {
  std::size_t up_to = kNoEnd;  ///< in bytes
  choice::OpenChoice choice;
  std::string reason;  ///< in a few words
};

/// In ascending order. The last one has no end.
using Bands = std::vector<Band>;

/// By S: the length of the blocks of alltoall, and of the longest block of alltoallv and alltoallw.
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

/// Whether the algorithm reports the length of the longest block to all ranks. `auto` needs that to notice
/// changes.
bool reports_longest(const choice::OpenChoice& open);

/// The band of that length, or the nearest one if its algorithm does not report. A band below is preferred.
/// If no algorithm reports, it is the band of that length.
const Band& reporting_band_of(const Bands& bands, std::size_t block_bytes);

/// What rank 0 sends to the others. The reasons are left out.
std::string to_text(const Decisions& decisions);
Decisions decisions_from(std::string_view announced);

}  // namespace rondo::select
