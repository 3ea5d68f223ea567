#include "support/layout.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::testing {

namespace {

constexpr std::ptrdiff_t kByteStep = 8;  ///< displacements of alltoallw stay aligned

/// What origins must be multiples of.
std::ptrdiff_t step_of(Collective collective, const ElementType& type) {
  return collective == Collective::alltoallw ? kByteStep : std::max<std::ptrdiff_t>(type.extent, 1);
}

std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t step) {
  return (value + step - 1) / step * step;
}

void fix_origins(Layout& layout) {
  for (std::size_t peer = 0; peer < layout.blocks.size(); ++peer) {
    Placed& block = layout.blocks[peer];
    block.origin = static_cast<std::ptrdiff_t>(peer) * block.count * block.type->extent;
  }
}

/// A displacement of a block without elements: anything that fits an int.
std::ptrdiff_t useless_origin(std::ptrdiff_t step, Random& random) {
  const std::ptrdiff_t units[] = {0, -3, 1 << 20};
  return step * units[random.below(3)];
}

void choose_origins(Collective collective, Layout& layout, Random& random) {
  std::vector<std::size_t> order(layout.blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  std::ptrdiff_t cursor = 0;
  for (const std::size_t peer : order) {
    Placed& block = layout.blocks[peer];
    const std::ptrdiff_t step = step_of(collective, *block.type);
    if (block.count == 0) {
      block.origin = useless_origin(step, random);
      continue;
    }
    const auto gap = static_cast<std::ptrdiff_t>(random.below(3)) * step;
    block.origin = round_up(std::max<std::ptrdiff_t>(cursor - block.type->low(), 0), step) + gap;
    cursor = block.origin + std::max<std::ptrdiff_t>(block.type->high(block.count), 0);
  }
}

/// Pass an address in the middle, so that some displacements are negative.
void shift_origins(Collective collective, Layout& layout, Random& random) {
  std::ptrdiff_t step = 1;
  for (const Placed& block : layout.blocks) step = std::lcm(step, step_of(collective, *block.type));
  std::ptrdiff_t farthest = 0;
  for (const Placed& block : layout.blocks)
    if (block.count != 0) farthest = std::max(farthest, block.origin);
  const auto steps = static_cast<std::uint64_t>(farthest / step);
  const auto shift = static_cast<std::ptrdiff_t>(random.below(2) * random.below(steps + 1)) * step;
  for (Placed& block : layout.blocks)
    if (block.count != 0) block.origin -= shift;
}

void measure(Layout& layout) {
  for (const Placed& block : layout.blocks) {
    if (block.count == 0 || block.type->runs.empty()) continue;
    layout.low = std::min(layout.low, block.origin + block.type->low());
    layout.high = std::max(layout.high, block.origin + block.type->high(block.count));
  }
}

}  // namespace

const char* name_of(Collective collective) {
  constexpr const char* kNames[] = {"alltoall", "alltoallv", "alltoallw"};
  return kNames[static_cast<int>(collective)];
}

std::vector<int> Layout::counts() const {
  std::vector<int> counts;
  for (const Placed& block : blocks) counts.push_back(block.count);
  return counts;
}

std::vector<int> Layout::displacements(Collective collective) const {
  std::vector<int> displacements;
  for (const Placed& block : blocks) {
    const std::ptrdiff_t unit =
        collective == Collective::alltoallw ? 1 : std::max<std::ptrdiff_t>(block.type->extent, 1);
    displacements.push_back(static_cast<int>(block.origin / unit));
  }
  return displacements;
}

Layout lay_out(Collective collective, std::vector<Placed> blocks, Random random) {
  Layout layout{.blocks = std::move(blocks)};
  if (collective == Collective::alltoall) {
    fix_origins(layout);
  } else {
    choose_origins(collective, layout, random);
    shift_origins(collective, layout, random);
  }
  measure(layout);
  return layout;
}

}  // namespace rondo::testing
