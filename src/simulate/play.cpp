#include "simulate/play.hpp"

#include "base/error.hpp"

namespace rondo::simulate {

void PlayBlocks::copy(double blocks, std::uint64_t draw) {
  auto& clock = run().now();
  for (std::size_t rank = 0; rank < clock.size(); ++rank)
    clock[rank] += run().copy_seconds(blocks, sums_.draw(blocks, sums_.key(draw), rank));
}

void PlayBlocks::send_above(const Sums& sums, const model::Straight& straight) {
  if (sums.moments().above_share == 0) return;
  const int ranks = layout().ranks;
  auto& clock = run().now();
  const auto own = sums.above(ranks);
  for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank)
    clock[static_cast<std::size_t>(rank)] += run().copy_seconds(own(rank) > 0 ? 1 : 0, own(rank));
  const auto rounds = schedule::linear(ranks, ranks);
  const auto bytes_of_round = [&](std::size_t i) {
    const int hop = rounds.rounds()[i].hop;
    return [=, this, inside = straight.reaches_inside, bytes_of = sums.above(hop)](int source) {
      const bool is_left_out = !inside && node_of((source + hop) % ranks) == node_of(source);
      const double bytes = is_left_out ? 0 : bytes_of(source);
      return bytes > 0 ? bytes : -1;
    };
  };
  run().pass(rounds.group(), rounds.rounds(), bytes_of_round, straight.in_flight);
}

void play_lengths(Run& run, const Exchange& exchange, const Machine& machine) {
  Exchange lengths = exchange;
  lengths.choice = choice::resolve(
      choice::parse(registry::Collective::alltoall, machine.mpi_alltoall), exchange.layout);
  lengths.load = {.block_bytes = model::kSizeBytes, .distribution = {}};
  play_rounds(run, lengths);
}

void play(Run& run, const Exchange& exchange, const Machine& machine) {
  if (model::has_partners(exchange.choice)) return play_partners(run, exchange, machine);
  const bool is_node = exchange.choice.algorithm->shape == registry::Shape::node;
  is_node ? play_nodes(run, exchange) : play_rounds(run, exchange);
}

}  // namespace rondo::simulate
