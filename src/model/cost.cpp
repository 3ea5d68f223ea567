#include "model/cost.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/edges.hpp"
#include "model/rounds.hpp"
#include "model/sparse.hpp"
#include "registry/settings.hpp"

namespace rondo::model {

namespace {

using choice::Choice;
using choice::Layout;
using registry::Shape;

constexpr double kAgreementBytes = 8;

/// The equal nodes of flat schedules.
Nodes equal_nodes(const Layout& layout) {
  return {.nodes = layout.nodes, .per_node = layout.per_node};
}

/// Nodes as they are, all of the mean size where sizes differ.
schedule::NodeMap real_nodes(const Layout& layout) {
  std::vector<int> node_of_rank;
  for (std::int64_t rank = 0; rank < layout.ranks; ++rank)
    node_of_rank.push_back(static_cast<int>(rank * layout.real_nodes() / layout.ranks));
  return schedule::NodeMap(node_of_rank);
}

int ranks_of_largest_node(const Layout& layout) {
  return (layout.ranks + layout.real_nodes() - 1) / layout.real_nodes();
}

/// The library's own is not known; its best for long blocks is.
schedule::Schedule flat_schedule(const Choice& choice, const Layout& layout) {
  if (choice.algorithm->shape == Shape::library)
    return schedule::linear(layout.ranks, layout.ranks);
  return choice::schedule_of(choice, layout);
}

Work work_of_flat(const Choice& choice, const Layout& layout, const Load& load) {
  const registry::Handling& handling = choice.algorithm->handling;
  const SplitLoad parts = split(load, static_cast<double>(choice.threshold()));
  Work work =
      work_of_straight(layout.ranks, layout.per_node, parts.long_share, parts.long_mean_bytes);
  work.agreements = handling.agrees ? 1 : 0;
  const auto padding_bytes = static_cast<double>(registry::Settings{}.padding_bytes);
  if (handling.agrees && layout.ranks * parts.largest_bytes > padding_bytes) {
    work += work_of_straight(layout.ranks, layout.per_node, 1, parts.mean_bytes);
    return work;
  }
  // A rank's block to itself is copied in any case.
  work.copy(std::max(handling.whole_copies * layout.ranks, 1), parts.mean_bytes);
  work += work_of_rounds(flat_schedule(choice, layout), equal_nodes(layout),
                         {.handling = handling,
                          .block_bytes = handling.pads ? parts.largest_bytes : parts.mean_bytes,
                          .ports = choice.value(registry::Key::ports, layout.ranks)});
  return work;
}

/// Bytes of a slot for each block, at the default length of slots: engines/node/node.hpp.
double slot_share(const Layout& layout) {
  return static_cast<double>(registry::Settings{}.slot_bytes) / layout.ranks;
}

/// The longest block that goes through the memory of the node as a whole.
double shared_limit(const Choice& choice, const Layout& layout) {
  const auto longest = static_cast<double>(registry::kLongestSharedBlock);
  return std::min({static_cast<double>(choice.threshold()), slot_share(layout), longest});
}

bool has_windows(const Layout& layout) {
  return slot_share(layout) >= static_cast<double>(registry::kShortestWindow);
}

/// Long blocks between neighbours are copied in and out instead of being sent, and the ranks of the
/// node wait for each other once more: for what they have found when they compared lengths.
void copy_inside(Work& work, int ranks_of_node, double mean_bytes) {
  if (work.inside.messages == 0) return;
  work.copy(2 * work.inside.messages, mean_bytes);
  work.inside = {};
  work.arrivals += 1;
  work.cells += ranks_of_node - 1;
}

Work work_of_nodes(const Choice& choice, const Layout& layout, const Load& load, bool copies_long) {
  const SplitLoad parts = split(load, shared_limit(choice, layout));
  const int largest = ranks_of_largest_node(layout);
  Work work = work_in_node(largest, parts.mean_bytes);
  if (layout.real_nodes() > 1)
    work += work_between_nodes(choice::node_schedule_of(choice, real_nodes(layout)),
                               choice.algorithm->handling, parts.mean_bytes);
  Work of_long = work_of_straight(layout.ranks, largest, parts.long_share, parts.long_mean_bytes);
  if (copies_long && has_windows(layout)) copy_inside(of_long, largest, parts.long_mean_bytes);
  work += of_long;
  return work;
}

/// An alltoall of the lengths of all blocks, by the fastest algorithm that `auto` considers.
Work work_of_lengths(const Layout& layout, const Prices& prices) {
  const Load lengths{.block_bytes = sizeof(std::uint64_t)};
  std::optional<Prediction> fastest;
  for (const registry::Algorithm& row : registry::algorithms()) {
    const bool is_considered = row.collective == registry::Collective::alltoall &&
                               row.chooser == registry::Chooser::automatic;
    if (!is_considered || (row.shape == Shape::node && layout.real_nodes() == layout.ranks))
      continue;
    const Prediction one =
        predict(choice::resolve({.algorithm = &row}, layout), layout, lengths, prices);
    if (!fastest || one.cost.total() < fastest->cost.total()) fastest = one;
  }
  return fastest->work;
}

double latency(const Traffic& traffic, const LinkPrice& price) {
  return traffic.waits * price.wait_seconds + traffic.messages * price.message_seconds;
}

}  // namespace

SplitLoad split(const Load& load, double threshold_bytes) {
  const double largest = load.block_bytes;
  const bool is_constant = load.distribution == Distribution::constant;
  if (largest <= threshold_bytes)
    return {.largest_bytes = largest,
            .mean_bytes = load.share * (is_constant ? largest : largest / 2),
            .long_share = 0,
            .long_mean_bytes = 0};
  if (is_constant)
    return {
        .largest_bytes = 0, .mean_bytes = 0, .long_share = load.share, .long_mean_bytes = largest};
  const double short_share = threshold_bytes / largest;
  return {.largest_bytes = threshold_bytes,
          .mean_bytes = load.share * short_share * threshold_bytes / 2,
          .long_share = load.share * (1 - short_share),
          .long_mean_bytes = (threshold_bytes + largest) / 2};
}

Work work_of(const Choice& choice, const Layout& layout, const Load& load, bool copies_long) {
  Load known = load;
  if (choice.algorithm->collective == registry::Collective::alltoall)
    known.distribution = Distribution::constant;
  if (choice.algorithm->collective == registry::Collective::neighbor_alltoallv)
    return work_on_edges(choice, layout, random_edges(layout, load, choice.threshold()));
  if (choice.algorithm->handling.census != registry::Census::none)
    return work_of_sparse(choice, equal_nodes(layout), load);
  return choice.algorithm->shape == Shape::node ? work_of_nodes(choice, layout, known, copies_long)
                                                : work_of_flat(choice, layout, known);
}

Cost price(const Work& work, const Layout& layout, const Prices& prices) {
  const Host& host = prices.host;
  // What a core does, it does for every rank that it has; and all of them must have had their turn
  // before a wait of any of them can end.
  const double sharing = std::max(1.0, 1.0 * ranks_of_largest_node(layout) / host.cores);
  Cost cost;
  cost.latency =
      sharing * latency(work.inside, prices.inside) + latency(work.between, prices.between);
  cost.bandwidth = sharing * work.inside.bytes * prices.inside.seconds_per_byte +
                   std::max(work.between.bytes * prices.between.seconds_per_byte,
                            work.node_bytes * host.adapter_seconds_per_byte);
  cost.copies = sharing * (work.copied_bytes * host.copy_seconds_per_byte +
                           work.copied_blocks * host.copy_seconds_per_block +
                           work.typed_blocks * host.typed_seconds_per_block);
  cost.arrivals = sharing * work.cells * host.arrival_seconds;
  if (sharing > 1) cost.switches = sharing * work.waits() * host.switch_seconds;
  if (work.agreements > 0)
    cost.agreement =
        work.agreements *
        price(work_of_doubling(equal_nodes(layout), kAgreementBytes), layout, prices).total();
  return cost;
}

Prediction predict(const Choice& choice, const Layout& layout, const Load& load,
                   const Prices& prices) {
  Work work = work_of(choice, layout, load, prices.host.copies_long);
  if (load.is_dynamic && !registry::carries_lengths(*choice.algorithm))
    work += work_of_lengths(layout, prices);
  return {.choice = choice, .work = work, .cost = price(work, layout, prices)};
}

}  // namespace rondo::model
