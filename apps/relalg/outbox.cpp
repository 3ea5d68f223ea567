#include "relalg/outbox.hpp"

#include <algorithm>

#include "relalg/hash.hpp"

namespace rondo::relalg {

namespace {

/// This many tuples for this rank are inserted into its table together.
constexpr std::size_t kTogether = 64;

/// The number of cache entries, each of which remembers a tuple in the parcel.
constexpr std::size_t kRemembered = 1 << 14;

}  // namespace

Outbox::Outbox(std::deque<Table>& tables, int rank, int ranks)
    : tables_(tables), rank_(rank), ranks_(ranks), own_(tables.size()), recent_(tables.size()) {
  for (const Table& table : tables) parcels_.push_back({.arity = table.tuples.arity()});
}

void Outbox::add(int relation, const Word* tuple) {
  const auto number = static_cast<std::size_t>(relation);
  const Table& table = tables_[number];
  if (table.placement == nullptr) {
    for (int rank = 0; rank < ranks_; ++rank) send(number, tuple, rank);
    return;
  }
  const Placement& placement = *table.placement;
  const std::size_t bucket =
      placement.bucket(hash_columns(HashFor::buckets, tuple, table.placed_by));
  if (table.spread) {
    send(number, tuple, table.rank_of_spread(tuple, bucket));
    return;
  }
  for (int piece = 0; piece < placement.pieces(bucket); ++piece)
    send(number, tuple, placement.rank(bucket, piece));
}

void Outbox::flush() {
  for (std::size_t relation = 0; relation < own_.size(); ++relation) {
    tables_[relation].tuples.insert(own_[relation]);
    own_[relation].clear();
  }
}

void Outbox::send(std::size_t relation, const Word* tuple, int destination) {
  Parcel& parcel = parcels_[relation];
  if (destination != rank_) {
    if (!seen(relation, tuple, destination)) parcel.add(tuple, destination);
    return;
  }
  std::vector<Word>& own = own_[relation];
  own.insert(own.end(), tuple, tuple + parcel.arity);
  if (own.size() == kTogether * parcel.arity) {
    tables_[relation].tuples.insert(own);
    own.clear();
  }
}

/// An entry may name a tuple of an earlier round, or another tuple, so it counts only if the tuple
/// at that position is the same.
bool Outbox::seen(std::size_t relation, const Word* tuple, int destination) {
  const Parcel& parcel = parcels_[relation];
  std::vector<std::uint32_t>& recent = recent_[relation];
  if (recent.empty()) recent.assign(kRemembered, 0);
  const Word hash = hash_words(HashFor::slots, tuple, parcel.arity);
  std::uint32_t& place = recent[(hash + static_cast<Word>(destination)) % kRemembered];
  const std::uint32_t next = static_cast<std::uint32_t>(parcel.destinations.size());
  if (place < next && parcel.destinations[place] == static_cast<std::uint32_t>(destination) &&
      std::equal(tuple, tuple + parcel.arity, &parcel.words[place * parcel.arity]))
    return true;
  place = next;
  return false;
}

}  // namespace rondo::relalg
