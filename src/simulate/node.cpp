#include <algorithm>

#include "registry/settings.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

namespace {

using choice::Layout;
using schedule::Between;
using schedule::NodeSchedule;

/// What draws belong to besides messages, which count from 0.
constexpr std::uint64_t kIntoSlot = ~std::uint64_t{0};
constexpr std::uint64_t kOutOfSlots = kIntoSlot - 1;
constexpr std::uint64_t kPacked = kIntoSlot - 2;

NodeSchedule schedule_of(const Exchange& exchange) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < exchange.layout.ranks; ++rank)
    node_of_rank.push_back(rank / exchange.layout.per_node);
  return choice::node_schedule_of(exchange.choice, schedule::NodeMap(node_of_rank));
}

/// Bytes of a slot for each block: engines/node/node.hpp.
double slot_share(const Exchange& exchange) {
  return static_cast<double>(exchange.slot_bytes) / exchange.layout.ranks;
}

/// The longest block that goes through the memory of the node as a whole.
double shared_limit(const Exchange& exchange) {
  const auto longest = static_cast<double>(registry::kLongestSharedBlock);
  return std::min(
      {static_cast<double>(exchange.choice.threshold()), slot_share(exchange), longest});
}

/// Whether longer ones go through it in pieces.
bool has_windows(const Exchange& exchange) {
  return slot_share(exchange) >= static_cast<double>(registry::kShortestWindow);
}

/// Nodes are numbered modulo those that are simulated; nothing is stored for a pair of nodes.
class Nodes {
 public:
  Nodes(Run& run, const Exchange& exchange, const Sums& sums)
      : run_(run),
        sums_(sums),
        handling_(exchange.choice.algorithm->handling),
        nodes_(exchange.layout.nodes),
        per_node_(exchange.layout.per_node),
        simulated_(run.stage().nodes()),
        schedule_(schedule_of(exchange)) {}

  void exchange() {
    // Into the slot goes every block but a rank's own, which is copied once.
    copy(1.0 * nodes_ * per_node_ - 1, kIntoSlot);
    arrive(per_node_ - 1);
    if (nodes_ > 1) {
      run_.begin();
      if (schedule_.how() == Between::direct)
        send_directly();
      else
        send_in_rounds();
      run_.wait();
      // Each landing is seen in a cache line, but for those that a rank carries itself.
      arrive(1.0 * (nodes_ - 1) * schedule_.lanes() * (per_node_ - 1) / per_node_);
    }
    copy(1.0 * nodes_ * per_node_, kOutOfSlots);
  }

  /// Long blocks inside the nodes, in pieces: every rank copies its own into windows of its slot, and
  /// those for it out of its neighbours'. Then all have told each other that no lengths differ.
  void copy_long() {
    const Moments& moments = sums_.moments();
    if (moments.above_share == 0 || per_node_ == 1) return;
    run_.use_memory_for(moments.mean + moments.above_share * moments.above_mean);
    for (int offset = 1; offset < per_node_; ++offset)
      for (int source = 0; source < simulated_ * per_node_; ++source) copy_long(source, offset);
    run_.use_memory_for(moments.mean);
    arrive(per_node_ - 1);
  }

 private:
  /// The block for the neighbour `offset` above, in the order of the node.
  void copy_long(int source, int offset) {
    const int first = source / per_node_ * per_node_;
    const int neighbour = first + (source - first + offset) % per_node_;
    const int ranks = nodes_ * per_node_;
    const double bytes = long_bytes(sums_, (neighbour - source + ranks) % ranks)(source);
    const double seconds = run_.copy_seconds(bytes > 0 ? 1 : 0, bytes);
    for (const int rank : {source, neighbour})
      run_.now()[static_cast<std::size_t>(rank)] += seconds;
  }

  void copy(double blocks, std::uint64_t draw) {
    auto& clock = run_.now();
    for (std::size_t rank = 0; rank < clock.size(); ++rank)
      clock[rank] += run_.copy_seconds(blocks, sums_.draw(blocks, sums_.key(draw), rank));
  }

  /// All ranks of a node wait for the last of them.
  void arrive(double cells) {
    auto& clock = run_.now();
    for (int node = 0; node < simulated_; ++node) {
      const auto begin = clock.begin() + std::ptrdiff_t{node} * per_node_;
      const double last = *std::max_element(begin, begin + per_node_);
      std::fill(begin, begin + per_node_, last + run_.cell_seconds(cells));
    }
    run_.settle();
  }

  /// What one lane takes from a node to another one.
  double lane_bytes(std::uint64_t first, std::uint64_t second, int runs, double nodes) const {
    return sums_.draw(nodes * runs * per_node_, sums_.key(first), second);
  }

  int runs_of(int lane) const {
    const auto share = schedule_.share(0, lane);
    return share.end - share.begin;
  }

  Way way(int node, int leader, int hop) const {
    const int to = simulated_ == 1 ? 0 : (node + hop) % nodes_;
    return {node * per_node_ + leader, to * per_node_ + leader, true};
  }

