// Machines on which only one thing has a price, so that costs show what is counted.
#pragma once

#include "model/contest.hpp"

namespace rondo::model {

inline constexpr auto kAlltoall = registry::Collective::alltoall;
inline constexpr auto kAlltoallv = registry::Collective::alltoallv;

/// The same alpha and beta inside a node and between nodes; everything else is free.
inline Prices messages_only(double alpha, double beta) {
  const LinkPrice link{.wait_seconds = 0, .message_seconds = alpha, .seconds_per_byte = beta};
  Prices prices{.inside = link, .between = link, .host = {}};
  prices.host.cores = 1 << 20;
  return prices;
}

inline choice::Choice chosen(registry::Collective collective, std::string_view text,
                             const choice::Layout& layout) {
  return choice::resolve(choice::parse(collective, text), layout);
}

/// Every row of a collective at its defaults.
inline std::vector<choice::Choice> all_choices(registry::Collective collective,
                                               const choice::Layout& layout) {
  std::vector<choice::Choice> choices;
  for (const registry::Algorithm& algorithm : registry::algorithms())
    if (algorithm.collective == collective)
      choices.push_back(choice::resolve({.algorithm = &algorithm}, layout));
  return choices;
}

/// Where the fastest of several choices changes.
inline std::vector<Change> crossovers(std::span<const choice::Choice> choices,
                                      const Contest& contest, const Range& range) {
  return changes(range, [&](std::int64_t block_bytes) {
    return ranking(choices, contest, block_bytes).front().choice;
  });
}

/// All ranks on one node, and each rank on a node of its own.
inline choice::Layout one_node(int ranks) {
  return {.ranks = ranks, .nodes = 1, .per_node = ranks};
}
inline choice::Layout own_nodes(int ranks) {
  return {.ranks = ranks, .nodes = ranks, .per_node = 1};
}

}  // namespace rondo::model
