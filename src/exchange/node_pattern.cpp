#include "exchange/node_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "exchange/handles.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/outstanding.hpp"

namespace rondo::exchange {

namespace {

using Group = NodePattern::Group;
using schedule::NodeMap;

/// The tag by which nodes tell each other which rank sends or receives their message. No exchange uses
/// it.
constexpr int kLeaderTag = Context::kTags + 8;

/// A message costs its leader as much as this many blocks.
constexpr int kBlocksOfMessage = 16;

/// Between a rank of this node and one of another: the block goes to that rank, or comes from it.
struct Edge {
  int local;
  int rank;
};

/// All edges of a node's ranks in one direction, by the other node. The edges to one node are in the
/// order of the local numbers, and then of the positions at the other end.
using EdgesByNode = std::map<int, std::vector<Edge>>;

/// Returns those of `ranks` that are on other nodes, in the order of positions.
std::vector<int> on_other_nodes(const NodeMap& map, int own, std::span<const int> ranks) {
  std::vector<int> found;
  std::ranges::copy_if(ranks, std::back_inserter(found),
                       [&](int rank) { return map.node_of(rank) != own; });
  std::ranges::sort(found, {}, [&](int rank) { return map.position_of(rank); });
  return found;
}

std::vector<Group> groups_of(const NodeMap& map, std::span<const int> ranks) {
  std::vector<Group> groups;
  for (const int rank : ranks) {
    const int node = map.node_of(rank);
    if (groups.empty() || groups.back().node != node) groups.push_back({.node = node, .ranks = {}});
    groups.back().ranks.push_back(rank);
  }
  return groups;
}

/// Collective over the node. Returns the lists of all its ranks.
EdgesByNode gather(MPI_Comm node, const NodeMap& map, const std::vector<int>& own) {
  int ranks = 0;
  check(PMPI_Comm_size(node, &ranks), "MPI_Comm_size");
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  check(PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, node), "MPI_Allgather");
  std::vector<int> places(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(places.back() + lengths.back()));
  check(PMPI_Allgatherv(own.data(), length, MPI_INT, all.data(), lengths.data(), places.data(),
                        MPI_INT, node),
        "MPI_Allgatherv");
  EdgesByNode edges;
  for (int local = 0; local < ranks; ++local) {
    const auto first = all.begin() + places[static_cast<std::size_t>(local)];
    std::for_each(first, first + lengths[static_cast<std::size_t>(local)], [&](int rank) {
      edges[map.node_of(rank)].push_back({local, rank});
    });
  }
  return edges;
}

/// A message of this node, to or from another.
struct Message {
  bool is_sent;
  int node;
  std::size_t blocks;
  int leader = 0;  ///< local number
};

/// Divides the messages among the ranks of the node: the largest first, each to the rank that has the
/// least to do so far. All ranks of the node compute the same.
std::vector<Message> divide(const EdgesByNode& out, const EdgesByNode& in, int ranks) {
  std::vector<Message> messages;
  for (const auto& [node, edges] : out) messages.push_back({true, node, edges.size()});
  for (const auto& [node, edges] : in) messages.push_back({false, node, edges.size()});
  std::ranges::stable_sort(messages, std::greater{}, &Message::blocks);
  std::vector<std::size_t> load(static_cast<std::size_t>(ranks));
  for (Message& message : messages) {
    const auto least = std::ranges::min_element(load);
    message.leader = static_cast<int>(least - load.begin());
    *least += kBlocksOfMessage + message.blocks;
  }
  return messages;
}

/// Collective. Returns by node which rank is at the other end of each message. The first ranks of the
/// nodes tell each other, and then the ranks of their own node.
std::vector<int> other_leaders(Context& context, MPI_Comm node,
                               const std::vector<Message>& messages) {
  const NodeMap& map = context.nodes;
  const int own = map.node_of(context.rank);
  std::vector<int> others(messages.size());
  std::vector<int> leaders;
  for (const Message& message : messages) leaders.push_back(map.rank_of(own, message.leader));
  if (map.local_of(context.rank) == 0) {
    // A node may be at the other end of two messages, one in each direction.
    std::vector<MPI_Request> requests(2 * messages.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const int first = map.rank_of(messages[i].node, 0);
      const int tag = kLeaderTag + (messages[i].is_sent ? 1 : 0);
      const int other_tag = kLeaderTag + (messages[i].is_sent ? 0 : 1);
      check(PMPI_Irecv(&others[i], 1, MPI_INT, first, other_tag, context.comm, &requests[2 * i]),
            "MPI_Irecv");
      check(PMPI_Isend(&leaders[i], 1, MPI_INT, first, tag, context.comm, &requests[2 * i + 1]),
            "MPI_Isend");
    }
    check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }
  check(PMPI_Bcast(others.data(), static_cast<int>(others.size()), MPI_INT, 0, node), "MPI_Bcast");
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

NodePattern make_node_pattern(Context& context, std::span<const int> to,
                              std::span<const int> from) {
  const NodeMap& map = context.nodes;
  const int own = map.node_of(context.rank);
  const int local = map.local_of(context.rank);
  NodePattern pattern;
  OwnedComm node;
  complete_outstanding();
  check(PMPI_Comm_split(context.comm, own, local, &node.handle), "MPI_Comm_split");
  const std::vector<int> leaving = on_other_nodes(map, own, to);
  const std::vector<int> arriving = on_other_nodes(map, own, from);
  pattern.leaving = groups_of(map, leaving);
  pattern.arriving = groups_of(map, arriving);
  const EdgesByNode out = gather(node.handle, map, leaving);
  const EdgesByNode in = gather(node.handle, map, arriving);
  const std::vector<Message> messages = divide(out, in, map.size(own));
  const std::vector<int> others = other_leaders(context, node.handle, messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (message.leader != local) continue;
    if (message.is_sent)
      pattern.sends.push_back({others[i], message.blocks, runs_to(message.node, out)});
    else
      pattern.receives.push_back({message.node, others[i], items_from(in.at(message.node), map)});
  }
  return pattern;
}

}  // namespace rondo::exchange