  /// Leaders are dealt out over the ranks of a node, which all have their clocks from arrive(). Each
  /// has posted all of its receives.
  void send_directly() {
    const auto& rounds = schedule_.between().rounds();
    const auto per_leader = static_cast<std::size_t>(per_node_);
    const std::size_t last = rounds.size() * static_cast<std::size_t>(schedule_.lanes()) - 1;
    for (std::size_t round = 0; round < rounds.size(); ++round)
      for (int lane = 0; lane < schedule_.lanes(); ++lane) {
        const int leader = schedule_.leader(0, static_cast<int>(round), lane);
        const int runs = runs_of(lane);
        const auto id = round * static_cast<std::uint64_t>(schedule_.lanes()) +
                        static_cast<std::uint64_t>(lane);
        for (int node = 0; node < simulated_; ++node) {
          const double bytes = lane_bytes(id, static_cast<std::uint64_t>(node), runs, 1);
          const Way to = way(node, leader, rounds[round].hop);
          run_.spend(to.source, run_.copy_seconds(runs, bytes));
          run_.send(to, handling_.header_bytes + bytes, (last - id) / per_leader + 1);
        }
      }
  }

  /// Each lane in log-time rounds over nodes, by one rank of each node.
  void send_in_rounds() {
    for (int lane = 0; lane < schedule_.lanes(); ++lane) pack(lane);
    std::uint64_t id = 0;
    for (int index = 0; index < schedule_.between().phases(); ++index) {
      const auto phase = schedule_.between().phase(index);
      if (index > 0) {
        run_.wait();
        run_.begin();
      }
      if (send_phase(phase, id, false)) {
        run_.wait();
        run_.begin();
        send_phase(phase, id, true);
      }
      id += phase.size() * static_cast<std::uint64_t>(schedule_.lanes());
    }
  }

  /// A message of a round of a lane.
  struct Message {
    const schedule::Round& round;
    int lane;
    std::uint64_t id;
    std::size_t posted;  ///< receives of the leader, when it arrives
  };

  /// The first messages of a phase, or the second ones; whether there are second ones.
  bool send_phase(std::span<const schedule::Round> phase, std::uint64_t id, bool second) {
    bool is_long = false;
    for (std::size_t i = 0; i < phase.size(); ++i)
      for (int lane = 0; lane < schedule_.lanes(); ++lane, ++id) {
        const Message message{phase[i], lane, id, phase.size() - i};
        is_long |= second ? send_data(message) : send_round(message);
      }
    return is_long;
  }

  /// All that a node has for the others is packed by runs, and what came is copied whole.
  void pack(int lane) {
    const int runs = runs_of(lane);
    const double others = nodes_ - 1;
    for (int node = 0; node < simulated_; ++node) {
      const auto second = static_cast<std::uint64_t>(node * schedule_.lanes() + lane);
      const double bytes = lane_bytes(kPacked, second, runs, others);
      run_.spend(node * per_node_ + schedule_.share(0, lane).begin,
                 run_.copy_seconds(others * (runs + handling_.whole_copies),
                                   bytes * (1 + handling_.whole_copies)));
    }
  }

  bool send_round(const Message& message) {
    const auto& [round, lane, id, posted] = message;
    const double messages = round.blocks.size();
    const double header = handling_.header_bytes + messages * handling_.size_bytes;
    bool is_long = false;
    for (int node = 0; node < simulated_; ++node) {
      const double bytes =
          lane_bytes(id, static_cast<std::uint64_t>(node), runs_of(lane), messages);
      const bool fits = fit_together(handling_, messages, bytes);
      is_long |= !fits;
      const Way to = way(node, schedule_.share(0, lane).begin, round.hop);
      run_.spend(to.source, run_.copy_seconds(messages * handling_.hop_copies, bytes) +
                                run_.size_seconds(2 * messages));
      run_.send(to, header + (fits ? bytes : 0), posted);
    }
    return is_long;
  }

  bool send_data(const Message& message) {
    const auto& [round, lane, id, posted] = message;
    const double messages = round.blocks.size();
    for (int node = 0; node < simulated_; ++node) {
      const double bytes =
          lane_bytes(id, static_cast<std::uint64_t>(node), runs_of(lane), messages);
      if (!fit_together(handling_, messages, bytes))
        run_.send(way(node, schedule_.share(0, lane).begin, round.hop), bytes, posted);
    }
    return true;
  }

  Run& run_;
  const Sums& sums_;
  const registry::Handling& handling_;
  int nodes_;
  int per_node_;
  int simulated_;
  NodeSchedule schedule_;
};

}  // namespace

void run_nodes(Run& run, const Exchange& exchange) {
  const Lengths lengths(exchange.load.distribution, exchange.load.block_bytes,
                        exchange.layout.ranks);
  const Sums sums(lengths, shared_limit(exchange), exchange.seed);
  run.use_memory_for(sums.moments().mean);
  Nodes nodes(run, exchange, sums);
  nodes.exchange();
  const bool copies_long = has_windows(exchange);
  if (copies_long) nodes.copy_long();
  run_long_blocks(run, exchange, sums, copies_long ? Reach::other_nodes : Reach::all);
}

}  // namespace rondo::simulate
