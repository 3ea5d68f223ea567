// Tuples that rules derive, on the way to the ranks where they lie.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "relalg/exchange.hpp"
#include "relalg/table.hpp"

namespace rondo::relalg {

/// One parcel for each relation. A tuple that is for this rank goes into its table at once (behind the
/// last round's); the same tuple twice in a round is mostly sent once.
class Outbox {
 public:
  Outbox(std::deque<Table>& tables, int rank, int ranks);

  void add(int relation, const Word* tuple);

  /// Nothing that was added is on the way to a table of this rank any more.
  void flush();

  std::span<Parcel> parcels() { return parcels_; }

 private:
  void send(std::size_t relation, const Word* tuple, int destination);
  bool seen(std::size_t relation, const Word* tuple, int destination);

  std::deque<Table>& tables_;
  int rank_;
  int ranks_;
  std::vector<Parcel> parcels_;
  std::vector<std::vector<Word>> own_;              ///< of each relation, for this rank
  std::vector<std::vector<std::uint32_t>> recent_;  ///< of each relation: where in its parcel
};

}  // namespace rondo::relalg
