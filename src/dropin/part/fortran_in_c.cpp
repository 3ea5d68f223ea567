// MPI's exchanges as Fortran calls them, for MPICH and the standard ABI. Their Fortran functions call
// the MPI_ functions of C, where Rondo sees the call. The header of the standard ABI has no MPI_Fint.

#include "dropin/part/exchange.hpp"

namespace rondo::dropin {

void add_fortran(Part& part) {
  part.fortran_reaches_c = true;
}

}  // namespace rondo::dropin
