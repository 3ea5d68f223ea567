// The ranks of one exchange: the times of their copies, messages and waits.
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

class Run : public Network {
 public:
  Run(const Exchange& exchange, const Machine& machine);

  const Stage& stage() const { return stage_; }

  void report_to(const Watch& watch) {
    watch_ = watch;
    reported_at_ = kVisitsUnwatched;
  }

  /// Ranks have been visited to send or copy something.
  void visited(std::size_t visits) {
    visits_ += visits;
    if (visits_ < reported_at_) return;
    reported_at_ = visits_ + kVisitsUnwatched;
    watch_(messages());
  }

  /// Sets the mean length of the blocks that a rank sends and receives. If they exceed its cache, copies
  /// cost more.
  void use_memory_for(double block_bytes);

  // The time that a rank takes.
  double copy_seconds(double blocks, double bytes) const {
    return sharing_ * (blocks * copying_.seconds_per_block + bytes * copied_byte_seconds_);
  }
  double typed_seconds(double blocks) const {
    return sharing_ * blocks * copying_.typed_seconds_per_block;
  }
  double size_seconds(double sizes) const { return sharing_ * sizes * copying_.seconds_per_size; }
  double cell_seconds(double cells) const { return sharing_ * cells * waiting_.arrival_seconds; }

  /// Every rank sends one message of every round, all in flight together, and waits for them. The message
  /// of rounds[i] has bytes_of(i)(source) bytes; below 0 there is none.
  template <class BytesOf>
  void pass(const schedule::Group& group, std::span<const schedule::Round> rounds,
            BytesOf&& bytes_of) {
    start();
    order_by_clock();
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const auto bytes = bytes_of(i);
      for (const int source : order_) {
        const double length = bytes(source);
        if (length >= 0)
          send(way(source, group.add(source, rounds[i].hop)), length, rounds.size() - i);
      }
      visited(order_.size());
    }
    wait();
  }

  /// Every rank sends at most one message in every step, to destination_of(step, source). It has
  /// bytes_of(source, destination) bytes; below 0 there is none. At most `window` receives are posted at a
  /// time. A complete message makes room for the next one.
  template <class DestinationOf, class BytesOf>
  void pass_straight(std::size_t steps, DestinationOf&& destination_of, BytesOf&& bytes_of,
                     std::size_t window) {
    start();
    order_by_clock();
    for (std::size_t i = 0; i < steps; ++i) {
      for (const int source : order_) {
        const int destination = destination_of(i, source);
        const double length = bytes_of(source, destination);
        if (length >= 0) send(way(source, destination), length, std::min(steps - i, window));
      }
      visited(order_.size());
    }
    wait();
  }

  /// Every rank waits until all messages from it and to it have arrived.
  void wait();

  /// Adds the cost of the end of a wait.
  void settle();

  Outcome outcome() const;

 private:
  Way way(int source, int destination) const {
    if (stage_.simulated == 1) return {0, 0, ranks_ != per_node_};
    const int node = node_of_[at(destination)];
    return {source, destination - node * folded_, node != node_of_[at(source)]};
  }

  /// Adapters serve the ranks of a node in the order of their clocks. If nodes are alike, the nodes
  /// alternate, as if one node represented all.
  void order_by_clock();

  Stage stage_;
  int ranks_;
  int per_node_;
  Copying copying_;
  Waiting waiting_;
  double sharing_;
  double copied_byte_seconds_;
  std::uint64_t seed_;
  std::vector<int> node_of_;  ///< by position, of all ranks
  int folded_;                ///< per_node if one node represents all, else 0
  bool nodes_are_alike_;
  std::vector<int> order_;
  std::uint64_t waits_ = 0;

  /// Few enough to be over in well under a second, and so many that the reports cost nothing.
  static constexpr std::uint64_t kVisitsUnwatched = 1 << 20;
  Watch watch_;
  std::uint64_t visits_ = 0;
  std::uint64_t reported_at_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace rondo::simulate
