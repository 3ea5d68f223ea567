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
#include "simulate/peers.hpp"
#include "simulate/series.hpp"

namespace rondo::simulate {

/// All nodes, or one that represents all. A sample has fewer.
inline constexpr int kAllNodes = 0;

/// Whether no node does what another one does.
bool do_nodes_differ(const Exchange& exchange, const Machine& machine);

class Run : public Network {
 public:
  /// Of a sample, `nodes` nodes are simulated, a power of two, and steps of long series are left out.
  Run(const Exchange& exchange, const Machine& machine, int nodes = kAllNodes);

  const Stage& stage() const { return stage_; }
  const Peers& peers() const { return peers_; }

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
  std::uint64_t visits() const { return visits_; }
  /// Visits in steps that are left out.
  std::uint64_t left_out_visits() const { return left_out_visits_; }

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

  /// A step after which all ranks wait. In a sample it is left out if it is one of many that are alike: then time goes
  /// on as it did in those before.
  template <class Play>
  void play(const Alike& step, Play&& play_step) {
    if (!is_sample_) return play_step();
    if (!step.is(alike_)) begin_series(step);
    if (left_out_ > 0) return leave_out();
    if (series_.has_settled()) begin_stretch();
    play_step();
    left_out_ = series_.play();
    if (left_out_ > 0) end_stretch();
  }

  /// Every rank sends one message of every round, all in flight together, and waits for them. The message
  /// of rounds[i] has bytes_of(i)(source) bytes; below 0 there is none. If most ranks send in most rounds, `is_dense`,
  /// rounds of a sample may be left out.
  template <class BytesOf>
  void pass(const schedule::Group& group, std::span<const schedule::Round> rounds,
            BytesOf&& bytes_of, bool is_dense) {
    const auto posted = [&](std::size_t i) { return rounds.size() - i; };
    fly(rounds.size(), posted, is_dense, [&](std::size_t i) {
      const auto bytes = bytes_of(i);
      for (const int source : order_) {
        const double length = bytes(source);
        if (length >= 0) send(peers_.way(source, rounds[i].hop, group), length, posted(i));
      }
    });
  }

  /// Every rank sends at most one message in every step, to destination_of(step, source). It has
  /// bytes_of(source, destination) bytes; below 0 there is none. At most `window` receives are posted at a
  /// time. A complete message makes room for the next one.
  template <class DestinationOf, class BytesOf>
  void pass_straight(std::size_t steps, DestinationOf&& destination_of, BytesOf&& bytes_of,
                     std::size_t window, bool is_dense) {
    const auto posted = [&](std::size_t i) { return std::min(steps - i, window); };
    fly(steps, posted, is_dense, [&](std::size_t i) {
      for (const int source : order_) {
        const int destination = destination_of(i, source);
        const double length = bytes_of(source, destination);
        if (length >= 0) send(peers_.way(source, destination), length, posted(i));
      }
    });
  }

  /// Every rank waits until all messages from it and to it have arrived.
  void wait();

  /// Adds the cost of the end of a wait.
  void settle();

  Outcome outcome() const;

 private:
  /// Steps with `posted` receives each, in flight together. The first and the last ones, which stay on a node, are all
  /// played.
  template <class Posted, class Play>
  void fly(std::size_t steps, Posted&& posted, bool is_dense, Play&& play_step) {
    start();
    order_by_clock();
    const std::size_t last = steps - std::min(steps, at(per_node_));
    Series series(seed_);
    Flight before;
    for (std::size_t i = 0; i < steps;) {
      if (is_sample_ && series.has_settled()) before = flight();
      play_step(i++);
      visited(order_.size());
      if (!is_sample_ || !is_dense || i >= last) continue;
      const std::size_t left_out = std::min(series.play(), last - i);
      if (left_out == 0) continue;
      const auto searched = [&](std::size_t step) { return static_cast<double>(posted(step)); };
      go_on(before, static_cast<double>(left_out) / Series::kSettled,
            searched(i + left_out / 2) / searched(i - Series::kSettled / 2));
      left_out_visits_ += left_out * order_.size();
      i += left_out;
    }
    wait();
  }

  /// Adapters serve the ranks of a node in the order of their clocks. If nodes are alike, the nodes
  /// alternate, as if one node represented all.
  void order_by_clock();

  void begin_series(const Alike& step);
  void begin_stretch();
  void end_stretch();
  void leave_out();
  double mean_clock() const;

  Stage stage_;
  int ranks_;
  int per_node_;
  Copying copying_;
  Waiting waiting_;
  double sharing_;
  double copied_byte_seconds_;
  std::uint64_t seed_;
  Peers peers_;
  bool nodes_are_alike_;
  std::vector<int> order_;
  std::uint64_t waits_ = 0;

  bool is_sample_;
  Alike alike_;  ///< the steps of the series
  Series series_;
  std::size_t left_out_ = 0;  ///< how many of the next ones are
  double stretch_began_ = 0;
  std::uint64_t stretch_visits_ = 0;
  double step_seconds_ = 0;  ///< of a step of the stretch
  std::uint64_t step_visits_ = 0;
  double left_out_seconds_ = 0;  ///< all clocks are late by these
  std::uint64_t left_out_visits_ = 0;

  /// Few enough to be over in well under a second, and so many that the reports cost nothing.
  static constexpr std::uint64_t kVisitsUnwatched = 1 << 20;
  Watch watch_;
  std::uint64_t visits_ = 0;
  std::uint64_t reported_at_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace rondo::simulate
