/* What the shims share that generate.py writes: buffers, datatypes and requests in Fortran's form and in C's. Counts
 * and displacements are passed on unchanged, since a default Fortran integer is a C int (checked
 * below). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_f08.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
               "Rondo requires Fortran's default integer to be C's int");

/* The text of an error that was found here, before the C interface was called; otherwise empty. */
static _Thread_local char shim_error[160];

const char* rondo_f08_last_error(void) {
  return shim_error[0] != '\0' ? shim_error : Rondo_Get_last_error();
}

/* Raises shim_error as the C interface raises its own errors. */
static void fail(rondo_f08_call* call, int error) {
  MPI_Errhandler handler;
  call->error = error;
  if (PMPI_Comm_get_errhandler(call->comm, &handler) == MPI_SUCCESS) {
    if (handler == MPI_ERRORS_ARE_FATAL) fprintf(stderr, "rondo: %s\n", shim_error);
    if (handler != MPI_ERRORS_RETURN) PMPI_Comm_call_errhandler(call->comm, error);
    PMPI_Errhandler_free(&handler);
  }
}

static void no_memory(rondo_f08_call* call, const char* what) {
  snprintf(shim_error, sizeof shim_error, "no memory for %s", what);
  fail(call, MPI_ERR_NO_MEM);
}

rondo_f08_call rondo_f08_begin(MPI_Comm comm, const void* in_place, const void* bottom) {
  shim_error[0] = '\0';
  return (rondo_f08_call){.comm = comm, .in_place = in_place, .bottom = bottom};
}

/* ---- Buffers ---- */

static size_t element_count(const CFI_cdesc_t* array) {
  size_t count = 1;
  for (int i = 0; i < array->rank; ++i) count *= (size_t)array->dim[i].extent;
  return count;
}

/* Whether the elements lie one after another. The last extent of an assumed-size array is -1; such
 * an array is contiguous by definition. */
/* Of a missing buffer, too: Rondo may receive in its own memory. */
static int is_contiguous(const CFI_cdesc_t* array) {
  if (array == NULL) return 1;
  CFI_index_t next = (CFI_index_t)array->elem_len;
  for (int i = 0; i < array->rank; ++i)
    if (array->dim[i].extent == 0) return 1;
  for (int i = 0; i < array->rank; ++i) {
    const CFI_dim_t dim = array->dim[i];
    if (dim.extent < 0) return 1;
    if (dim.extent > 1 && dim.sm != next) return 0;
    next *= dim.extent;
  }
  return 1;
}

enum direction { gather, scatter };

/* Copies the elements of `array`, in Fortran's order, to `packed` or back. */
static void copy_elements(const CFI_cdesc_t* array, char* packed, enum direction direction) {
  CFI_index_t index[CFI_MAX_RANK] = {0};
  char* element = array->base_addr;
  for (size_t left = element_count(array); left > 0; --left) {
    memcpy(direction == gather ? packed : element, direction == gather ? element : packed,
           array->elem_len);
    packed += array->elem_len;
    for (int i = 0; i < array->rank; ++i) {
      element += array->dim[i].sm;
      if (++index[i] < array->dim[i].extent) break;
      element -= array->dim[i].extent * array->dim[i].sm;
      index[i] = 0;
    }
  }
}

static rondo_f08_buffer uncopied(const rondo_f08_call* call, const CFI_cdesc_t* actual) {
  rondo_f08_buffer buffer = {NULL, NULL};
  if (actual == NULL) return buffer;
  buffer.address = actual->base_addr;
  if (actual->base_addr == call->in_place) buffer.address = MPI_IN_PLACE;
  if (actual->base_addr == call->bottom) buffer.address = MPI_BOTTOM;
  return buffer;
}

void rondo_f08_point(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv) {
  call->send = uncopied(call, send);
  call->recv = uncopied(call, recv);
}

void rondo_f08_refuse_gaps(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv) {
  rondo_f08_point(call, send, recv);
  if (is_contiguous(send) && is_contiguous(recv)) return;
  snprintf(shim_error, sizeof shim_error,
           "a nonblocking exchange needs contiguous buffers, but one is not contiguous");
  fail(call, MPI_ERR_BUFFER);
}

