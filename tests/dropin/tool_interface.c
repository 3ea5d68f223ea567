/* A program that looks at its MPI library through MPI_T, before MPI_Init and while it exchanges. Rank 0 prints
 *
 *   variable NAME        each control variable
 *   value NAME VALUE     those of Rondo's component that are texts
 *   counted NUMBER       the all-to-all exchanges on MPI_COMM_WORLD that Open MPI's component `monitoring` has counted
 *                        during CALLS of them, if it is on
 *   right                at the end
 *
 * MPI_T ends before MPI does: Open MPI 4.1 does not survive the other order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 20, LONGEST_NAME = 256, MOST_RANKS = 16, LONGEST_VALUE = 4096 };

static const char* const kCounter = "coll_monitoring_a2a_count";
static int rank = 0;

static void require(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "rank %d: %s returns %d\n", rank, what, code);
  exit(1);
}

static void expect(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
  exit(1);
}

/* Variables of components that were closed keep their numbers. */
static int is_gone(int code) {
  return code == MPI_T_ERR_INVALID_INDEX || code == MPI_T_ERR_INVALID;
}

static void print_value(int index, const char* name, MPI_Datatype type) {
  char value[LONGEST_VALUE] = "";
  int count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (type != MPI_CHAR || strncmp(name, "coll_rondo_", strlen("coll_rondo_")) != 0) return;
  require(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), name);
  if (count > 0 && count <= LONGEST_VALUE) require(MPI_T_cvar_read(handle, value), name);
  require(MPI_T_cvar_handle_free(&handle), name);
  printf("value %s %s\n", name, value);
}

/* Returns how many control variables there are; with `is_printed`, rank 0 prints them. */
static int list_variables(int is_printed) {
  int variables = 0;
  require(MPI_T_cvar_get_num(&variables), "MPI_T_cvar_get_num");
  for (int i = 0; i < variables; ++i) {
    char name[LONGEST_NAME];
    int length = sizeof name;
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    const int code =
        MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &words, NULL, NULL, &bind, &scope);
    if (is_gone(code)) continue;
    require(code, "MPI_T_cvar_get_info");
    if (!is_printed || rank != 0) continue;
    printf("variable %s\n", name);
    print_value(i, name, type);
  }
  return variables;
}

static void exchange(void) {
  int ranks = 0;
  int counts[MOST_RANKS], displs[MOST_RANKS], send[MOST_RANKS], receive[MOST_RANKS];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int call = 0; call < CALLS; ++call) {
    for (int q = 0; q < ranks; ++q) {
      counts[q] = 1;
      displs[q] = q;
      send[q] = 10000 * call + 100 * rank + q;
      receive[q] = -1;
    }
    MPI_Alltoallv(send, counts, displs, MPI_INT, receive, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int q = 0; q < ranks; ++q)
      expect(receive[q] == 10000 * call + 100 * q + rank, "the exchange");
  }
}

/* Prints by how much the performance variable kCounter grows during the exchanges. */
static void count_exchanges(int index, MPI_T_pvar_session session) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = 0;
  unsigned long long before = 0;
  unsigned long long after = 0;
  require(MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count), kCounter);
  expect(count == 1, kCounter);
  MPI_T_pvar_start(session, handle); /* refused by those that always count */
  require(MPI_T_pvar_read(session, handle, &before), kCounter);
  exchange();
  require(MPI_T_pvar_read(session, handle, &after), kCounter);
  require(MPI_T_pvar_handle_free(session, &handle), kCounter);
  if (rank == 0) printf("counted %llu\n", after - before);
}

static void measure(void) {
  int variables = 0;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  require(MPI_T_pvar_get_num(&variables), "MPI_T_pvar_get_num");
  require(MPI_T_pvar_session_create(&session), "MPI_T_pvar_session_create");
  exchange();
  for (int i = 0; i < variables; ++i) {
    char name[LONGEST_NAME];
    int length = sizeof name;
    int verbosity, kind, bind, is_readonly, is_continuous, is_atomic;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    const int code = MPI_T_pvar_get_info(i, name, &length, &verbosity, &kind, &type, &words, NULL,
                                         NULL, &bind, &is_readonly, &is_continuous, &is_atomic);
    if (is_gone(code)) continue;
    require(code, "MPI_T_pvar_get_info");
    if (strcmp(name, kCounter) == 0) count_exchanges(i, session);
  }
  require(MPI_T_pvar_session_free(&session), "MPI_T_pvar_session_free");
}

int main(int argc, char** argv) {
  int provided = 0;
  require(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  const int before = list_variables(0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int inside = list_variables(1);
  expect(inside >= before, "the number of control variables");
  measure();
  require(MPI_T_finalize(), "MPI_T_finalize");
  MPI_Finalize();
  if (rank == 0) puts("right");
  return 0;
}
