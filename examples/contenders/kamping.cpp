// The sparse exchange of KaMPIng as a contender of rondo-bench. Messages arrive in any order, and rondo-bench
// expects the blocks in the order of their sources. This copy counts.
#include <algorithm>
#include <kamping/communicator.hpp>
#include <kamping/plugin/alltoall_sparse.hpp>
#include <map>
#include <vector>

using namespace kamping;
using namespace kamping::plugin;

extern "C" int contender_sparse_alltoallv(const void* sendbuf, int ndestinations,
                                          const int* destinations, const int* sendcounts,
                                          const int* sdispls, MPI_Datatype, void* recvbuf, int,
                                          MPI_Datatype, void*, MPI_Comm comm) {
  static const Communicator<std::vector, SparseAlltoall> own(comm);
  std::vector<std::pair<int, Span<const char>>> to;
  for (int i = 0; i < ndestinations; ++i)
    to.emplace_back(
        destinations[i],
        Span<const char>(static_cast<const char*>(sendbuf) + sdispls[i], sendcounts[i]));
  std::map<int, std::vector<char>> from;
  own.alltoallv_sparse(
      sparse_alltoall::sparse_send_buf(to),
      sparse_alltoall::on_message([&](auto& one) { from[one.source_signed()] = one.recv(); }));
  char* at = static_cast<char*>(recvbuf);
  for (const auto& [source, block] : from) at = std::copy(block.begin(), block.end(), at);
  return MPI_SUCCESS;
}
