// What a program has learned while it ran: as decisions of a profile, and as lines of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "select/decisions.hpp"

namespace rondo::select {

/// Another choice has replaced the decision for blocks of `from` to `band.up_to` bytes.
struct LearnedBand {
  std::size_t from = 0;
  Band band;
};

/// Returns the decisions with what was learned in their place; its bands do not overlap. Neighbouring bands with the
/// same choice on `layout` become one, which keeps the reason of the first.
Bands with_learned(Bands decided, std::span<const LearnedBand> learned,
                   const choice::Layout& layout);

/// Exchanges of one name, with blocks of `from` to `up_to` bytes, have begun with one choice and now run another.
struct Move {
  std::string exchange;  ///< as in "alltoallv"
  int ranks = 0;         ///< of the communicator
  std::size_t from = 0;
  std::size_t up_to = kNoEnd;
  std::string before;
  std::string after;
  std::uint64_t calls = 0;  ///< before the last change, on the communicator where it took most
  double saved_nanoseconds =
      0;  ///< estimated against the first choice, summed over ranks and communicators

  bool operator==(const Move&) const = default;
};

/// Moves of many communicators. Those that differ in nothing but calls and savings are one.
class Moves {
 public:
  void add(Move move);

  const std::vector<Move>& all() const { return all_; }

 private:
  std::vector<Move> all_;
};

/// What one rank sends to another.
std::string to_text(const std::vector<Move>& moves);
std::vector<Move> moves_from(const std::string& text);

/// "learned: alltoallv on 8 ranks, blocks of 64 to 127 bytes: from mpi to node_aware after 124 calls, ...". `ranks` are
/// those of the program.
std::string report_line(const Move& move, int ranks);

}  // namespace rondo::select
