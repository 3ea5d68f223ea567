// What a comparison is judged by: the times of blocks of calls, as one rank of the program saw them.
// No MPI.
#pragma once

#include <cstdint>
#include <vector>

#include "buffers/form.hpp"

namespace rondo::interpose::ab {

/// One block of calls.
struct Block {
  std::int64_t end;  ///< how many calls the rank of the timeline had made by then, in all series
  float
      elapsed;  ///< seconds since the end of the series' previous block, on the rank that took longest
  float inside;   ///< the calls, waiting included, on the rank that spent most in them
  float outside;  ///< the rest of the elapsed time, on the rank that spent most there
};

/// The calls of one collective on one communicator.
struct SeriesTimes {
  buffers::Form form;
  std::uint64_t order;        ///< of the turns; see order_of
  std::int64_t calls;         ///< that took turns
  std::int64_t begin;         ///< of the first block, as Block::end
  std::vector<Block> blocks;  ///< the first ones, without gaps
};

/// One rank's timeline.
struct RunTimes {
  int rank;
  double wall_seconds;      ///< since the process began; not finite where the system does not tell
  double exchange_seconds;  ///< all exchanges, waiting included
  double set_up_seconds;    ///< what Rondo's set-up cost
  bool shares_cores;        ///< whether its node has more ranks than cores
  std::vector<SeriesTimes> series;
};

}  // namespace rondo::interpose::ab
