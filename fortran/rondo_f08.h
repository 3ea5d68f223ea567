/* What the shims share that generate.py writes. Private to fortran/. */
#ifndef RONDO_F08_H
#define RONDO_F08_H

#include <ISO_Fortran_binding.h>
#include <rondo/rondo.h>

/* One choice buffer for the C interface. */
typedef struct {
  void* address;             /* passed to the C interface */
  const CFI_cdesc_t* copied; /* the descriptor if `address` is a copy, else NULL */
} rondo_f08_buffer;

/* As the module's Rondo_Request. */
typedef struct {
  Rondo_Request handle;
  MPI_Datatype* types; /* what a start of alltoallw uses until it is complete */
} rondo_f08_request;

/* One call of the C interface. */
typedef struct {
  MPI_Comm comm;        /* raises what the shims find wrong */
  const void* in_place; /* the address of MPI_IN_PLACE in the module mpi_f08 */
  const void* bottom;   /* that of MPI_BOTTOM */
  rondo_f08_buffer send;
  rondo_f08_buffer recv;
  MPI_Datatype* sendtypes; /* handles for C; the memory of both arrays begins here */
  MPI_Datatype* recvtypes;
  int count; /* of requests to complete */
  rondo_f08_request* requests;
  Rondo_Request* handles; /* theirs alone */
  Rondo_Request one;      /* memory for one of these */
  int error;
} rondo_f08_call;

/* Returns a call without buffers. The Fortran side passes the addresses of MPI_IN_PLACE and
 * MPI_BOTTOM at every call, so the shims need not know an MPI library's internal symbols. */
rondo_f08_call rondo_f08_begin(MPI_Comm comm, const void* in_place, const void* bottom);

/* These set the buffers, either of which may be NULL, or raise an error. MPI treats a non-contiguous
 * buffer as if it were contiguous. */

/* For a call: a non-contiguous buffer is copied, and copied back at the end if it receives. */
void rondo_f08_copy(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv);

/* For a start: a copy could not stay until the end, so a non-contiguous buffer is an error. */
void rondo_f08_refuse_gaps(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv);

/* For a plan, which does not keep the buffers: a non-contiguous one is not copied. */
void rondo_f08_point(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv);

/* Finds to and from how many ranks, or along how many edges, a collective on `comm` sends. */
typedef void rondo_f08_count(MPI_Comm comm, int* to, int* from);
rondo_f08_count rondo_f08_ranks;
rondo_f08_count rondo_f08_edges;

/* Sets the datatypes, after the buffers and unless these have failed. With MPI_IN_PLACE `sendtypes` is
 * not read. */
void rondo_f08_types(rondo_f08_call* call, rondo_f08_count* count, const MPI_Fint sendtypes[],
                     const MPI_Fint recvtypes[]);

/* Leaves the datatypes to the request, if there is one: they must stay until it is complete. */
void rondo_f08_keep_types(rondo_f08_call* call, rondo_f08_request* request);

/* Sets the requests to complete. The end frees the datatypes of those that are complete. */
void rondo_f08_handles(rondo_f08_call* call, int count, rondo_f08_request requests[]);

/* Frees what the call has, and sets `ierror`, which is NULL if the caller leaves it out. */
void rondo_f08_end(rondo_f08_call* call, int* ierror);

#endif
