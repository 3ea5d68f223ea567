// Wrong use: the class of the error, and a text that names the argument. wrong.cpp has the arguments that
// are wrong in every exchange alike.
#include <rondo/rondo.h>

#include <chrono>
#include <thread>

#include "support/added_test.hpp"
#include "support/small.hpp"

namespace errors_test {

using namespace rondo::testing;

/// Only a plan that was made in place may be executed in place, and only so.
void run_wrong_execution(bool is_in_place, MPI_Comm comm, Row& row) {
  SmallExchange small(comm, 3);
  const Arguments send = small.send(Collective::alltoallv);
  const Arguments receive = small.receive(Collective::alltoallv);
  const Plan plan(Collective::alltoallv, is_in_place ? in_place() : send, receive, comm, row);
  row.expect_error(execute(plan, is_in_place ? send.buffer : MPI_IN_PLACE, receive.buffer),
                   MPI_ERR_BUFFER, "sendbuf");
  row.expect_success(execute(plan, is_in_place ? MPI_IN_PLACE : send.buffer, receive.buffer),
                     "executing it rightly");
}

void run_null_comm(Collective collective, Row& row) {
  const TestComm comm;
  SmallExchange small(comm, 1);
  row.expect_error(small.call(collective, MPI_COMM_NULL), MPI_ERR_COMM, "comm");
  row.expect_error(Rondo_Comm_prepare(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM, "comm");
  row.expect_error(Rondo_Comm_set_algorithm(MPI_COMM_NULL, "alltoall", nullptr), MPI_ERR_COMM,
                   "comm");
}

/// If the MPI library notices it, Rondo must notice it too.
void run_uncommitted(Collective collective, MPI_Comm comm, Row& row) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  must(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
  SmallExchange small(comm, 4, type);
  small.counts.assign(small.counts.size(), 1);
  const Arguments send = small.send(collective);
  const Arguments receive = small.receive(collective);
  const int theirs = exchange_mpi(collective, send, receive, comm);
  if (theirs == MPI_SUCCESS) row.skip("this MPI does not notice datatypes that are not committed");
  if (theirs != MPI_SUCCESS)
    row.expect_error(exchange(collective, send, receive, comm), MPI_ERR_TYPE, "type");
  must(MPI_Type_free(&type));
}

/// Rondo_Testall reports the error of a start that the MPI library carries out, as MPI's own start has it,
/// though it is tested again until another exchange is over.
void run_forwarded_error(Row& row) {
  const TestComm comm;
  const TestComm other;
  const int rank = rank_of(comm);
  if (ranks_of(comm) == 1) return row.skip("a rank alone expects what it sends");
  SmallExchange small(comm, 3);
  std::vector<int> expected(small.counts.size(), 1);
  expected[static_cast<std::size_t>(rank)] = 3;
  const auto start_short = [&](auto&& function, MPI_Comm on, auto* request) {
    return function(small.sent.data(), small.counts.data(), small.displacements.data(), MPI_INT,
                    small.received.data(), expected.data(), small.displacements.data(), MPI_INT, on,
                    request);
  };
  int due = MPI_SUCCESS;
  {
    const TestComm control;
    MPI_Request request = MPI_REQUEST_NULL;
    must(start_short(MPI_Ialltoallv, control, &request));
    due = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  if (due == MPI_SUCCESS) return row.skip("this MPI library reports no truncation here");
  Rondo_Request requests[2] = {RONDO_REQUEST_NULL, RONDO_REQUEST_NULL};
  row.expect_success(start_short(Rondo_Ialltoallv, comm, &requests[0]), "a start");
  std::vector<int> received(small.counts.size());
  if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  row.expect_success(
      Rondo_Ialltoall(&rank, 0, MPI_INT, received.data(), 0, MPI_INT, other, &requests[1]),
      "another start");
  int code = MPI_SUCCESS;
  for (int are_over = 0; are_over == 0 && code == MPI_SUCCESS;)
    code = Rondo_Testall(2, requests, &are_over);
  row.expect(class_of(code) == due, "Rondo_Testall returned ", class_of(code), ", MPI_Wait ", due);
}

int handler_calls = 0;
MPI_Comm handler_comm = MPI_COMM_NULL;
int handler_class = MPI_SUCCESS;

void count_error(MPI_Comm* comm, int* code, ...) {
  ++handler_calls;
  handler_comm = *comm;
  handler_class = class_of(*code);
}

void run_user_handler(Row& row) {
  const TestComm comm;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  must(MPI_Comm_create_errhandler(count_error, &handler));
  must(MPI_Comm_set_errhandler(comm, handler));
  handler_calls = 0;
  const int code = Rondo_Comm_set_algorithm(comm, "alltoallv", "no_such");
  row.expect(handler_calls == 1, "the handler was called ", handler_calls, " times");
  row.expect(handler_comm == comm, "the handler got another communicator");
  row.expect(handler_class == MPI_ERR_ARG && class_of(code) == MPI_ERR_ARG, "wrong class");
  must(MPI_Errhandler_free(&handler));
}

void run_test(Runner& runner) {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  MPI_Comm comm = new_comm();
  for (const bool is_in_place : {false, true})
    runner.run(rondo::text("plan made ", is_in_place ? "" : "not ", "in place, executed otherwise"),
               run_wrong_execution, is_in_place, comm);
  for (const Collective collective : kCollectives) {
    runner.run(rondo::text("MPI_COMM_NULL, ", name_of(collective)), run_null_comm, collective);
    runner.run(rondo::text("uncommitted type, ", name_of(collective)), run_uncommitted, collective,
               comm);
  }
  runner.run("the error of a forwarded start", run_forwarded_error);
  runner.run("a user's error handler", run_user_handler);
  must(MPI_Comm_free(&comm));
}

const AddedTest added({.name = "errors", .run = run_test, .settings = {{}, {kEveryStarted}}});

}  // namespace errors_test
