// The steps that all exchanges have, played on the clocks of the ranks.
#pragma once

#include "model/trace.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

/// The whole exchange: in rounds, through the memory of the nodes, or among partners.
void play(Run& run, const Exchange& exchange, const Machine& machine);
void play_rounds(Run& run, const Exchange& exchange);
void play_nodes(Run& run, const Exchange& exchange);
void play_partners(Run& run, const Exchange& exchange, const Machine& machine);

/// An alltoall of the lengths of all blocks, by the machine's MPI_Alltoall.
void play_lengths(Run& run, const Exchange& exchange, const Machine& machine);

class Play {
 public:
  Play(Run& run, const Exchange& exchange) : run_(run), exchange_(exchange) {}

  void agree() { double_distances(model::kAgreementBytes); }

  void double_distances(double bytes) {
    const auto rounds = schedule::two_layer(layout().nodes, layout().per_node, 2, 2);
    rounds.for_each_batch(1, [&](std::span<const schedule::Round> round) {
      run_.pass(rounds.group(), round,
                [bytes](std::size_t) { return [bytes](int) { return bytes; }; });
    });
  }

  /// All ranks of a node wait for the last of them.
  void arrive(double cells) {
    const int size = layout().per_node;
    auto& clock = run_.now();
    for (auto node = clock.begin(); node != clock.end(); node += size)
      std::fill_n(node, size, *std::max_element(node, node + size) + run_.cell_seconds(cells));
    run_.settle();
  }

 protected:
  Run& run() { return run_; }
  const Exchange& asked() const { return exchange_; }
  const choice::Layout& layout() const { return exchange_.layout; }
  int node_of(int rank) const { return rank / layout().per_node; }

 private:
  Run& run_;
  const Exchange& exchange_;
};

/// Every rank has a block for every other one. Those above the limit of `sums` are long.
class PlayBlocks : public Play {
 public:
  PlayBlocks(Run& run, const Exchange& exchange)
      : Play(run, exchange),
        lengths_(exchange.load.distribution, exchange.load.block_bytes, exchange.layout.ranks),
        sums_(lengths_, model::short_limit(exchange.choice, exchange.layout, exchange.slot_bytes),
              exchange.seed) {}

  model::Task task() const {
    return {.choice = asked().choice,
            .layout = layout(),
            .largest_bytes = sums_.moments().largest,
            .has_long = sums_.moments().above_share > 0,
            .copies_long = model::has_windows(layout(), asked().slot_bytes)};
  }

  void copy(double blocks, std::uint64_t draw);

  void send(model::Sent sent, const model::Straight& straight) {
    const bool is_all = sent == model::Sent::whole;
    is_all ? send_above(Sums(lengths_, -1, asked().seed), straight) : send_above(sums_, straight);
  }

 protected:
  const Sums& sums() const { return sums_; }

 private:
  /// Blocks above the limit of `sums` go straight to their ranks.
  void send_above(const Sums& sums, const model::Straight& straight);

  Lengths lengths_;
  Sums sums_;
};

}  // namespace rondo::simulate
