// SparseAllToAllBenchmark as a contender of rondo-bench. FUNCTION is one of its alltoall.h. Copying into and out
// of its vectors counts.
#include <algorithm>
#include <string>
#include "alltoall.h"

extern "C" int contender_alltoallv_dynamic(const void* sendbuf, const int* sendcounts,
                                           const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                                           int, int* recvcounts, int* rdispls, MPI_Datatype,
                                           MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < ranks; ++i) {
    const char* block = static_cast<const char*>(sendbuf) + sdispls[i];
    blocks.emplace_back(block, block + sendcounts[i]);
  }
  char* at = static_cast<char*>(recvbuf);
  const auto found = FUNCTION(blocks, sendtype, comm);
  for (const auto& block : std::get<0>(found)) at = std::copy(block.begin(), block.end(), at);
  return MPI_SUCCESS;
}
