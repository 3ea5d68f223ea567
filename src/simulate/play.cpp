// Which steps an exchange plays, and the steps that are not messages to single ranks.
#include "simulate/play.hpp"

#include <algorithm>
#include <limits>

namespace rondo::simulate {

namespace {

bool is_dense(const Lengths& lengths) {
  const Moments moments = lengths.moments(std::numeric_limits<double>::infinity());
  return moments.deviation <= moments.mean;
}

}  // namespace

Play::Play(Run& run, const Exchange& exchange, const Machine& machine)
    : run_(run),
      exchange_(exchange),
      machine_(machine),
      layout_(exchange.layout),
      handling_(exchange.choice.algorithm->handling),
      lengths_(exchange.load.distribution, exchange.load.block_bytes, layout_.ranks),
      short_limit_(model::short_limit(exchange.choice, layout_, exchange.slot_bytes)),
      sums_(lengths_, short_limit_, exchange.seed),
      is_dense_(is_dense(lengths_)) {
  const Moments& moments = sums_.moments();
  if (!model::has_partners(exchange.choice))
    run.use_memory_for(handling_.pads ? moments.largest : moments.mean);
}

model::Task Play::task() const {
  return {.choice = exchange_.choice,
          .layout = layout_,
          .largest_bytes = sums_.moments().largest,
          .has_long = sums_.moments().above_share > 0,
          .copies_long = model::has_pipes(layout_, exchange_.slot_bytes)};
}

void Play::play() {
  if (model::has_partners(exchange_.choice)) draw_partners();
  model::trace(task(), *this);
}

void play_lengths(Run& run, const Exchange& exchange, const Machine& machine) {
  Exchange lengths = exchange;
  lengths.choice = choice::resolve(
      choice::parse(registry::Collective::alltoall, machine.mpi_alltoall), exchange.layout);
  lengths.load = {.block_bytes = model::kSizeBytes, .distribution = {}};
  lengths.is_dynamic = false;
  Play play(run, lengths, machine);
  trace_flat(play.task(), play);
}

void Play::double_distances(double bytes) {
  const auto rounds = schedule::two_layer(layout_.nodes, layout_.per_node, 2, 2);
  rounds.for_each_batch(1, [&](std::span<const schedule::Round> round) {
    run_.pass(
        rounds.group(), round, [bytes](std::size_t) { return [bytes](int) { return bytes; }; },
        true);
  });
}

/// All ranks of a node wait for the last of them.
void Play::arrive(double cells) {
  const int size = layout_.per_node;
  auto& clock = run_.now();
  for (auto node = clock.begin(); node != clock.end(); node += size)
    std::fill_n(node, size, *std::max_element(node, node + size) + run_.cell_seconds(cells));
  run_.settle();
}

void Play::copy(double blocks, std::uint64_t draw) {
  auto& clock = run_.now();
  for (std::size_t rank = 0; rank < clock.size(); ++rank)
    clock[rank] += run_.copy_seconds(blocks, sums_.draw(blocks, sums_.key(draw), rank));
}

}  // namespace rondo::simulate
