#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "engines/pattern.hpp"

namespace rondo::engines {

namespace {

using Group = NodePattern::Group;
using schedule::NodeMap;

/// The tags by which nodes tell each other which rank sends, and which receives, their message.
constexpr int kLeaderTag = transport::tags::range(transport::tags::Use::leaders).first;

/// What a message, and each block, costs a rank beside its bytes, in bytes.
constexpr std::uint64_t kBytesOfBlock = 64;
constexpr std::uint64_t kBytesOfMessage = 16 * kBytesOfBlock;

/// What it costs, likewise, that a message is received by a rank for which it has no blocks: those that
/// read it wait for one rank more. With few receivers this was measured to matter more than their load.
constexpr std::uint64_t kBytesOfHandingOver = 4096;

/// Between a rank of this node and one of another: the block goes to that rank, or comes from it.
struct Edge {
  int local;
  int rank;
  std::uint32_t bytes;
};

/// All edges of a node's ranks in one direction, by the other node. The edges to one node are in the
/// order of the local numbers, and then of the positions at the other end.
using EdgesByNode = std::map<int, std::vector<Edge>>;

/// Returns those of `partners` that are on other nodes, in the order of positions.
std::vector<Partner> on_other_nodes(const NodeMap& map, int own,
                                    std::span<const Partner> partners) {
  std::vector<Partner> found;
  std::ranges::copy_if(partners, std::back_inserter(found),
                       [&](const Partner& partner) { return map.node_of(partner.rank) != own; });
  std::ranges::sort(found, {},
                    [&](const Partner& partner) { return map.position_of(partner.rank); });
  return found;
}

std::vector<Group> groups_of(const NodeMap& map, std::span<const Partner> partners) {
  std::vector<Group> groups;
  for (const auto [rank, bytes] : partners) {
    const int node = map.node_of(rank);
    if (groups.empty() || groups.back().node != node) groups.push_back({.node = node, .ranks = {}});
    groups.back().ranks.push_back(rank);
  }
  return groups;
}

/// The ranks of this rank's node. The first collects what they tell each other, and passes it on.
class NodeRanks {
 public:
  explicit NodeRanks(Context& context)
      : map_(context.nodes),
        node_(map_.node_of(context.rank)),
        self_(map_.local_of(context.rank)),
        tag_(context.tagged().tag),
        messages_(context.transport().messages()) {}

  int count() const { return map_.size(node_); }
  std::size_t self() const { return static_cast<std::size_t>(self_); }

  /// Collective over the node. Rank i has the next counts[i] of `all`, and afterwards everything.
  template <class T>
  void gather(std::vector<T>& all, const std::vector<std::size_t>& counts) {
    T* part = all.data();
    for (int local = 0; local < count(); ++local) {
      const std::size_t length = counts[static_cast<std::size_t>(local)];
      const std::span<T> one(part, length);
      if (self_ == 0 && local != 0) receive(one, local);
      if (self_ != 0 && local == self_) send(one, 0);
      part += length;
    }
    messages_->wait();
    distribute(all);
  }

  /// Collective over the node. Sends what its first rank has.
  template <class T>
  void distribute(std::vector<T>& all) {
    if (self_ != 0) receive(std::span(all), 0);
    for (int local = 1; self_ == 0 && local < count(); ++local) send(std::span(all), local);
    messages_->wait();
  }

 private:
  template <class T>
  void send(std::span<T> part, int local) {
    messages_->send(std::as_bytes(part).data(), part.size_bytes(), map_.rank_of(node_, local),
                    tag_);
  }
  template <class T>
  void receive(std::span<T> part, int local) {
    messages_->receive(std::as_writable_bytes(part).data(), part.size_bytes(),
                       map_.rank_of(node_, local), tag_);
  }

  const NodeMap& map_;
  int node_;
  int self_;
  int tag_;
  std::unique_ptr<transport::Messages> messages_;
};

/// Collective over the node. Returns the lists of all its ranks.
EdgesByNode gather(NodeRanks& node_ranks, const NodeMap& map, const std::vector<Partner>& own) {
  const std::vector<std::size_t> one_each(static_cast<std::size_t>(node_ranks.count()), 1);
  std::vector<std::size_t> counts(one_each.size());
  counts[node_ranks.self()] = own.size();
  node_ranks.gather(counts, one_each);
  const auto begin = [&](std::size_t local) {
    return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(local),
                           std::size_t{0});
  };
  std::vector<Partner> all(begin(counts.size()));
  std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(begin(node_ranks.self())));
  node_ranks.gather(all, counts);
  EdgesByNode edges;
  auto next = all.begin();
  for (std::size_t local = 0; local < counts.size(); ++local)
    for (std::size_t i = 0; i < counts[local]; ++i, ++next)
      edges[map.node_of(next->rank)].push_back({static_cast<int>(local), next->rank, next->bytes});
  return edges;
}

/// A message of this node, to or from another.
struct Message {
  bool is_sent;
  int node;
  std::span<const Edge> edges;
  std::uint64_t cost;
  int leader = 0;  ///< local number
};

