#include <algorithm>

#include "registry/settings.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

namespace {

using registry::Handling;
using registry::SecondMessage;

/// What draws belong to besides rounds, which count from 0.
constexpr std::uint64_t kWholeDraw = ~std::uint64_t{0};

constexpr double kAgreementBytes = 8;

class Flat {
 public:
  Flat(Run& run, const Exchange& exchange, const Sums& sums)
      : run_(run),
        ranks_(exchange.layout.ranks),
        handling_(exchange.choice.algorithm->handling),
        sums_(sums),
        schedule_(choice::schedule_of(exchange.choice, exchange.layout)),
        ports_(exchange.choice.value(registry::Key::ports, exchange.layout.ranks)) {}

  void exchange() {
    copy_whole();
    schedule_.for_each_batch(ports_,
                             [&](std::span<const schedule::Round> rounds) { batch(rounds); });
  }

 private:
  /// Before and after the rounds. A rank's block to itself is copied in any case.
  void copy_whole() {
    const double blocks = std::max(handling_.whole_copies * ranks_, 1);
    auto& clock = run_.now();
    for (std::size_t rank = 0; rank < clock.size(); ++rank)
      clock[rank] += run_.copy_seconds(blocks, sums_.draw(blocks, sums_.key(kWholeDraw), rank));
  }

  void batch(std::span<const schedule::Round> rounds) {
    blocks_.clear();
    for (const schedule::Round& round : rounds) blocks_.push_back(round.blocks.size());
    const int copies = handling_.hop_copies;
    copy(rounds, (copies + 1) / 2, false);
    send(rounds);
    copy(rounds, copies / 2, true);
    first_round_ += rounds.size();
  }

  /// The bytes of blocks in a round of the batch, by the rank that sends them.
  auto data_of(std::size_t round) const {
    const double padded = handling_.pads ? blocks_[round] * sums_.moments().largest : -1;
    return
        [this, padded, blocks = blocks_[round], key = sums_.key(first_round_ + round)](int source) {
          return padded >= 0 ? padded : sums_.draw(blocks, key, static_cast<std::uint64_t>(source));
        };
  }

  /// What is not data.
  double header(std::size_t round) const {
    return handling_.header_bytes + blocks_[round] * handling_.size_bytes;
  }

  /// Pack what leaves, or unpack what came.
  void copy(std::span<const schedule::Round> rounds, int copies, bool after) {
    const int library_copies = handling_.packs_typed ? 1 : 0;
    const int sizes = handling_.size_bytes > 0 ? 1 : 0;
    if (copies + library_copies + sizes == 0) return;
    auto& clock = run_.now();
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const auto data = data_of(i);
      for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank) {
        const int source = after ? schedule_.group().subtract(rank, rounds[i].hop) : rank;
        clock[static_cast<std::size_t>(rank)] +=
            (copies + library_copies) * run_.copy_seconds(blocks_[i], data(source)) +
            run_.typed_seconds(library_copies * blocks_[i]) + run_.size_seconds(sizes * blocks_[i]);
      }
    }
  }

  void send(std::span<const schedule::Round> rounds) {
    const auto& group = schedule_.group();
    switch (handling_.second) {
      case SecondMessage::never: {
        const bool is_bare = handling_.hop_copies == 0 && handling_.header_bytes == 0 &&
                             !handling_.packs_typed && !handling_.pads;
        run_.pass(group, rounds, [&](std::size_t i) {
          return [this, is_bare, head = header(i), data = data_of(i)](int source) {
            const double bytes = head + data(source);
            return is_bare && bytes == 0 ? -1 : bytes;  // both ends know that it is empty
          };
        });
        break;
      }
      case SecondMessage::always:
        run_.pass(group, rounds,
                  [&](std::size_t i) { return [head = header(i)](int) { return head; }; });
        run_.pass(group, rounds, [&](std::size_t i) { return data_of(i); });
        break;
      case SecondMessage::when_long:
        send_in_one_or_two(rounds);
        break;
    }
  }

  void send_in_one_or_two(std::span<const schedule::Round> rounds) {
    bool is_long = false;
    run_.pass(schedule_.group(), rounds, [&](std::size_t i) {
      return [this, i, &is_long, data = data_of(i)](int source) {
        const double bytes = data(source);
        if (fit_together(handling_, blocks_[i], bytes)) return header(i) + bytes;
        is_long = true;
        return header(i);
      };
    });
    if (!is_long) return;
    run_.pass(schedule_.group(), rounds, [&](std::size_t i) {
      return [this, i, data = data_of(i)](int source) {
        const double bytes = data(source);
        return fit_together(handling_, blocks_[i], bytes) ? -1 : bytes;
      };
    });
  }

  Run& run_;
  int ranks_;
  const Handling& handling_;
  const Sums& sums_;
  schedule::Schedule schedule_;
  int ports_;
  std::uint64_t first_round_ = 0;
  std::vector<double> blocks_;  ///< of each round of the batch
};

}  // namespace

