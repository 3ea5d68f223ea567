// Exchanges after MPI_Finalize has begun: in delete callbacks of attributes of MPI_COMM_SELF, which may
// still call MPI, and in a session that outlives MPI_Finalize. They are right, whichever threads of the ranks make them.
// MPI_Finalize ends although two threads have made windows of Rondo's on communicators that nobody frees, in orders that
// differ between the ranks.
//
// The exit code is the result. The MPI library's error handler ends the program at an error.
#include <rondo/rondo.h>

#include <cstdio>
#include <thread>

#include "support/small.hpp"

namespace {

using namespace rondo::testing;

int g_wrong = 0;

struct Used {
  MPI_Comm prepared = MPI_COMM_NULL;  ///< by Rondo
  MPI_Comm fresh = MPI_COMM_NULL;     ///< of which Rondo has not heard
  Rondo_Plan plan = RONDO_PLAN_NULL;  ///< on `prepared`
};

void expect_right(int code, const SmallExchange& small, const char* what) {
  if (code == MPI_SUCCESS && small.is_right()) return;
  std::printf("FAIL %s: %s\n", what, code == MPI_SUCCESS ? "wrong data" : "an error");
  ++g_wrong;
}

void exchange_once(MPI_Comm comm, const char* what) {
  SmallExchange small(comm, 1);
  expect_right(small.call(Collective::alltoall, comm), small, what);
}

void start_and_wait(MPI_Comm comm, const char* what) {
  SmallExchange small(comm, 1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int started = start(Collective::alltoall, small.send(Collective::alltoall),
                            small.receive(Collective::alltoall), comm, &request);
  const int code = started == MPI_SUCCESS ? Rondo_Wait(&request) : started;
  expect_right(code, small, what);
}

void execute(const Used& used, const char* what) {
  SmallExchange small(used.prepared, 1);
  expect_right(Rondo_Execute(used.plan, small.sent.data(), small.received.data()), small, what);
}

int delete_callback(MPI_Comm, int, void* value, void*) {
  const Used& used = *static_cast<const Used*>(value);
  exchange_once(used.prepared, "a communicator that was set up");
  exchange_once(used.fresh, "another communicator");
  execute(used, "a plan");
  for (MPI_Comm comm : {used.prepared, used.fresh}) start_and_wait(comm, "a start");
  return MPI_SUCCESS;
}

void attach_to_self(Used& used) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_callback, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &used);
}

void use_rondo(Used& used) {
  Rondo_Comm_prepare(used.prepared, MPI_INFO_NULL);
  Rondo_Alltoall_plan(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, used.prepared, MPI_INFO_NULL,
                      &used.plan);
  exchange_once(used.prepared, "before MPI_Finalize");
  // Then the ranks are adding up their times.
  constexpr int kExecutions = 24;
  for (int execution = 0; execution < kExecutions; ++execution)
    execute(used, "a plan before MPI_Finalize");
}

#if MPI_VERSION >= 4
/// A session that begins before MPI_Finalize and outlives it.
class Session {
 public:
  Session() {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_);
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &world);
    for (MPI_Comm* comm : {&prepared_, &fresh_})
      MPI_Comm_create_from_group(world, "rondo-finalize", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                 comm);
    MPI_Group_free(&world);
    Rondo_Comm_prepare(prepared_, MPI_INFO_NULL);
    exchange_once(prepared_, "a session before MPI_Finalize");
  }

  void exchange_and_end() {
    exchange_in_new_thread_of_rank_0();
    start_and_wait(prepared_, "started in a session");
    start_and_wait(fresh_, "started on another communicator of a session");
    exchange_once(fresh_, "another communicator of a session");
    for (MPI_Comm* comm : {&prepared_, &fresh_}) MPI_Comm_free(comm);
    MPI_Session_finalize(&session_);
  }

 private:
  /// A thread remembers which communicators it has used, and this one has used none.
  void exchange_in_new_thread_of_rank_0() {
    const auto exchange = [&] { exchange_once(prepared_, "a session"); };
    if (rank_of(prepared_) == 0)
      std::thread(exchange).join();
    else
      exchange();
  }

  MPI_Session session_ = MPI_SESSION_NULL;
  MPI_Comm prepared_ = MPI_COMM_NULL;
  MPI_Comm fresh_ = MPI_COMM_NULL;
};
#else
/// Sessions came with MPI 4.
struct Session {
  void exchange_and_end() {}
};
#endif

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  static Used used;
  MPI_Comm_dup(MPI_COMM_WORLD, &used.prepared);
  MPI_Comm_dup(MPI_COMM_WORLD, &used.fresh);
  // Attributes are deleted in the reverse order: one callback before Rondo's own, one behind it.
  attach_to_self(used);
  use_rondo(used);
  attach_to_self(used);
  Session session;
  MPI_Finalize();
  session.exchange_and_end();
  return g_wrong == 0 ? 0 : 1;
}
