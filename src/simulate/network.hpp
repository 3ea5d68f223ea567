// The clocks of ranks and adapters, and how messages advance them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/machine.hpp"

namespace rondo::simulate {

/// The simulated ranks. Positions are node-major, and all nodes have `per_node` ranks. If all nodes do the
/// same, one represents them all, and positions count modulo `simulated`.
struct Stage {
  int per_node = 1;
  int simulated = 1;

  int nodes() const { return std::max(simulated / per_node, 1); }
};

/// From where to where a message goes.
struct Way {
  int source;
  int destination;
  bool leaves;  ///< goes to another node
};

/// The path of ranks that share a core, `sharing` on each.
inline Path shared(Path path, double sharing) {
  path.overhead_seconds *= sharing;
  path.gap_seconds *= sharing;
  path.latency_seconds *= sharing;
  path.seconds_per_byte *= sharing;
  return path;
}

/// Clocks are seconds since the start of the exchange.
class Network {
 public:
  /// The clocks of messages in flight that drive the others: what sends them.
  struct Flight {
    std::vector<double> port{};
    std::vector<double> matching{};
    std::vector<double> out{};
  };

  /// `sharing` ranks share each core.
  Network(const Machine& machine, const Stage& stage, double sharing)
      : inside_(shared(machine.inside, sharing)),
        between_(machine.between),
        adapter_(machine.adapter),
        match_seconds_(machine.waiting.match_seconds * sharing),
        now_(at(stage.simulated)),
        clocks_(at(stage.simulated)),
        out_(at(stage.nodes() * machine.adapter.per_node)),
        in_(out_) {
    const int adapters = machine.adapter.per_node;
    for (int rank = 0; rank < stage.simulated; ++rank) {
      const int local = rank % stage.per_node;
      adapter_of_.push_back(rank / stage.per_node * adapters + local % adapters);
    }
  }

  /// The clock of each rank.
  std::vector<double>& now() { return now_; }
  const std::vector<double>& now() const { return now_; }

  /// The messages sent so far, and their bytes.
  std::int64_t messages() const { return messages_; }
  double bytes() const { return bytes_; }

  /// From now until finish(), messages leave as soon as their rank and its adapter can send them.
  void start() {
    for (std::size_t rank = 0; rank < now_.size(); ++rank)
      clocks_[rank] = {.port = now_[rank], .sink = now_[rank], .done = now_[rank], .matching = 0};
  }

  /// Sends a message. The receiver searches its `posted` receives from the beginning: half of them on
  /// average.
  void send(const Way& way, double bytes, std::size_t posted) {
    ++messages_;
    bytes_ += bytes;
    const Path& path = way.leaves ? between_ : inside_;
    const double stream = bytes * path.seconds_per_byte;
    Clock& source = clocks_[at(way.source)];
    Clock& destination = clocks_[at(way.destination)];
    double head = source.port + path.overhead_seconds + path.handshake_seconds(bytes);
    source.done = std::max(source.done, head + stream);
    source.port += std::max(path.gap_seconds, 2 * path.overhead_seconds) + stream;
    double tail = 0;
    if (way.leaves)
      tail = through_adapters(way, bytes, head);
    else
      head += path.latency_seconds;
    destination.sink = std::max(head, destination.sink) + stream;
    destination.done =
        std::max(destination.done, std::max(destination.sink, tail) + path.overhead_seconds);
    destination.matching += static_cast<double>(posted) / 2 * match_seconds_;
  }

  /// A rank does something else before its next message.
  void spend(int rank, double seconds) {
    Clock& clock = clocks_[at(rank)];
    clock.port += seconds;
    clock.done = std::max(clock.done, clock.port);
  }

  Flight flight() const;

  /// `times` as many messages go on as they did since `before`. To find a receive takes `matching` times as long.
  /// What receives them follows when messages are played again: all receive as much as they send.
  void go_on(const Flight& before, double times, double matching);

  /// Ranks have sent and received all messages since start().
  void finish() {
    for (std::size_t rank = 0; rank < now_.size(); ++rank)
      now_[rank] = clocks_[rank].done + clocks_[rank].matching;
  }

 protected:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

 private:
  struct Clock {
    double port;      ///< when the rank can send its next message
    double sink;      ///< when it can take in the next byte
    double done;      ///< when all its messages so far are complete
    double matching;  ///< the time to find the receives of messages that have arrived
  };

  /// Returns when the last byte has left the destination's adapter. Moves `head` to when the first byte
  /// reaches the destination.
  double through_adapters(const Way& way, double bytes, double& head) {
    const double service = adapter_.seconds_per_message + bytes * adapter_.seconds_per_byte +
                           std::min(bytes, adapter_.short_bytes) * adapter_.short_seconds_per_byte;
    double& out = out_[at(adapter_of_[at(way.source)])];
    head = std::max(head, out);
    out = head + service;
    head += between_.latency_seconds;
    double& in = in_[at(adapter_of_[at(way.destination)])];
    head = std::max(head, in);
    in = head + service;
    return in;
  }

  Path inside_;
  Path between_;
  Adapter adapter_;
  double match_seconds_;
  std::vector<int> adapter_of_;  ///< by rank
  std::vector<double> now_;      ///< by rank
  std::vector<Clock> clocks_;    ///< by rank, since start()
  std::vector<double> out_;      ///< by adapter: when it can send its next message
  std::vector<double> in_;       ///< by adapter: when it can receive its next message
  std::int64_t messages_ = 0;
  double bytes_ = 0;
};

}  // namespace rondo::simulate
