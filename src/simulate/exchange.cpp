// What is played of an exchange: every rank, one node that represents all, or a sample.
#include "simulate/exchange.hpp"

#include <algorithm>
#include <utility>

#include "simulate/play.hpp"
#include "simulate/sample.hpp"

namespace rondo::simulate {

namespace {

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
  if (asked.most_visits && !(*asked.most_visits > 0))
    throw Error(ErrorClass::argument,
                text("most_visits is ", *asked.most_visits, ", must be above 0"));
  Exchange exchange = asked;
  exchange.choice = known_choice(asked, machine);
  if (exchange.choice.algorithm->collective == registry::Collective::alltoall)
    exchange.load.distribution = {};
  return exchange;
}

void play(Run& run, const Exchange& exchange, const Machine& machine) {
  if (exchange.is_dynamic && !registry::carries_lengths(*exchange.choice.algorithm))
    play_lengths(run, exchange, machine);
  Play(run, exchange, machine).play();
}

/// Partners are in ascending order, so many ranks may send to the same ones first, and wait for each other.
/// On few nodes fewer would. That does not matter after an alltoall with far more messages.
bool can_be_sampled(const Exchange& exchange, const Machine& machine) {
  constexpr double kFarMore = 64;
  constexpr int kFewestNodes = 4;
  if (exchange.every_rank || exchange.layout.nodes <= kFewestNodes) return false;
  if (!model::has_partners(exchange.choice)) return do_nodes_differ(exchange, machine);
  const Distribution& distribution = exchange.load.distribution;
  return exchange.choice.algorithm->handling.discovery == registry::Discovery::lengths &&
         distribution.kind == Distribution::Kind::sparse &&
         kFarMore * distribution.value <= exchange.layout.ranks;
}

/// Draws on some of the nodes.
class Sample {
 public:
  Sample(const Exchange& exchange, const Machine& machine, const Watch& watch)
      : exchange_(exchange), machine_(machine), watch_(watch) {}

  /// Returns the visits: those that are played, and all.
  std::pair<double, double> draw(int nodes) {
    Exchange drawn = exchange_;
    drawn.seed = random_bits(mix(exchange_.seed), static_cast<std::uint64_t>(++seeds_));
    Run run(drawn, machine_, nodes);
    if (watch_)
      run.report_to([this](std::int64_t messages) { watch_(total_.messages + messages); });
    play(run, drawn, machine_);
    const Outcome made = run.outcome();
    total_.messages += made.messages;
    total_.bytes += made.bytes;
    total_.ranks = made.ranks;
    draws_.push_back({nodes, made.seconds});
    const auto visits = static_cast<double>(run.visits());
    return {visits, visits + static_cast<double>(run.left_out_visits())};
  }

  Outcome outcome() const {
    const Interval time = extrapolated(draws_, exchange_.layout.nodes);
    Outcome found = total_;
    found.seconds = time.seconds;
    found.low_seconds = time.low_seconds;
    found.high_seconds = time.high_seconds;
    return found;
  }

  void forget() { draws_.clear(); }

 private:
  const Exchange& exchange_;
  const Machine& machine_;
  const Watch& watch_;
  int seeds_ = 0;
  std::vector<Draw> draws_;
  Outcome total_;
};

/// Nothing if to play every rank is not too much.
std::optional<Outcome> sampled(const Exchange& exchange, const Machine& machine,
                               const Watch& watch) {
  if (!can_be_sampled(exchange, machine)) return std::nullopt;
  const int nodes = exchange.layout.nodes;
  Sample sample(exchange, machine, watch);
  const double most = exchange.most_visits.value_or(
      std::max(kMostVisits, kMostVisitsOfRank * exchange.layout.ranks));
  const auto [played, all] = sample.draw(1);
  if (nodes * all <= most) return std::nullopt;
  sample.forget();  // a node that is its own peer does less than one of two
  for (const int number : nodes_of_draws(nodes, most / played)) sample.draw(number);
  return sample.outcome();
}

}  // namespace

Outcome simulate(const Exchange& asked, const Machine& machine, const Watch& watch) {
  const Exchange exchange = known_exchange(asked, machine);
  if (const auto found = sampled(exchange, machine, watch)) return *found;
  Run run(exchange, machine);
  if (watch) run.report_to(watch);
  play(run, exchange, machine);
  return run.outcome();
}

}  // namespace rondo::simulate
