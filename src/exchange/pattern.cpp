#include "exchange/pattern.hpp"

#include <algorithm>
#include <utility>

#include "exchange/node_pattern.hpp"
#include "schedule/straight_order.hpp"

namespace rondo::exchange {

Pattern::Pattern(const Context& context, std::span<const int> to, std::span<const int> from)
    : to_(to.begin(), to.end()), from_(from.begin(), from.end()) {
  const auto& map = context.nodes;
  std::ranges::sort(to_, {}, [&](int rank) {
    return std::pair(schedule::straight_step(map, context.rank, rank), rank);
  });
  std::ranges::sort(from_, {}, [&](int rank) {
    return std::pair(schedule::straight_step(map, rank, context.rank), rank);
  });
}

const NodePattern& Pattern::nodes(Context& context) {
  if (!nodes_) nodes_ = make_node_pattern(context, to_, from_);
  return *nodes_;
}

}  // namespace rondo::exchange
