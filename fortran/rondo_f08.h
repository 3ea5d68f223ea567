/* Buffers and handles in the Fortran shims. Private to fortran/. */
#ifndef RONDO_F08_H
#define RONDO_F08_H

#include <ISO_Fortran_binding.h>
#include <rondo/rondo.h>

/* The addresses that MPI_IN_PLACE and MPI_BOTTOM have in the module mpi_f08. The Fortran side
 * passes them at every call, so the shims need not know an MPI library's internal symbols. */
typedef struct {
  const void* in_place;
  const void* bottom;
} rondo_f08_special;

/* One choice buffer for the C interface. MPI treats a non-contiguous actual argument as if it were
 * contiguous, so such an argument is copied before the call, and copied back after it if it is a
 * receive buffer. */
typedef struct {
  void* address;             /* passed to the C interface */
  const CFI_cdesc_t* copied; /* the descriptor if `address` is a copy, else NULL */
} rondo_f08_buffer;

/* Fills `buffer`. Returns MPI_ERR_NO_MEM if there is no memory for a copy. */
int rondo_f08_open(rondo_f08_buffer* buffer, const CFI_cdesc_t* actual, rondo_f08_special special);

/* Whether the elements lie one after another. */
int rondo_f08_is_contiguous(const CFI_cdesc_t* array);

/* Copies the elements back if `received`, and frees the copy. */
void rondo_f08_close(rondo_f08_buffer* buffer, int received);

#endif
