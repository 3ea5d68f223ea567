// Which ranks are simulated, and how their waits end.
#include "simulate/run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/trace.hpp"

namespace rondo::simulate {

namespace {

/// If lengths and waits are the same for all ranks, all nodes do the same.
bool are_nodes_alike(const Exchange& exchange, const Machine& machine) {
  return exchange.load.distribution.kind == Distribution::Kind::constant &&
         machine.waiting.noise_seconds == 0;
}

/// A rank without neighbours on its node, or without other nodes, shares nothing. Then one rank represents
/// all that do the same.
int ranks_to_simulate(const Exchange& exchange, const Machine& machine, int nodes) {
  const choice::Layout& layout = exchange.layout;
  if (nodes != kAllNodes) return nodes * layout.per_node;
  if (exchange.every_rank || do_nodes_differ(exchange, machine)) return layout.ranks;
  const bool shares_nothing = layout.per_node == 1 || layout.per_node == layout.ranks;
  const bool is_node = exchange.choice.algorithm->needs_node();
  return shares_nothing && !is_node ? 1 : layout.per_node;
}

/// How many ranks share a core.
double sharing_of(const Exchange& exchange, const Machine& machine) {
  return std::max(1.0, 1.0 * exchange.layout.per_node / machine.cores);
}

Stage stage_of(const Exchange& exchange, const Machine& machine, int nodes) {
  const int simulated = ranks_to_simulate(exchange, machine, nodes);
  return {.per_node = simulated == 1 ? 1 : exchange.layout.per_node, .simulated = simulated};
}

}  // namespace

bool do_nodes_differ(const Exchange& exchange, const Machine& machine) {
  // Ranks with partners of their own do not do the same on any two nodes.
  return model::has_partners(exchange.choice) || !are_nodes_alike(exchange, machine);
}

Run::Run(const Exchange& exchange, const Machine& machine, int nodes)
    : Network(machine, stage_of(exchange, machine, nodes), sharing_of(exchange, machine)),
      stage_(stage_of(exchange, machine, nodes)),
      ranks_(exchange.layout.ranks),
      per_node_(exchange.layout.per_node),
      copying_(machine.copying),
      waiting_(machine.waiting),
      sharing_(sharing_of(exchange, machine)),
      copied_byte_seconds_(copying_.seconds_per_byte),
      seed_(exchange.seed),
      peers_(stage_, exchange.layout, exchange.seed),
      nodes_are_alike_(are_nodes_alike(exchange, machine)),
      order_(at(stage_.simulated)),
      is_sample_(nodes != kAllNodes) {}

void Run::use_memory_for(double block_bytes) {
  const double used = 2 * ranks_ * block_bytes;
  const bool is_far = copying_.cache_bytes > 0 && used > copying_.cache_bytes;
  const double far_share = is_far ? 1 - copying_.cache_bytes / used : 0;
  copied_byte_seconds_ = copying_.seconds_per_byte + far_share * copying_.far_seconds_per_byte;
}

void Run::order_by_clock() {
  const auto& clock = now();
  const int nodes = stage_.nodes();
  std::vector<int> of_node(at(stage_.per_node));
  for (int node = 0; node < nodes; ++node) {
    std::iota(of_node.begin(), of_node.end(), node * stage_.per_node);
    std::ranges::stable_sort(of_node, {}, [&](int rank) { return clock[at(rank)]; });
    for (int place = 0; place < stage_.per_node; ++place)
      order_[at(nodes_are_alike_ ? place * nodes + node : node * stage_.per_node + place)] =
          of_node[at(place)];
  }
}

void Run::wait() {
  finish();
  settle();
}

void Run::settle() {
  ++waits_;
  const double switching = sharing_ > 1 ? sharing_ * waiting_.switch_seconds : 0;
  const std::uint64_t key = random_bits(~seed_, waits_);
  auto& clock = now();
  for (std::size_t rank = 0; rank < clock.size(); ++rank) {
    clock[rank] += switching;
    if (waiting_.noise_seconds > 0)
      clock[rank] -= waiting_.noise_seconds * std::log(unit(random_bits(key, rank)));
  }
}

void Run::begin_series(const Alike& step) {
  alike_ = step;
  series_ = Series(seed_);
  left_out_ = 0;
}

void Run::begin_stretch() {
  stretch_began_ = mean_clock();
  stretch_visits_ = visits_;
}

void Run::end_stretch() {
  step_seconds_ = (mean_clock() - stretch_began_) / Series::kSettled;
  step_visits_ = (visits_ - stretch_visits_) / Series::kSettled;
}

void Run::leave_out() {
  --left_out_;
  left_out_seconds_ += step_seconds_;
  left_out_visits_ += step_visits_;
}

double Run::mean_clock() const {
  return std::accumulate(now().begin(), now().end(), 0.0) / static_cast<double>(now().size());
}

Outcome Run::outcome() const {
  const double seconds = left_out_seconds_ + *std::ranges::max_element(now());
  return {.seconds = seconds,
          .low_seconds = seconds,
          .high_seconds = seconds,
          .messages = messages(),
          .bytes = bytes(),
          .ranks = stage_.simulated};
}

}  // namespace rondo::simulate
