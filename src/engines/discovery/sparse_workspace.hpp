// What sparse exchanges keep from call to call on one communicator.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/blocks.hpp"
#include "base/status.hpp"
#include "engines/context.hpp"

namespace rondo::engines {

/// A block that a rank sends in a sparse exchange, and its destination.
struct Destination {
  int rank;
  ConstBlock block;
};

/// A rank from which a block comes in a sparse exchange, and the length of the block.
struct Source {
  int rank;
  std::uint64_t bytes;
};

/// What the rounds of a consensus send and receive.
struct ConsensusWorkspace {
  static constexpr std::size_t kMostRounds = 32;

  std::array<Status, kMostRounds> sent;
  std::array<Status, kMostRounds> received;
  std::array<MPI_Request, kMostRounds> sends;
  std::array<MPI_Request, kMostRounds> receives;
  int rounds = 0;  ///< with requests
};

struct SparseWorkspace final : Workspace {
  /// A short block that has arrived, in `data`.
  struct Arrival {
    int rank;
    std::size_t offset;
    std::uint64_t bytes;
  };

  std::vector<Destination> destinations;
  std::vector<Source> sources;
  std::vector<Arrival> arrivals;
  std::vector<std::byte> data;
  std::vector<MPI_Request> sends;
  std::vector<ConstBlock> sent_by_rank;  ///< of a dense exchange; all empty between exchanges
  std::vector<Block> received_by_rank;   ///< of a dense exchange
  ConsensusWorkspace consensus;

  /// Makes `sources` those of the blocks of these lengths, by rank, that are not empty.
  void list_sources(std::span<const std::uint64_t> lengths);

  void abandon() override;
};

/// Returns the workspace of a context, which is made at the first use.
inline SparseWorkspace& sparse_workspace(Context& context) {
  if (!context.sparse) context.sparse = std::make_unique<SparseWorkspace>();
  return static_cast<SparseWorkspace&>(*context.sparse);
}

inline void SparseWorkspace::list_sources(std::span<const std::uint64_t> lengths) {
  sources.clear();
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    if (lengths[rank] != 0) sources.push_back({static_cast<int>(rank), lengths[rank]});
}

inline void SparseWorkspace::abandon() {
  for (int round = 0; round < consensus.rounds; ++round) {
    MPI_Request& request = consensus.receives[static_cast<std::size_t>(round)];
    if (request == MPI_REQUEST_NULL) continue;
    // A cancelled receive completes without its sender. Return codes no longer matter.
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  consensus.rounds = 0;
  sends.clear();
}

}  // namespace rondo::engines
