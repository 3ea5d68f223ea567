// MPI's exchanges as Fortran calls them, for MPI libraries whose Fortran functions call PMPI_ ones.
#pragma once

#include <mpi.h>

namespace rondo::interpose::fortran {

/// Whether Fortran's integers are C's, so that counts can be used where they are.
inline constexpr bool kIsSupported = sizeof(MPI_Fint) == sizeof(int);

/// Look for Fortran's MPI_IN_PLACE and MPI_BOTTOM in a scope, see Part::fortran_scope.
void find_sentinels(void* scope);

void alltoall(const void* sendbuf, const MPI_Fint* sendcount, const MPI_Fint* sendtype,
              void* recvbuf, const MPI_Fint* recvcount, const MPI_Fint* recvtype,
              const MPI_Fint* comm, MPI_Fint* error);

void alltoallv(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
               const MPI_Fint* sendtype, void* recvbuf, const MPI_Fint* recvcounts,
               const MPI_Fint* rdispls, const MPI_Fint* recvtype, const MPI_Fint* comm,
               MPI_Fint* error);

void alltoallw(const void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls,
               const MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
               const MPI_Fint* rdispls, const MPI_Fint* recvtypes, const MPI_Fint* comm,
               MPI_Fint* error);

}  // namespace rondo::interpose::fortran
