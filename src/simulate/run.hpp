// The ranks of one exchange: what they copy, what they send together, and how long they wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"
#include "simulate/exchange.hpp"
#include "simulate/network.hpp"

namespace rondo::simulate {

/// Whether the data of a round go with its header and sizes, rather than in a second message. The
/// receiver has room for sizes of 8 bytes, which blocks past 4 GiB have.
inline bool fit_together(const registry::Handling& handling, double blocks, double data_bytes) {
  const double header = handling.header_bytes + handling.size_bytes * blocks;
  const double room = handling.header_bytes + 2.0 * handling.size_bytes * blocks;
  return header + data_bytes <= std::max<double>(registry::kShortMessageBytes, room);
}

class Run {
 public:
  Run(const Exchange& exchange, const Machine& machine);

  const Stage& stage() const { return stage_; }

  /// All blocks that a rank sends and receives, of that length on average: beyond its cache, copies
  /// cost more.
  void use_memory_for(double block_bytes);
  std::vector<double>& now() { return network_.now(); }

  /// Copying takes a rank's time; what is copied by datatype costs more.
  double copy_seconds(double blocks, double bytes) const {
    return sharing_ * (blocks * copying_.seconds_per_block + bytes * copied_byte_seconds_);
  }
  double typed_seconds(double blocks) const {
    return sharing_ * blocks * copying_.typed_seconds_per_block;
  }
  double size_seconds(double sizes) const { return sharing_ * sizes * copying_.seconds_per_size; }
  double cell_seconds(double cells) const { return sharing_ * cells * waiting_.arrival_seconds; }

  /// One message of every round from every rank, in flight together, and the wait for them.
  /// bytes_of(i)(source) is the length of that of rounds[i]; below 0 there is none. No more than
  /// `window` receives are posted at a time: a message that is done makes room for the next one.
  template <class BytesOf>
  void pass(const schedule::Group& group, std::span<const schedule::Round> rounds,
            BytesOf&& bytes_of, std::size_t window = std::numeric_limits<std::size_t>::max()) {
    network_.start();
    order_by_clock();
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      // Those that are posted are searched from their beginning: half of them on average.
      const double queue = static_cast<double>(std::min(rounds.size() - i, window)) / 2;
      const auto bytes = bytes_of(i);
      for (const int source : order_) {
        const double length = bytes(source);
        if (length < 0) continue;
        network_.carry(way(group, source, rounds[i].hop), length, queue);
        ++messages_;
      }
    }
    wait();
  }

  void begin() { network_.start(); }

  /// Sends one message, whose receiver has `posted` receives to search. Between begin() and wait().
  void send(const Way& way, double bytes, std::size_t posted) {
    network_.carry(way, bytes, static_cast<double>(posted) / 2);
    ++messages_;
  }
  /// In between, a rank does something else.
  void spend(int rank, double seconds) { network_.spend(rank, seconds); }
  /// Until all has arrived that was sent to or by a rank.
  void wait();

  /// What the end of a wait costs.
  void settle();

  Outcome outcome() const;

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  Way way(const schedule::Group& group, int source, int hop) const {
    if (stage_.simulated == 1) return {0, 0, ranks_ != per_node_};
    const int destination = group.add(source, hop);
    const int node = node_of_[at(destination)];
    return {source, destination - node * folded_, node != node_of_[at(source)]};
  }

  /// Adapters serve first who comes first: ranks of a node by their clocks. Where nodes are alike,
  /// those of all nodes in turn, as if one node stood for all.
  void order_by_clock();

  Stage stage_;
  int ranks_;
  int per_node_;
  Copying copying_;
  Waiting waiting_;
  double sharing_;
  double copied_byte_seconds_;
  std::uint64_t seed_;
  Network network_;
  std::vector<int> node_of_;  ///< by position, of all ranks
  int folded_;                ///< per_node where one node stands for all, else 0
  bool nodes_are_alike_;
  std::vector<int> order_;
  std::uint64_t waits_ = 0;
  std::int64_t messages_ = 0;
};

/// The whole exchange of an algorithm that has_flat_schedule(): rounds between ranks.
void run_flat(Run& run, const Exchange& exchange);

/// The lengths of blocks above the limit of `sums`, by the rank that sends them to the one `above`
/// positions higher; 0 where a block is not above the limit.
inline auto long_bytes(const Sums& sums, int above) {
  constexpr std::uint64_t kLongDraw = std::uint64_t{1} << 40;
  return [&sums, key = sums.key(kLongDraw + static_cast<std::uint64_t>(above) - 1)](int source) {
    return sums.draw_above(random_bits(key, static_cast<std::uint64_t>(source)));
  };
}

/// Which of them go in messages.
enum class Reach { all, other_nodes };

/// Long blocks that go straight and are in flight together: engines/context.hpp.
inline constexpr std::size_t kLongInFlight = 32;

/// Blocks above the limit of `sums`, straight to their ranks, `window` in flight together. A rank's own
/// is copied.
void run_long_blocks(Run& run, const Exchange& exchange, const Sums& sums, Reach reach,
                     std::size_t window = kLongInFlight);

/// Messages of so many bytes to the ranks 1 above, 2 above, 4 above and so on, one after the other, as
/// in an allreduce or a barrier.
void run_doubling(Run& run, const choice::Layout& layout, double bytes);

/// The machine's MPI_Alltoall of the lengths of all blocks.
void run_lengths(Run& run, const Exchange& exchange, const Machine& machine);

/// The whole exchange of an algorithm with a census, or along edges without shared memory: messages to
/// partners alone.
void run_to_partners(Run& run, const Exchange& exchange, const Machine& machine);

/// The whole exchange of an algorithm of Shape::node along edges, on equal nodes.
void run_nodes_along_edges(Run& run, const Exchange& exchange);

/// The whole exchange of an algorithm of Shape::node, on equal nodes: through the memory of the nodes,
/// and by messages between them.
void run_nodes(Run& run, const Exchange& exchange);

}  // namespace rondo::simulate
