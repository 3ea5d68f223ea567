// Which ranks are simulated, and how their waits end.
#include "simulate/run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulate/play.hpp"

namespace rondo::simulate {

namespace {

/// If lengths and waits are the same for all ranks, all nodes do the same.
bool are_nodes_alike(const Exchange& exchange, const Machine& machine) {
  return exchange.load.distribution.kind == Distribution::Kind::constant &&
         machine.waiting.noise_seconds == 0;
}

/// A rank without neighbours on its node, or without other nodes, shares nothing. Then one rank represents
/// all that do the same.
int ranks_to_simulate(const Exchange& exchange, const Machine& machine) {
  const choice::Layout& layout = exchange.layout;
  // Ranks with partners of their own do not do the same on any two nodes.
  if (model::has_partners(exchange.choice)) return layout.ranks;
  if (!are_nodes_alike(exchange, machine) || exchange.every_rank) return layout.ranks;
  const bool shares_nothing = layout.per_node == 1 || layout.per_node == layout.ranks;
  const bool is_node = exchange.choice.algorithm->needs_node();
  return shares_nothing && !is_node ? 1 : layout.per_node;
}

/// How many ranks share a core.
double sharing_of(const Exchange& exchange, const Machine& machine) {
  return std::max(1.0, 1.0 * exchange.layout.per_node / machine.cores);
}

/// Replaces the MPI library's own call by the algorithm that the machine names for it.
choice::Choice known_choice(const Exchange& exchange, const Machine& machine) {
  const registry::Algorithm& row = *exchange.choice.algorithm;
  if (!row.is_library() || row.handling.discovery != registry::Discovery::none)
    return exchange.choice;
  if (row.collective == registry::Collective::neighbor_alltoallv)
    return choice::resolve(choice::parse(row.collective, "spread_out"), exchange.layout);
  const bool is_uniform = row.collective == registry::Collective::alltoall;
  const std::string& known = is_uniform ? machine.mpi_alltoall : machine.mpi_alltoallv;
  return choice::resolve(choice::parse(row.collective, known), exchange.layout);
}

/// The exchange that is played, with the algorithm that stands for the MPI library's own call.
Exchange known_exchange(const Exchange& asked, const Machine& machine) {
  require_valid(machine);
  const choice::Layout& layout = asked.layout;
  if (layout.uneven_nodes != 0 || layout.nodes * layout.per_node != layout.ranks)
    throw Error(ErrorClass::argument, text("nodes of ", layout.per_node, " ranks do not hold ",
                                           layout.ranks, ": all nodes must have as many"));
  Exchange exchange = asked;
  exchange.choice = known_choice(asked, machine);
  if (exchange.choice.algorithm->collective == registry::Collective::alltoall)
    exchange.load.distribution = {};
  return exchange;
}

Stage stage_of(const Exchange& exchange, const Machine& machine) {
  const int simulated = ranks_to_simulate(exchange, machine);
  return {.per_node = simulated == 1 ? 1 : exchange.layout.per_node, .simulated = simulated};
}

}  // namespace

Run::Run(const Exchange& exchange, const Machine& machine)
    : Network(machine, stage_of(exchange, machine), sharing_of(exchange, machine)),
      stage_(stage_of(exchange, machine)),
      ranks_(exchange.layout.ranks),
      per_node_(exchange.layout.per_node),
      copying_(machine.copying),
      waiting_(machine.waiting),
      sharing_(sharing_of(exchange, machine)),
      copied_byte_seconds_(copying_.seconds_per_byte),
      seed_(exchange.seed),
      folded_(stage_.simulated < ranks_ ? per_node_ : 0),
      nodes_are_alike_(are_nodes_alike(exchange, machine)),
      order_(at(stage_.simulated)) {
  for (int position = 0; position < ranks_; ++position) node_of_.push_back(position / per_node_);
}

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

Outcome Run::outcome() const {
  const auto& clock = now();
  return {.seconds = *std::ranges::max_element(clock),
          .messages = messages(),
          .bytes = bytes(),
          .ranks = stage_.simulated};
}

Outcome simulate(const Exchange& asked, const Machine& machine, const Watch& watch) {
  const Exchange exchange = known_exchange(asked, machine);
  Run run(exchange, machine);
  if (watch) run.report_to(watch);
  if (exchange.is_dynamic && !registry::carries_lengths(*exchange.choice.algorithm))
    play_lengths(run, exchange, machine);
  Play(run, exchange, machine).play();
  return run.outcome();
}

}  // namespace rondo::simulate
