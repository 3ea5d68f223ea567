// What stands for MPI's exchanges in C: Rondo's, observed.
#pragma once

#include <mpi.h>

namespace rondo::interpose {

int alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm);

int alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
              void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
              MPI_Comm comm);

int alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
              const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm);

#if MPI_VERSION >= 4
int large_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);

int large_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm);

int large_alltoallw(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm);
#endif

}  // namespace rondo::interpose
