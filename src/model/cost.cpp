// Work, counted from the trace of an algorithm, and its price on a machine.
#include "model/cost.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/count.hpp"
#include "registry/settings.hpp"

namespace rondo::model {

namespace {

using choice::Choice;
using choice::Layout;
using registry::Shape;

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
  const std::int64_t slot_bytes = registry::Settings{}.slot_bytes;
  const double short_bytes = short_limit(choice, layout, slot_bytes);
  if (choice.algorithm->collective == registry::Collective::neighbor_alltoallv)
    return work_on_edges(choice, layout, random_edges(layout, load, short_bytes));
  Load known = load;
  if (choice.algorithm->collective == registry::Collective::alltoall)
    known.distribution = Distribution::constant;
  const SplitLoad parts = split(known, short_bytes);
  const Task task{.choice = choice,
                  .layout = layout,
                  .largest_bytes = parts.largest_bytes,
                  .has_long = parts.long_share > 0,
                  .copies_long = copies_long && has_pipes(layout, slot_bytes)};
  Count count(task, known, parts);
  if (has_partners(choice))
    trace_partners(task, count);
  else
    choice.algorithm->shape == Shape::node ? trace_nodes(task, count) : trace_flat(task, count);
  return count.work();
}

Cost price(const Work& work, const Layout& layout, const Prices& prices) {
  const Host& host = prices.host;
  // A core works for all of its ranks, and a wait ends only after each of them has had the core.
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
        price(work_of_doubling({layout.nodes, layout.per_node}, kAgreementBytes), layout, prices)
            .total();
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
