// Derived tuples on their way to the ranks on which they are stored.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "relalg/exchange.hpp"
#include "relalg/table.hpp"

namespace rondo::relalg {

/// One parcel for each relation. A tuple for this rank goes into its table at once, after those of
/// the last round. A tuple that is derived twice in a round is usually sent once.
class Outbox {
 public:
  Outbox(std::deque<Table>& tables, int rank, int ranks);

  void add(int relation, const Word* tuple);

  /// Moves all tuples for this rank into its tables.
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
  std::vector<std::vector<std::uint32_t>> recent_;  ///< of each relation: index into its parcel
};

}  // namespace rondo::relalg
