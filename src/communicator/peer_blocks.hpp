// From the blocks of edges to the blocks of ranks, and back. Several edges between two ranks make one
// block: their blocks one after another, in the order in which MPI matches them.
#pragma once

#include <vector>

#include "buffers/binding.hpp"
#include "communicator/topology.hpp"
#include "engines/context.hpp"

namespace rondo::communicator {

/// A rank at the other end of some edges.
struct Peer {
  int rank;
  std::vector<int> edges;  ///< in matching order
};

class PeerBlocks {
 public:
  PeerBlocks(const Topology& topology, int rank, int ranks);

  /// The peers in ascending order. This rank may be among them.
  const std::vector<Peer>& to() const { return to_; }
  const std::vector<Peer>& from() const { return from_; }

  /// Throws Error(truncate) if this rank's block to itself has another length than it expects.
  void check_own(const buffers::Binding& binding) const;

  /// Returns the blocks of all ranks, from those of the edges. The block of one edge, and blocks that
  /// lie one after another in memory, are used where they are. They are valid until the next call.
  Blocks join(Scratch& scratch, const BlockList<ConstBlock>& send, const BlockList<Block>& receive);

  /// Returns the blocks of a rank that cannot take part.
  Blocks without_data(const Error& failure);

  /// After the exchange, copies received blocks that were joined to their edges.
  void split(const BlockList<Block>& receive) const;

 private:
  int rank_;
  std::vector<Peer> to_;
  std::vector<Peer> from_;
  std::vector<ConstBlock> send_;  ///< by rank; empty for ranks that are no peers
  std::vector<Block> receive_;
  std::vector<const Peer*> split_;  ///< whose received block must be copied to its edges
};

/// The bytes of all edges of a peer together.
std::uint64_t bytes_of(const Peer& peer, const buffers::Side& side);

}  // namespace rondo::communicator
