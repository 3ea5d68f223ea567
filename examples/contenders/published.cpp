// The code that the authors of the papers published, as a contender of rondo-bench. HEADER declares FUNCTION, which
// takes RADIX first if that is defined.
#include <vector>

#include HEADER

#ifdef RADIX
#define WITH_RADIX RADIX,
#else
#define WITH_RADIX
#endif

extern "C" int contender_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> counts(sendcounts, sendcounts + ranks);  // which they write into
  FUNCTION(WITH_RADIX(char*) sendbuf, counts.data(), (int*)sdispls, sendtype, (char*)recvbuf,
           (int*)recvcounts, (int*)rdispls, recvtype, comm);
  return MPI_SUCCESS;
}
