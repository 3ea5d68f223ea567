/* The functions that the module `rondo` calls. They convert handles and buffers from Fortran's form
 * to C's and call the C interface. Counts and displacements are passed on unchanged, since a
 * default Fortran integer is a C int (checked below). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_f08.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
               "Rondo requires Fortran's default integer to be C's int");

/* The text of an error that was found here, before the C interface was called; otherwise empty. */
static _Thread_local char shim_error[160];

static int raise_error(MPI_Comm comm, int error) {
  MPI_Errhandler handler;
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    if (handler == MPI_ERRORS_ARE_FATAL) fprintf(stderr, "rondo: %s\n", shim_error);
    if (handler != MPI_ERRORS_RETURN) PMPI_Comm_call_errhandler(comm, error);
    PMPI_Errhandler_free(&handler);
  }
  return error;
}

static int no_memory(MPI_Comm comm, const char* what) {
  snprintf(shim_error, sizeof shim_error, "no memory for %s", what);
  return raise_error(comm, MPI_ERR_NO_MEM);
}

typedef struct {
  rondo_f08_buffer send;
  rondo_f08_buffer recv;
} buffers;

static int open_buffers(buffers* both, const CFI_cdesc_t* sendbuf, const CFI_cdesc_t* recvbuf,
                        rondo_f08_special special) {
  shim_error[0] = '\0';
  int error = rondo_f08_open(&both->send, sendbuf, special);
  if (error != MPI_SUCCESS) return error;
  error = rondo_f08_open(&both->recv, recvbuf, special);
  if (error != MPI_SUCCESS) rondo_f08_close(&both->send, 0);
  return error;
}

static void close_buffers(buffers* both) {
  rondo_f08_close(&both->send, 0);
  rondo_f08_close(&both->recv, 1);
}

/* Returns the number of ranks with which a collective on `comm` exchanges. */
static int peers(MPI_Comm comm) {
  int inter = 0;
  int count = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  if ((inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &count) != MPI_SUCCESS) return 0;
  return count;
}

/* Returns the datatype handles for C, send types first, or NULL if there is no memory. The caller
 * frees them. `sendtypes` is NULL with MPI_IN_PLACE. */
static MPI_Datatype* c_types(int count, const MPI_Fint* sendtypes, const MPI_Fint* recvtypes) {
  MPI_Datatype* types = malloc((2 * (size_t)count + 1) * sizeof *types);
  for (int i = 0; types != NULL && i < count; ++i) {
    types[i] = sendtypes == NULL ? MPI_DATATYPE_NULL : PMPI_Type_f2c(sendtypes[i]);
    types[count + i] = PMPI_Type_f2c(recvtypes[i]);
  }
  return types;
}

/* ---- Exchanges ---- */

int rondo_f08_alltoall(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                       const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                       MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Alltoall(both.send.address, sendcount, PMPI_Type_f2c(sendtype),
                                   both.recv.address, recvcount, PMPI_Type_f2c(recvtype), comm);
  close_buffers(&both);
  return error;
}

int rondo_f08_alltoallv(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                        MPI_Fint sendtype, const CFI_cdesc_t* recvbuf, const int* recvcounts,
                        const int* rdispls, MPI_Fint recvtype, MPI_Fint f_comm,
                        const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error =
      Rondo_Alltoallv(both.send.address, sendcounts, sdispls, PMPI_Type_f2c(sendtype),
                      both.recv.address, recvcounts, rdispls, PMPI_Type_f2c(recvtype), comm);
  close_buffers(&both);
  return error;
}

