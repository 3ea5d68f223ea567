// What an exchange moves.
#pragma once

#include "base/block_list.hpp"
#include "base/bytes.hpp"

namespace rondo::exchange {

/// P blocks to send and P to receive, by rank. Sent and received bytes do not overlap. A block of a
/// rank that found its own arguments wrong may have a length but null data. Those of MPI_Alltoall
/// have one length.
struct Blocks {
  BlockList<ConstBlock> send;
  BlockList<Block> receive;

  /// Set where this rank cannot take part properly, only for an engine that reports it to the others.
  const Error* failure = nullptr;

  ConstBlock send_block(int rank) const { return send[static_cast<std::size_t>(rank)]; }
  Block receive_block(int rank) const { return receive[static_cast<std::size_t>(rank)]; }

  /// The length of blocks that have one.
  std::size_t block_bytes() const { return send[0].bytes; }
};

}  // namespace rondo::exchange
