#include "relalg/placement.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::relalg {

Placement::Placement(int ranks, bool splits) : ranks_(ranks) {
  if (splits && ranks > 1) pieces_.assign(buckets(), 1);
}

bool Placement::balance(std::span<const Word> tuples, std::size_t few_tuples) {
  if (!splits()) return false;
  const auto ranks = static_cast<std::size_t>(ranks_);
  const Word mean = std::accumulate(tuples.begin(), tuples.end(), Word{0}) / ranks;
  std::vector<Word> loads(ranks, 0);
  const auto share = [&](std::size_t bucket) {
    return tuples[bucket] / static_cast<Word>(pieces_[bucket]);
  };
  const auto load = [&](std::size_t bucket, bool add) {
    for (int piece = 0; piece < pieces_[bucket]; ++piece) {
      Word& of_rank = loads[static_cast<std::size_t>(rank(bucket, piece))];
      of_rank = add ? of_rank + share(bucket) : of_rank - share(bucket);
    }
  };
  for (std::size_t bucket = 0; bucket < tuples.size(); ++bucket) load(bucket, true);

  bool changed = false;
  while (true) {
    const auto fullest = std::max_element(loads.begin(), loads.end());
    if (*fullest < few_tuples || *fullest <= 2 * mean) return changed;
    std::size_t heaviest = tuples.size();
    for (std::size_t bucket = 0; bucket < tuples.size(); ++bucket) {
      if (pieces_[bucket] == ranks_) continue;
      const auto distance = (fullest - loads.begin() - rank(bucket, 0) + ranks_) % ranks_;
      if (distance >= pieces_[bucket]) continue;
      if (heaviest == tuples.size() || share(bucket) > share(heaviest)) heaviest = bucket;
    }
    if (heaviest == tuples.size() || share(heaviest) == 0) return changed;
    load(heaviest, false);
    pieces_[heaviest] = std::min(2 * pieces_[heaviest], ranks_);
    load(heaviest, true);
    changed = true;
  }
}

}  // namespace rondo::relalg
