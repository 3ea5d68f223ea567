// UCC as a contender of rondo-bench. Its team is set up over the communicator of the first call.
#include <mpi.h>
#include <sched.h>
#include <ucc/api/ucc.h>

static ucc_context_h context;
static ucc_team_h team;
static MPI_Comm own;

static ucc_status_t gather(void* part, void* all, size_t bytes, void* info, void** request) {
  *request = info;
  MPI_Allgather(part, bytes, MPI_BYTE, all, bytes, MPI_BYTE, own);
  return UCC_OK;
}

static ucc_status_t is_over(void* request) {
  return request ? UCC_OK : UCC_ERR_INVALID_PARAM;
}

static void set_up(MPI_Comm comm) {
  int rank, ranks;
  own = comm;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  ucc_oob_coll_t oob = {.allgather = gather,
                        .req_test = is_over,
                        .req_free = is_over,
                        .coll_info = &own,
                        .n_oob_eps = ranks,
                        .oob_ep = rank};
  ucc_lib_params_t lib_params = {.mask = UCC_LIB_PARAM_FIELD_THREAD_MODE};
  ucc_context_params_t context_params = {.mask = UCC_CONTEXT_PARAM_FIELD_OOB, .oob = oob};
  ucc_team_params_t team_params = {.mask = UCC_TEAM_PARAM_FIELD_OOB, .oob = oob};
  ucc_lib_config_h lib_config;
  ucc_context_config_h context_config;
  ucc_lib_h lib;
  ucc_lib_config_read(NULL, NULL, &lib_config);
  ucc_init(&lib_params, lib_config, &lib);
  ucc_context_config_read(lib, NULL, &context_config);
  ucc_context_create(lib, &context_params, context_config, &context);
  ucc_team_create_post(&context, 1, &team_params, &team);
  while (ucc_team_create_test(team) == UCC_INPROGRESS) ucc_context_progress(context);
}

int contender_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                        MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                        const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  if (team == NULL) set_up(comm);
  ucc_coll_args_t args = {.coll_type = UCC_COLL_TYPE_ALLTOALLV,
                          .src.info_v = {(void*)sendbuf, (ucc_count_t*)sendcounts,
                                         (ucc_aint_t*)sdispls, UCC_DT_UINT8, UCC_MEMORY_TYPE_HOST},
                          .dst.info_v = {recvbuf, (ucc_count_t*)recvcounts, (ucc_aint_t*)rdispls,
                                         UCC_DT_UINT8, UCC_MEMORY_TYPE_HOST}};
  ucc_coll_req_h request;
  if (ucc_collective_init(&args, &request, team) != UCC_OK) return MPI_ERR_OTHER;
  ucc_collective_post(request);
  while (ucc_collective_test(request) == UCC_INPROGRESS) {
    ucc_context_progress(context);
    sched_yield();
  }
  return ucc_collective_finalize(request) == UCC_OK ? MPI_SUCCESS : MPI_ERR_OTHER;
}
