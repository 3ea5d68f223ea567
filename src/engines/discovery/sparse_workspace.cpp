#include "engines/discovery/sparse_workspace.hpp"

namespace rondo::engines {

void SparseWorkspace::list_sources(std::span<const std::uint64_t> lengths) {
  sources.clear();
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    if (lengths[rank] != 0) sources.push_back({static_cast<int>(rank), lengths[rank]});
}

void SparseWorkspace::abandon() {
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
