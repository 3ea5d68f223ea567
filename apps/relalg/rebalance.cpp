#include "relalg/rebalance.hpp"

#include <span>
#include <utility>
#include <vector>

namespace rondo::relalg {

namespace {

std::size_t bucket_of(const Placement& placement, const Table& table, const Word* tuple) {
  return placement.bucket(hash_columns(HashFor::buckets, tuple, table.placed_by));
}

/// The number of tuples of spread relations in each bucket, over all ranks.
std::vector<Word> weigh(const Placement& placement, const std::deque<Table>& tables,
                        const support::Communicator& comm) {
  std::vector<Word> weights(placement.buckets(), 0);
  for (const Table& table : tables) {
    if (table.placement != &placement || !table.spread) continue;
    for (std::size_t i = 0; i < table.tuples.size(); ++i)
      ++weights[bucket_of(placement, table, table.tuples[i])];
  }
  support::all_reduce(comm, weights, MPI_SUM);
  return weights;
}

/// Moves one table from the former placement to the present one.
class Removal {
 public:
  Removal(Table& table, int rank)
      : table_(table), rank_(rank), stay_(static_cast<int>(table.tuples.arity())) {}

  /// Puts the old tuples into one parcel, and those of the last round into the other.
  void leave(const Placement& former, std::span<Parcel, 2> parcels) {
    for (std::size_t i = 0; i < table_.old_end; ++i)
      if (stays(table_.tuples[i], former, parcels[0])) stay_.insert(tuple(i));
    for (std::size_t i = table_.old_end; i < table_.delta_end; ++i)
      if (stays(table_.tuples[i], former, parcels[1])) {
        const std::span<const Word> words = tuple(i);
        stay_last_.insert(stay_last_.end(), words.begin(), words.end());
      }
    table_.tuples = TupleSet(static_cast<int>(table_.tuples.arity()));
  }

  void arrive(const Exchange& exchange, std::size_t parcel, int ranks) {
    for (int source = 0; source < ranks; ++source) stay_.insert(exchange.received(parcel, source));
    table_.old_end = stay_.size();
    stay_.insert(stay_last_);
    for (int source = 0; source < ranks; ++source)
      stay_.insert(exchange.received(parcel + 1, source));
    table_.delta_end = stay_.size();
    table_.tuples = std::move(stay_);
    for (Index& index : table_.indices) index = Index(index.columns());
  }

 private:
  std::span<const Word> tuple(std::size_t position) const {
    return {table_.tuples[position], table_.tuples.arity()};
  }

  /// Whether the tuple stays on this rank; otherwise it is in the parcel. The tuples of a relation
  /// that is not spread all stay, and the first rank sends a copy to ranks that get a new piece.
  bool stays(const Word* tuple, const Placement& former, Parcel& parcel) const {
    const Placement& now = *table_.placement;
    const std::size_t bucket = bucket_of(now, table_, tuple);
    if (table_.spread) {
      const int rank = table_.rank_of_spread(tuple, bucket);
      if (rank != rank_) parcel.add(tuple, rank);
      return rank == rank_;
    }
    if (now.rank(bucket, 0) == rank_)
      for (int piece = former.pieces(bucket); piece < now.pieces(bucket); ++piece)
        parcel.add(tuple, now.rank(bucket, piece));
    return true;
  }

  Table& table_;
  int rank_;
  TupleSet stay_;
  std::vector<Word> stay_last_;
};

/// Moves the tuples of a placement's tables after the placement has changed.
void move(Placement& placement, const Placement& former, std::deque<Table>& tables,
          const support::Communicator& comm, std::vector<Removal>& removals,
          std::vector<Parcel>& parcels) {
  for (Table& table : tables) {
    if (table.placement != &placement) continue;
    removals.emplace_back(table, comm.rank());
    const std::size_t first = parcels.size();
    parcels.resize(first + 2, {.arity = table.tuples.arity()});
    removals.back().leave(former, std::span<Parcel>(parcels).subspan(first).first<2>());
  }
}

}  // namespace

bool rebalance(std::deque<Placement>& placements, std::deque<Table>& tables, std::size_t few_tuples,
               const support::Communicator& comm, Exchange& exchange) {
  std::vector<Removal> removals;
  std::vector<Parcel> parcels;
  for (Placement& placement : placements) {
    if (!placement.splits()) continue;
    const Placement former = placement;
    if (placement.balance(weigh(placement, tables, comm), few_tuples))
      move(placement, former, tables, comm, removals, parcels);
  }
  if (removals.empty()) return false;
  exchange.run(parcels, {});
  for (std::size_t i = 0; i < removals.size(); ++i)
    removals[i].arrive(exchange, 2 * i, comm.ranks());
  return true;
}

}  // namespace rondo::relalg
