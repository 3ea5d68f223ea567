#include "barrier.hpp"

namespace rondo::bench {

void disseminate(const Communicator& comm) {
  constexpr int kTag = 0;
  const int rank = comm.rank();
  const int ranks = comm.ranks();
  for (long distance = 1; distance < ranks; distance *= 2) {
    const auto hop = static_cast<int>(distance);
    const int to = (rank + hop) % ranks;
    const int from = (rank - hop + ranks) % ranks;
    check_mpi(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, kTag, nullptr, 0, MPI_BYTE, from, kTag,
                           comm.get(), MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
  }
}

}  // namespace rondo::bench