static int copy(rondo_f08_buffer* buffer, const CFI_cdesc_t* actual) {
  if (is_contiguous(actual)) return 1;
  buffer->address = malloc(element_count(actual) * actual->elem_len);
  if (buffer->address == NULL) return 0;
  buffer->copied = actual;
  copy_elements(actual, buffer->address, gather);
  return 1;
}

void rondo_f08_copy(rondo_f08_call* call, const CFI_cdesc_t* send, const CFI_cdesc_t* recv) {
  rondo_f08_point(call, send, recv);
  if (!copy(&call->send, send) || !copy(&call->recv, recv))
    no_memory(call, "the copy of a non-contiguous buffer");
}

/* ---- Datatypes ---- */

void rondo_f08_ranks(MPI_Comm comm, int* to, int* from) {
  int inter = 0;
  *to = 0;
  if (PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS)
    (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, to);
  *from = *to;
}

/* Without a topology there are no edges. The C interface then tells of it. */
void rondo_f08_edges(MPI_Comm comm, int* to, int* from) {
  int inter = 0;
  int kind = MPI_UNDEFINED;
  int rank = 0;
  int weighted = 0;
  *to = *from = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return;
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return;
  if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, from, to, &weighted);
    return;
  }
  if (kind == MPI_CART && PMPI_Cartdim_get(comm, to) == MPI_SUCCESS) *to *= 2;
  if (kind == MPI_GRAPH && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS)
    PMPI_Graph_neighbors_count(comm, rank, to);
  *from = *to;
}

void rondo_f08_types(rondo_f08_call* call, rondo_f08_count* count, const MPI_Fint sendtypes[],
                     const MPI_Fint recvtypes[]) {
  int to = 0;
  int from = 0;
  if (call->error != MPI_SUCCESS) return;
  count(call->comm, &to, &from);
  call->sendtypes = malloc(((size_t)to + (size_t)from + 1) * sizeof *call->sendtypes);
  if (call->sendtypes == NULL) {
    no_memory(call, "the datatypes");
    return;
  }
  call->recvtypes = call->sendtypes + to;
  const int in_place = call->send.address == MPI_IN_PLACE;
  for (int i = 0; i < to; ++i)
    call->sendtypes[i] = in_place ? MPI_DATATYPE_NULL : PMPI_Type_f2c(sendtypes[i]);
  for (int i = 0; i < from; ++i) call->recvtypes[i] = PMPI_Type_f2c(recvtypes[i]);
}

/* ---- Requests ---- */

void rondo_f08_keep_types(rondo_f08_call* call, rondo_f08_request* request) {
  if (request->handle == RONDO_REQUEST_NULL) return;
  request->types = call->sendtypes;
  call->sendtypes = NULL;
}

void rondo_f08_handles(rondo_f08_call* call, int count, rondo_f08_request requests[]) {
  call->count = count > 0 ? count : 0;
  call->requests = requests;
  call->handles =
      call->count > 1 ? malloc((size_t)call->count * sizeof *call->handles) : &call->one;
  if (call->handles == NULL) {
    no_memory(call, "the requests");
    return;
  }
  for (int i = 0; i < call->count; ++i) call->handles[i] = requests[i].handle;
}

/* Frees the datatypes of what is complete. */
static void return_handles(rondo_f08_call* call) {
  for (int i = 0; i < call->count && call->handles != NULL; ++i) {
    rondo_f08_request* request = &call->requests[i];
    request->handle = call->handles[i];
    if (request->handle != RONDO_REQUEST_NULL) continue;
    free(request->types);
    request->types = NULL;
  }
  if (call->handles != &call->one) free(call->handles);
}

void rondo_f08_end(rondo_f08_call* call, int* ierror) {
  free(call->sendtypes);
  if (call->send.copied != NULL) free(call->send.address);
  if (call->recv.copied != NULL) {
    copy_elements(call->recv.copied, call->recv.address, scatter);
    free(call->recv.address);
  }
  return_handles(call);
  if (ierror != NULL) *ierror = call->error;
}
