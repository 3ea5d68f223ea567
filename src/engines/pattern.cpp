#include "engines/pattern.hpp"

#include <algorithm>
#include <utility>

#include "schedule/node_map.hpp"

namespace rondo::engines {

namespace {

std::vector<int> ranks_of(const std::vector<Partner>& partners) {
  std::vector<int> ranks;
  for (const Partner& partner : partners) ranks.push_back(partner.rank);
  return ranks;
}

}  // namespace

Pattern::Pattern(const Context& context, std::vector<Partner> to, std::vector<Partner> from)
    : to_(ranks_of(to)),
      from_(ranks_of(from)),
      partners_to_(std::move(to)),
      partners_from_(std::move(from)) {
  const auto& map = context.nodes;
  std::ranges::sort(to_, {}, [&](int rank) {
    return std::pair(schedule::straight_step(map, context.rank, rank), rank);
  });
  std::ranges::sort(from_, {}, [&](int rank) {
    return std::pair(schedule::straight_step(map, rank, context.rank), rank);
  });
}

const NodePattern& Pattern::nodes(Context& context) {
  if (!nodes_) nodes_ = make_node_pattern(context, partners_to_, partners_from_);
  return *nodes_;
}

}  // namespace rondo::engines