Message make_message(bool is_sent, int node, std::span<const Edge> edges) {
  Message message{.is_sent = is_sent, .node = node, .edges = edges, .cost = kBytesOfMessage};
  for (const Edge& edge : edges) message.cost += kBytesOfBlock + edge.bytes;
  return message;
}

/// The rank that is done with `message` soonest if it has to carry what `load` says besides.
int choose_leader(const Message& message, const std::vector<std::uint64_t>& load) {
  std::vector<std::uint64_t> done = load;
  if (!message.is_sent) {
    for (std::uint64_t& cost : done) cost += kBytesOfHandingOver;
    for (const Edge& edge : message.edges) {
      const auto local = static_cast<std::size_t>(edge.local);
      done[local] = load[local];
    }
  }
  return static_cast<int>(std::ranges::min_element(done) - done.begin());
}

/// Divides the messages among the ranks of the node: the largest first, each to the rank that has the
/// least to do so far, or to one that reads it. No rank gets many more than the others, also where all
/// send to a few. All ranks of the node compute the same.
std::vector<Message> divide(const EdgesByNode& out, const EdgesByNode& in, int ranks) {
  std::vector<Message> messages;
  for (const auto& [node, edges] : out) messages.push_back(make_message(true, node, edges));
  for (const auto& [node, edges] : in) messages.push_back(make_message(false, node, edges));
  std::ranges::stable_sort(messages, std::greater{}, &Message::cost);
  std::vector<std::uint64_t> load(static_cast<std::size_t>(ranks));
  for (Message& message : messages) {
    message.leader = choose_leader(message, load);
    load[static_cast<std::size_t>(message.leader)] += message.cost;
  }
  return messages;
}

/// Collective. Returns by node which rank is at the other end of each message. The first ranks of the
/// nodes tell each other, and then the ranks of their own node.
std::vector<int> other_leaders(Context& context, NodeRanks& node_ranks,
                               const std::vector<Message>& messages) {
  const NodeMap& map = context.nodes;
  const int own = map.node_of(context.rank);
  std::vector<int> others(messages.size());
  std::vector<int> leaders;
  for (const Message& message : messages) leaders.push_back(map.rank_of(own, message.leader));
  if (map.local_of(context.rank) == 0) {
    const auto exchange = context.transport().messages();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      // A node may be at the other end of two messages, one in each direction.
      const int first = map.rank_of(messages[i].node, 0);
      const int direction = messages[i].is_sent ? 1 : 0;
      exchange->receive(reinterpret_cast<std::byte*>(&others[i]), sizeof(int), first,
                        kLeaderTag + 1 - direction);
      exchange->send(reinterpret_cast<const std::byte*>(&leaders[i]), sizeof(int), first,
                     kLeaderTag + direction);
    }
    exchange->wait();
  }
  node_ranks.distribute(others);
  return others;
}

/// The runs of a message to `node`. A rank's runs are numbered by the nodes that it sends to.
std::vector<NodePattern::Run> runs_to(int node, const EdgesByNode& out) {
  std::map<int, int>
      numbers;  // by rank that contributes: how many nodes before this one it sends to
  for (const Edge& edge : out.at(node)) numbers[edge.local] = 0;
  for (auto other = out.begin(); other->first != node; ++other) {
    int last = -1;
    for (const Edge& edge : other->second) {
      const auto number = numbers.find(edge.local);
      if (edge.local != last && number != numbers.end()) ++number->second;
      last = edge.local;
    }
  }
  std::vector<NodePattern::Run> runs;
  for (const auto& [local, number] : numbers) runs.push_back({local, number});
  return runs;
}

/// The blocks of a message in the order in which its sender packs them.
std::vector<NodePattern::Item> items_from(const std::vector<Edge>& edges, const NodeMap& map) {
  std::vector<NodePattern::Item> items;
  for (const Edge& edge : edges) items.push_back({map.position_of(edge.rank), edge.local});
  std::ranges::sort(items, {}, [](const NodePattern::Item& item) {
    return std::pair(item.position, item.reader);
  });
  return items;
}

}  // namespace

NodePattern make_node_pattern(Context& context, std::span<const Partner> to,
                              std::span<const Partner> from) {
  const NodeMap& map = context.nodes;
  const int own = map.node_of(context.rank);
  const int local = map.local_of(context.rank);
  NodePattern pattern;
  NodeRanks node_ranks(context);
  const std::vector<Partner> leaving = on_other_nodes(map, own, to);
  const std::vector<Partner> arriving = on_other_nodes(map, own, from);
  pattern.leaving = groups_of(map, leaving);
  pattern.arriving = groups_of(map, arriving);
  const EdgesByNode out = gather(node_ranks, map, leaving);
  const EdgesByNode in = gather(node_ranks, map, arriving);
  const std::vector<Message> messages = divide(out, in, map.size(own));
  const std::vector<int> others = other_leaders(context, node_ranks, messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (message.leader != local) continue;
    if (message.is_sent)
      pattern.sends.push_back({others[i], message.edges.size(), runs_to(message.node, out)});
    else
      pattern.receives.push_back({message.node, others[i], items_from(in.at(message.node), map)});
  }
  return pattern;
}

}  // namespace rondo::engines