void run_doubling(Run& run, const choice::Layout& layout, double bytes) {
  const auto rounds = schedule::two_layer(layout.nodes, layout.per_node, 2, 2);
  rounds.for_each_batch(1, [&](std::span<const schedule::Round> round) {
    run.pass(rounds.group(), round,
             [bytes](std::size_t) { return [bytes](int) { return bytes; }; });
  });
}

void run_lengths(Run& run, const Exchange& exchange, const Machine& machine) {
  Exchange lengths = exchange;
  lengths.choice = choice::resolve(
      choice::parse(registry::Collective::alltoall, machine.mpi_alltoall), exchange.layout);
  lengths.load = {.block_bytes = sizeof(std::uint64_t), .distribution = {}};
  run_flat(run, lengths);
}

void run_long_blocks(Run& run, const Exchange& exchange, const Sums& sums, Reach reach,
                     std::size_t window) {
  if (sums.moments().above_share == 0) return;
  const int ranks = exchange.layout.ranks;
  const int per_node = exchange.layout.per_node;
  auto& clock = run.now();
  const auto own = long_bytes(sums, ranks);
  for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank)
    clock[static_cast<std::size_t>(rank)] += run.copy_seconds(own(rank) > 0 ? 1 : 0, own(rank));
  const auto straight = schedule::linear(ranks, ranks);
  const auto bytes_of_round = [&](std::size_t i) {
    const int hop = straight.rounds()[i].hop;
    return [=, bytes_of = long_bytes(sums, hop)](int source) {
      const bool is_left_out =
          reach == Reach::other_nodes && (source + hop) % ranks / per_node == source / per_node;
      const double bytes = is_left_out ? 0 : bytes_of(source);
      return bytes > 0 ? bytes : -1;
    };
  };
  run.pass(straight.group(), straight.rounds(), bytes_of_round, window);
}

void run_flat(Run& run, const Exchange& exchange) {
  const registry::Handling& handling = exchange.choice.algorithm->handling;
  const choice::Layout& layout = exchange.layout;
  const Lengths lengths(exchange.load.distribution, exchange.load.block_bytes, layout.ranks);
  const Sums sums(lengths, static_cast<double>(exchange.choice.threshold()), exchange.seed);
  run.use_memory_for(handling.pads ? sums.moments().largest : sums.moments().mean);
  if (handling.agrees) run_doubling(run, layout, kAgreementBytes);
  const auto padding_bytes = static_cast<double>(registry::Settings{}.padding_bytes);
  if (handling.agrees && layout.ranks * sums.moments().largest > padding_bytes) {
    const Sums all_above(lengths, -1, exchange.seed);
    run_long_blocks(run, exchange, all_above, Reach::all, static_cast<std::size_t>(layout.ranks));
    return;
  }
  Flat(run, exchange, sums).exchange();
  run_long_blocks(run, exchange, sums, Reach::all);
}

}  // namespace rondo::simulate
