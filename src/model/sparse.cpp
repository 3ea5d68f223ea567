#include "model/sparse.hpp"

#include <bit>

namespace rondo::model {

namespace {

using registry::Census;

constexpr double kSizeBytes = 8;     ///< of a length, or of a counter
constexpr double kStatusBytes = 16;  ///< of a message of a consensus

Work work_of_census(Census census, const Nodes& nodes, double share) {
  const int ranks = nodes.nodes * nodes.per_node;
  const double rounds = std::bit_width(static_cast<unsigned>(ranks - 1));
  switch (census) {
    case Census::none:
      break;
    case Census::lengths:  // short blocks: as in basic Bruck, half of them in each round
      return work_of_doubling(nodes, kSizeBytes * ranks / 2);
    case Census::reduction:  // half of what is left in each round, all of it together
      return work_of_doubling(nodes, rounds > 0 ? kSizeBytes * ranks / rounds : 0);
    case Census::consensus: {  // when the receivers have answered
      Work work = work_of_doubling(nodes, kStatusBytes);
      work += work_of_straight(ranks, nodes.per_node, share, 0);
      return work;
    }
    case Census::one_sided: {
      Work work = work_of_doubling(nodes, kStatusBytes);
      work += work_of_straight(ranks, nodes.per_node, share, kSizeBytes);
      return work;
    }
  }
  return {};
}

}  // namespace

Work work_of_sparse(const choice::Choice& choice, const Nodes& nodes, const Load& load) {
  const int ranks = nodes.nodes * nodes.per_node;
  const Census census = choice.algorithm->handling.census;
  Work work = work_of_census(census, nodes, load.share);
  if (load.share <= 0) return work;
  if (census == Census::lengths) {  // known by then, so that blocks go to their places
    const SplitLoad all = split(load, load.block_bytes);
    work += work_of_straight(ranks, nodes.per_node, load.share, all.mean_bytes / load.share);
    return work;
  }
  const SplitLoad parts = split(load, static_cast<double>(choice.threshold()));
  const double short_bytes = parts.mean_bytes / load.share;
  work += work_of_straight(ranks, nodes.per_node, load.share, kSizeBytes + short_bytes);
  work.copy(2 * load.share * (ranks - 1), short_bytes);
  work += work_of_straight(ranks, nodes.per_node, parts.long_share, parts.long_mean_bytes);
  return work;
}

}  // namespace rondo::model
