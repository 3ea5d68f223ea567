// Arguments of MPI's exchanges as Fortran passes them to Open MPI, in C.
#pragma once

#include <mpi.h>

#include <vector>

namespace rondo::dropin::fortran {

/// Finds MPI_IN_PLACE and MPI_BOTTOM of a caller; see Part::fortran_scope.
void find_sentinels(void* scope);

/// Convert a buffer argument.
const void* to_c(const void* buffer);
void* to_c(void* buffer);

/// In mpi_f08 the argument ierror is optional.
inline void set_error(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

/// Counts are used in place: see add_fortran.
inline const int* ints(const MPI_Fint* numbers) {
  return reinterpret_cast<const int*>(numbers);
}
inline const MPI_Aint* ints(const MPI_Aint* addresses) {
  return addresses;
}

std::vector<MPI_Datatype> types_in_c(const MPI_Fint* types, int count);

/// The number of ranks that a rank exchanges with on `comm`.
int peers(MPI_Comm comm);

}  // namespace rondo::dropin::fortran