int rondo_f08_alltoallw(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                        const MPI_Fint* sendtypes, const CFI_cdesc_t* recvbuf,
                        const int* recvcounts, const int* rdispls, const MPI_Fint* recvtypes,
                        MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  const int count = peers(comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  MPI_Datatype* types =
      c_types(count, both.send.address == MPI_IN_PLACE ? NULL : sendtypes, recvtypes);
  const int error =
      types == NULL ? no_memory(comm, "the datatypes")
                    : Rondo_Alltoallw(both.send.address, sendcounts, sdispls, types,
                                      both.recv.address, recvcounts, rdispls, types + count, comm);
  free(types);
  close_buffers(&both);
  return error;
}

/* ---- Dynamic exchanges ---- */

int rondo_f08_alltoallv_dynamic(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                const int* sdispls, MPI_Fint sendtype, const CFI_cdesc_t* recvbuf,
                                int recvcapacity, int* recvcounts, int* rdispls, MPI_Fint recvtype,
                                MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Alltoallv_dynamic(
      both.send.address, sendcounts, sdispls, PMPI_Type_f2c(sendtype), both.recv.address,
      recvcapacity, recvcounts, rdispls, PMPI_Type_f2c(recvtype), comm);
  close_buffers(&both);
  return error;
}

/* In Rondo's own memory. */
int rondo_f08_alltoallv_dynamic_alloc(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                      const int* sdispls, MPI_Fint sendtype, void** recvbuf,
                                      int* recvcounts, int* rdispls, MPI_Fint recvtype,
                                      MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  rondo_f08_buffer send;
  shim_error[0] = '\0';
  if (rondo_f08_open(&send, sendbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Alltoallv_dynamic_alloc(
      send.address, sendcounts, sdispls, PMPI_Type_f2c(sendtype), NULL, NULL, recvbuf, recvcounts,
      rdispls, PMPI_Type_f2c(recvtype), comm);
  rondo_f08_close(&send, 0);
  return error;
}

int rondo_f08_alltoallv_dynamic_take(const CFI_cdesc_t* recvbuf, int recvcapacity,
                                     MPI_Fint recvtype, MPI_Fint f_comm, const void* in_place,
                                     const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  rondo_f08_buffer recv;
  shim_error[0] = '\0';
  if (rondo_f08_open(&recv, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error =
      Rondo_Alltoallv_dynamic_take(recv.address, recvcapacity, PMPI_Type_f2c(recvtype), comm);
  rondo_f08_close(&recv, 1);
  return error;
}

/* ---- Sparse exchanges ---- */

int rondo_f08_sparse_alltoallv(const CFI_cdesc_t* sendbuf, int ndestinations,
                               const int* destinations, const int* sendcounts, const int* sdispls,
                               MPI_Fint sendtype, const CFI_cdesc_t* recvbuf, int recvcapacity,
                               MPI_Fint recvtype, Rondo_Sources* sources, MPI_Fint f_comm,
                               const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  *sources = (Rondo_Sources){0};
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Sparse_alltoallv(
      both.send.address, ndestinations, destinations, sendcounts, sdispls, PMPI_Type_f2c(sendtype),
      both.recv.address, recvcapacity, PMPI_Type_f2c(recvtype), sources, comm);
  close_buffers(&both);
  return error;
}

/* In Rondo's own memory. */
int rondo_f08_sparse_alltoallv_alloc(const CFI_cdesc_t* sendbuf, int ndestinations,
                                     const int* destinations, const int* sendcounts,
                                     const int* sdispls, MPI_Fint sendtype, void** recvbuf,
                                     MPI_Fint recvtype, Rondo_Sources* sources, MPI_Fint f_comm,
                                     const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  rondo_f08_buffer send;
  shim_error[0] = '\0';
  *sources = (Rondo_Sources){0};
  if (rondo_f08_open(&send, sendbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Sparse_alltoallv_alloc(
      send.address, ndestinations, destinations, sendcounts, sdispls, PMPI_Type_f2c(sendtype), NULL,
      NULL, recvbuf, PMPI_Type_f2c(recvtype), sources, comm);
  rondo_f08_close(&send, 0);
  return error;
}

/* ---- Neighbourhood exchanges ---- */

/* Finds how many edges lead from this rank and to it: 0 without a topology, of which the C interface
 * then tells. */
static void count_edges(MPI_Comm comm, int* to, int* from) {
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

/* As c_types(), with a datatype for every edge. Writes where the received types begin. */
static MPI_Datatype* edge_types(MPI_Comm comm, const MPI_Fint* sendtypes, const MPI_Fint* recvtypes,
                                MPI_Datatype** received) {
  int to = 0;
  int from = 0;
  count_edges(comm, &to, &from);
  MPI_Datatype* types = malloc(((size_t)to + (size_t)from + 1) * sizeof *types);
  if (types == NULL) return NULL;
  *received = types + to;
  for (int i = 0; i < to; ++i) types[i] = PMPI_Type_f2c(sendtypes[i]);
  for (int i = 0; i < from; ++i) (*received)[i] = PMPI_Type_f2c(recvtypes[i]);
  return types;
}

int rondo_f08_neighbor_alltoall(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                                const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                                MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error =
      Rondo_Neighbor_alltoall(both.send.address, sendcount, PMPI_Type_f2c(sendtype),
                              both.recv.address, recvcount, PMPI_Type_f2c(recvtype), comm);
  close_buffers(&both);
  return error;
}

int rondo_f08_neighbor_alltoallv(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                 const int* sdispls, MPI_Fint sendtype, const CFI_cdesc_t* recvbuf,
                                 const int* recvcounts, const int* rdispls, MPI_Fint recvtype,
                                 MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  const int error = Rondo_Neighbor_alltoallv(both.send.address, sendcounts, sdispls,
                                             PMPI_Type_f2c(sendtype), both.recv.address, recvcounts,
                                             rdispls, PMPI_Type_f2c(recvtype), comm);
  close_buffers(&both);
  return error;
}

int rondo_f08_neighbor_alltoallw(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                 const MPI_Aint* sdispls, const MPI_Fint* sendtypes,
                                 const CFI_cdesc_t* recvbuf, const int* recvcounts,
                                 const MPI_Aint* rdispls, const MPI_Fint* recvtypes,
                                 MPI_Fint f_comm, const void* in_place, const void* bottom) {
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  MPI_Datatype* received = NULL;
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(comm, "the copy of a non-contiguous buffer");
  MPI_Datatype* types = edge_types(comm, sendtypes, recvtypes, &received);
  const int error = types == NULL ? no_memory(comm, "the datatypes")
                                  : Rondo_Neighbor_alltoallw(both.send.address, sendcounts, sdispls,
                                                             types, both.recv.address, recvcounts,
                                                             rdispls, received, comm);
  free(types);
  close_buffers(&both);
  return error;
}

/* ---- Which algorithm ---- */

int rondo_f08_comm_prepare(MPI_Fint comm, MPI_Fint info) {
  shim_error[0] = '\0';
  return Rondo_Comm_prepare(PMPI_Comm_f2c(comm), PMPI_Info_f2c(info));
}

/* A blank algorithm means auto, like NULL in C. */
int rondo_f08_comm_set_algorithm(MPI_Fint comm, const char* collective, const char* algorithm) {
  shim_error[0] = '\0';
  return Rondo_Comm_set_algorithm(PMPI_Comm_f2c(comm), collective,
                                  algorithm[0] == '\0' ? NULL : algorithm);
}

int rondo_f08_comm_get_algorithm(MPI_Fint comm, const char* collective, char* text, int length) {
  shim_error[0] = '\0';
  return Rondo_Comm_get_algorithm(PMPI_Comm_f2c(comm), collective, text, length);
}

int rondo_f08_comm_get_last_algorithm(MPI_Fint comm, char* text, int length) {
  shim_error[0] = '\0';
  return Rondo_Comm_get_last_algorithm(PMPI_Comm_f2c(comm), text, length);
}

/* ---- Plans. A plan does not keep the buffers, so a non-contiguous one is not copied here. ---- */

static void* plan_address(const CFI_cdesc_t* actual, rondo_f08_special special) {
  if (actual->base_addr == special.in_place) return MPI_IN_PLACE;
  if (actual->base_addr == special.bottom) return MPI_BOTTOM;
  return actual->base_addr;
}

int rondo_f08_alltoall_plan(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                            const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                            MPI_Fint comm, MPI_Fint info, Rondo_Plan* plan, const void* in_place,
                            const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  shim_error[0] = '\0';
  return Rondo_Alltoall_plan(plan_address(sendbuf, special), sendcount, PMPI_Type_f2c(sendtype),
                             plan_address(recvbuf, special), recvcount, PMPI_Type_f2c(recvtype),
                             PMPI_Comm_f2c(comm), PMPI_Info_f2c(info), plan);
}

int rondo_f08_alltoallv_plan(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                             MPI_Fint sendtype, const CFI_cdesc_t* recvbuf, const int* recvcounts,
                             const int* rdispls, MPI_Fint recvtype, MPI_Fint comm, MPI_Fint info,
                             Rondo_Plan* plan, const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  shim_error[0] = '\0';
  return Rondo_Alltoallv_plan(plan_address(sendbuf, special), sendcounts, sdispls,
                              PMPI_Type_f2c(sendtype), plan_address(recvbuf, special), recvcounts,
                              rdispls, PMPI_Type_f2c(recvtype), PMPI_Comm_f2c(comm),
                              PMPI_Info_f2c(info), plan);
}

int rondo_f08_alltoallw_plan(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                             const MPI_Fint* sendtypes, const CFI_cdesc_t* recvbuf,
                             const int* recvcounts, const int* rdispls, const MPI_Fint* recvtypes,
                             MPI_Fint f_comm, MPI_Fint info, Rondo_Plan* plan, const void* in_place,
                             const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  const int count = peers(comm);
  void* send = plan_address(sendbuf, special);
  shim_error[0] = '\0';
  MPI_Datatype* types = c_types(count, send == MPI_IN_PLACE ? NULL : sendtypes, recvtypes);
  if (types == NULL) return no_memory(comm, "the datatypes");
  const int error =
      Rondo_Alltoallw_plan(send, sendcounts, sdispls, types, plan_address(recvbuf, special),
                           recvcounts, rdispls, types + count, comm, PMPI_Info_f2c(info), plan);
  free(types);
  return error;
}

int rondo_f08_neighbor_alltoall_plan(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                                     const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                                     MPI_Fint comm, MPI_Fint info, Rondo_Plan* plan,
                                     const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  shim_error[0] = '\0';
  return Rondo_Neighbor_alltoall_plan(plan_address(sendbuf, special), sendcount,
                                      PMPI_Type_f2c(sendtype), plan_address(recvbuf, special),
                                      recvcount, PMPI_Type_f2c(recvtype), PMPI_Comm_f2c(comm),
                                      PMPI_Info_f2c(info), plan);
}

int rondo_f08_neighbor_alltoallv_plan(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                      const int* sdispls, MPI_Fint sendtype,
                                      const CFI_cdesc_t* recvbuf, const int* recvcounts,
                                      const int* rdispls, MPI_Fint recvtype, MPI_Fint comm,
                                      MPI_Fint info, Rondo_Plan* plan, const void* in_place,
                                      const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  shim_error[0] = '\0';
  return Rondo_Neighbor_alltoallv_plan(plan_address(sendbuf, special), sendcounts, sdispls,
                                       PMPI_Type_f2c(sendtype), plan_address(recvbuf, special),
                                       recvcounts, rdispls, PMPI_Type_f2c(recvtype),
                                       PMPI_Comm_f2c(comm), PMPI_Info_f2c(info), plan);
}

int rondo_f08_neighbor_alltoallw_plan(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                      const MPI_Aint* sdispls, const MPI_Fint* sendtypes,
                                      const CFI_cdesc_t* recvbuf, const int* recvcounts,
                                      const MPI_Aint* rdispls, const MPI_Fint* recvtypes,
                                      MPI_Fint f_comm, MPI_Fint info, Rondo_Plan* plan,
                                      const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  MPI_Datatype* received = NULL;
  shim_error[0] = '\0';
  MPI_Datatype* types = edge_types(comm, sendtypes, recvtypes, &received);
  if (types == NULL) return no_memory(comm, "the datatypes");
  const int error = Rondo_Neighbor_alltoallw_plan(
      plan_address(sendbuf, special), sendcounts, sdispls, types, plan_address(recvbuf, special),
      recvcounts, rdispls, received, comm, PMPI_Info_f2c(info), plan);
  free(types);
  return error;
}

int rondo_f08_execute(Rondo_Plan plan, const CFI_cdesc_t* sendbuf, const CFI_cdesc_t* recvbuf,
                      const void* in_place, const void* bottom) {
  buffers both;
  if (open_buffers(&both, sendbuf, recvbuf, (rondo_f08_special){in_place, bottom}))
    return no_memory(MPI_COMM_SELF, "the copy of a non-contiguous buffer");
  const int error = Rondo_Execute(plan, both.send.address, both.recv.address);
  close_buffers(&both);
  return error;
}

int rondo_f08_plan_get_algorithm(Rondo_Plan plan, char* text, int length) {
  shim_error[0] = '\0';
  return Rondo_Plan_get_algorithm(plan, text, length);
}

int rondo_f08_plan_free(Rondo_Plan* plan) {
  shim_error[0] = '\0';
  return Rondo_Plan_free(plan);
}

/* ---- Started exchanges. A copy could not stay until the end, so a non-contiguous buffer is an
 * error. ---- */

static int have_gaps(const CFI_cdesc_t* sendbuf, const CFI_cdesc_t* recvbuf, MPI_Comm comm,
                     int* error) {
  shim_error[0] = '\0';
  if (rondo_f08_is_contiguous(sendbuf) && rondo_f08_is_contiguous(recvbuf)) return 0;
  snprintf(shim_error, sizeof shim_error,
           "a started exchange needs contiguous buffers, but one is not contiguous");
  *error = raise_error(comm, MPI_ERR_BUFFER);
  return 1;
}

int rondo_f08_ialltoall(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                        const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                        MPI_Fint f_comm, Rondo_Request* request, const void* in_place,
                        const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  int error = MPI_SUCCESS;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  return Rondo_Ialltoall(plan_address(sendbuf, special), sendcount, PMPI_Type_f2c(sendtype),
                         plan_address(recvbuf, special), recvcount, PMPI_Type_f2c(recvtype), comm,
                         request);
}

int rondo_f08_ialltoallv(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                         MPI_Fint sendtype, const CFI_cdesc_t* recvbuf, const int* recvcounts,
                         const int* rdispls, MPI_Fint recvtype, MPI_Fint f_comm,
                         Rondo_Request* request, const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  int error = MPI_SUCCESS;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  return Rondo_Ialltoallv(plan_address(sendbuf, special), sendcounts, sdispls,
                          PMPI_Type_f2c(sendtype), plan_address(recvbuf, special), recvcounts,
                          rdispls, PMPI_Type_f2c(recvtype), comm, request);
}

/* The handles for C must stay until the end; they are freed with the request. */
int rondo_f08_ialltoallw(const CFI_cdesc_t* sendbuf, const int* sendcounts, const int* sdispls,
                         const MPI_Fint* sendtypes, const CFI_cdesc_t* recvbuf,
                         const int* recvcounts, const int* rdispls, const MPI_Fint* recvtypes,
                         MPI_Fint f_comm, Rondo_Request* request, MPI_Datatype** types,
                         const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  const int count = peers(comm);
  void* send = plan_address(sendbuf, special);
  int error = MPI_SUCCESS;
  *request = RONDO_REQUEST_NULL;
  *types = NULL;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  *types = c_types(count, send == MPI_IN_PLACE ? NULL : sendtypes, recvtypes);
  if (*types == NULL) return no_memory(comm, "the datatypes");
  return Rondo_Ialltoallw(send, sendcounts, sdispls, *types, plan_address(recvbuf, special),
                          recvcounts, rdispls, *types + count, comm, request);
}

int rondo_f08_ineighbor_alltoall(const CFI_cdesc_t* sendbuf, int sendcount, MPI_Fint sendtype,
                                 const CFI_cdesc_t* recvbuf, int recvcount, MPI_Fint recvtype,
                                 MPI_Fint f_comm, Rondo_Request* request, const void* in_place,
                                 const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  int error = MPI_SUCCESS;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  return Rondo_Ineighbor_alltoall(plan_address(sendbuf, special), sendcount,
                                  PMPI_Type_f2c(sendtype), plan_address(recvbuf, special),
                                  recvcount, PMPI_Type_f2c(recvtype), comm, request);
}

int rondo_f08_ineighbor_alltoallv(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                  const int* sdispls, MPI_Fint sendtype, const CFI_cdesc_t* recvbuf,
                                  const int* recvcounts, const int* rdispls, MPI_Fint recvtype,
                                  MPI_Fint f_comm, Rondo_Request* request, const void* in_place,
                                  const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  int error = MPI_SUCCESS;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  return Rondo_Ineighbor_alltoallv(plan_address(sendbuf, special), sendcounts, sdispls,
                                   PMPI_Type_f2c(sendtype), plan_address(recvbuf, special),
                                   recvcounts, rdispls, PMPI_Type_f2c(recvtype), comm, request);
}

int rondo_f08_ineighbor_alltoallw(const CFI_cdesc_t* sendbuf, const int* sendcounts,
                                  const MPI_Aint* sdispls, const MPI_Fint* sendtypes,
                                  const CFI_cdesc_t* recvbuf, const int* recvcounts,
                                  const MPI_Aint* rdispls, const MPI_Fint* recvtypes,
                                  MPI_Fint f_comm, Rondo_Request* request, MPI_Datatype** types,
                                  const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  const MPI_Comm comm = PMPI_Comm_f2c(f_comm);
  MPI_Datatype* received = NULL;
  int error = MPI_SUCCESS;
  *request = RONDO_REQUEST_NULL;
  *types = NULL;
  if (have_gaps(sendbuf, recvbuf, comm, &error)) return error;
  *types = edge_types(comm, sendtypes, recvtypes, &received);
  if (*types == NULL) return no_memory(comm, "the datatypes");
  return Rondo_Ineighbor_alltoallw(plan_address(sendbuf, special), sendcounts, sdispls, *types,
                                   plan_address(recvbuf, special), recvcounts, rdispls, received,
                                   comm, request);
}

int rondo_f08_start(Rondo_Plan plan, const CFI_cdesc_t* sendbuf, const CFI_cdesc_t* recvbuf,
                    Rondo_Request* request, const void* in_place, const void* bottom) {
  const rondo_f08_special special = {in_place, bottom};
  int error = MPI_SUCCESS;
  if (have_gaps(sendbuf, recvbuf, MPI_COMM_SELF, &error)) return error;
  return Rondo_Start(plan, plan_address(sendbuf, special), plan_address(recvbuf, special), request);
}

static void free_types(Rondo_Request request, MPI_Datatype** types) {
  if (request != RONDO_REQUEST_NULL) return;
  free(*types);
  *types = NULL;
}

int rondo_f08_test(Rondo_Request* request, MPI_Datatype** types, int* flag) {
  shim_error[0] = '\0';
  *flag = 0;
  const int error = Rondo_Test(request, flag);
  free_types(*request, types);
  return error;
}

int rondo_f08_wait(Rondo_Request* request, MPI_Datatype** types) {
  shim_error[0] = '\0';
  const int error = Rondo_Wait(request);
  free_types(*request, types);
  return error;
}

/* As the module's Rondo_Request. */
typedef struct {
  Rondo_Request handle;
  MPI_Datatype* types;
} rondo_f08_request;

/* Calls Rondo_Testall, or Rondo_Waitall if `flag` is NULL, with the handles alone. */
static int complete_all(int count, rondo_f08_request requests[], int* flag) {
  shim_error[0] = '\0';
  Rondo_Request* handles = NULL;
  if (count > 0) {
    handles = malloc((size_t)count * sizeof *handles);
    if (handles == NULL) return no_memory(MPI_COMM_SELF, "the requests");
    for (int i = 0; i < count; ++i) handles[i] = requests[i].handle;
  }
  const int error =
      flag != NULL ? Rondo_Testall(count, handles, flag) : Rondo_Waitall(count, handles);
  for (int i = 0; i < count; ++i) {
    requests[i].handle = handles[i];
    free_types(handles[i], &requests[i].types);
  }
  free(handles);
  return error;
}

int rondo_f08_testall(int count, rondo_f08_request requests[], int* flag) {
  *flag = 0;
  return complete_all(count, requests, flag);
}

int rondo_f08_waitall(int count, rondo_f08_request requests[]) {
  return complete_all(count, requests, NULL);
}

/* ---- Queries ---- */

const char* rondo_f08_last_error(void) {
  return shim_error[0] != '\0' ? shim_error : Rondo_Get_last_error();
}
