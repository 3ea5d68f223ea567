#include "communicator/peer_blocks.hpp"

#include <algorithm>
#include <map>

namespace rondo::communicator {

namespace {

std::vector<Peer> peers_of(const Edges& edges) {
  std::map<int, std::vector<int>> by_rank;
  for (const int edge : edges.matching) {
    const int rank = edges.ranks[static_cast<std::size_t>(edge)];
    if (rank != MPI_PROC_NULL) by_rank[rank].push_back(edge);
  }
  std::vector<Peer> peers;
  for (auto& [rank, list] : by_rank) peers.push_back({rank, std::move(list)});
  return peers;
}

/// Returns the block that a peer's edges make together. It has no data if it is not in one place.
template <class Item>
Item whole_block(const Peer& peer, const BlockList<Item>& edges) {
  Item whole{};
  bool is_in_one_place = true;
  for (const int edge : peer.edges) {
    const Item block = edges[static_cast<std::size_t>(edge)];
    if (block.bytes == 0) continue;
    if (whole.bytes == 0) whole.data = block.data;
    is_in_one_place = is_in_one_place && whole.data + whole.bytes == block.data;
    whole.bytes += block.bytes;
  }
  if (!is_in_one_place) whole.data = nullptr;
  return whole;
}

/// Whether a block has to be copied to be in one place.
template <class Item>
bool is_scattered(const Peer& peer, const Item& whole) {
  return peer.edges.size() > 1 && whole.bytes != 0 && whole.data == nullptr;
}

/// Writes the blocks of all peers to `blocks`. Those that are not in one place get one in scratch
/// memory, and are passed to visit(peer, block). Returns the length of the longest.
template <class Item, class Visit>
std::size_t find_blocks(Scratch& scratch, Scratch::Purpose purpose, const std::vector<Peer>& peers,
                        const BlockList<Item>& edges, std::vector<Item>& blocks, Visit&& visit) {
  std::size_t scattered = 0;
  std::size_t longest = 0;
  for (const Peer& peer : peers) {
    Item& block = blocks[static_cast<std::size_t>(peer.rank)];
    block = whole_block(peer, edges);
    longest = std::max(longest, block.bytes);
    if (is_scattered(peer, block)) scattered += block.bytes;
  }
  if (scattered == 0) return longest;
  std::byte* at = scratch.bytes(purpose, scattered);
  for (const Peer& peer : peers) {
    Item& block = blocks[static_cast<std::size_t>(peer.rank)];
    if (!is_scattered(peer, block)) continue;
    block.data = at;
    at += block.bytes;
    visit(peer, Block{const_cast<std::byte*>(block.data), block.bytes});
  }
  return longest;
}

}  // namespace

PeerBlocks::PeerBlocks(const Topology& topology, int rank, int ranks)
    : rank_(rank),
      to_(peers_of(topology.to)),
      from_(peers_of(topology.from)),
      send_(static_cast<std::size_t>(ranks)),
      receive_(static_cast<std::size_t>(ranks)) {}

std::uint64_t bytes_of(const Peer& peer, const buffers::Side& side) {
  std::uint64_t bytes = 0;
  for (const int edge : peer.edges)
    bytes = checked_add(bytes, side.bytes(static_cast<std::size_t>(edge)));
  return bytes;
}

void PeerBlocks::check_own(const buffers::Binding& binding) const {
  const auto own_bytes = [&](const std::vector<Peer>& peers, const buffers::Side& side) {
    const auto own = std::ranges::lower_bound(peers, rank_, {}, &Peer::rank);
    return own != peers.end() && own->rank == rank_ ? bytes_of(*own, side) : 0;
  };
  const std::uint64_t sent = own_bytes(to_, binding.sending());
  const std::uint64_t expected = own_bytes(from_, binding.receive);
  if (sent != expected)
    throw Error(ErrorClass::truncate,
                text("rank ", rank_, " sends ", sent, " bytes to itself, but expects ", expected));
}

Blocks PeerBlocks::join(Scratch& scratch, const BlockList<ConstBlock>& send,
                        const BlockList<Block>& receive) {
  split_.clear();
  const auto copy_edges = [&](const Peer& peer, const Block& block) {
    std::byte* at = block.data;
    for (const int edge : peer.edges) {
      const ConstBlock one = send[static_cast<std::size_t>(edge)];
      copy_bytes(at, one.data, one.bytes);
      at += one.bytes;
    }
  };
  const auto note = [&](const Peer& peer, const Block&) { split_.push_back(&peer); };
  const std::size_t longest_sent =
      find_blocks(scratch, Scratch::kJoinedSend, to_, send, send_, copy_edges);
  const std::size_t longest_received =
      find_blocks(scratch, Scratch::kJoinedReceive, from_, receive, receive_, note);
  return {.send = {send_, longest_sent}, .receive = {receive_, longest_received}};
}

Blocks PeerBlocks::without_data(const Error& failure) {
  split_.clear();
  for (const Peer& peer : to_) send_[static_cast<std::size_t>(peer.rank)] = {};
  for (const Peer& peer : from_) receive_[static_cast<std::size_t>(peer.rank)] = {};
  return {.send = {send_, 0}, .receive = {receive_, 0}, .failure = &failure};
}

void PeerBlocks::split(const BlockList<Block>& receive) const {
  for (const Peer* const peer : split_) {
    const std::byte* at = receive_[static_cast<std::size_t>(peer->rank)].data;
    for (const int edge : peer->edges) {
      const Block one = receive[static_cast<std::size_t>(edge)];
      copy_bytes(one.data, at, one.bytes);
      at += one.bytes;
    }
  }
}

}  // namespace rondo::communicator
