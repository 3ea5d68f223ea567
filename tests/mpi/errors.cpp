// Wrong use: the class of the error, and a text that names the argument.
#include <rondo/rondo.h>

#include <algorithm>

#include "support/algorithms.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

/// The arguments of one exchange, which a row makes wrong.
struct Bent {
  SmallExchange& from;
  SmallExchange& to;
  Arguments& send;
  Arguments& receive;
};

struct WrongRow {
  const char* what;
  Collective collective;
  void (*bend)(Bent bent);
  int error_class;
  const char* named;  ///< what the text must contain
};

constexpr auto kUniform = Collective::alltoall;
constexpr auto kVariable = Collective::alltoallv;
constexpr auto kMixed = Collective::alltoallw;

const int kMinusOne = -1;
const MPI_Datatype kNoType = MPI_DATATYPE_NULL;

using Bend = void (*)(Bent);
const Bend negative_sends = [](Bent bent) { bent.from.counts.back() = -3; };
const Bend negative_receives = [](Bent bent) { bent.to.counts.back() = -3; };
const Bend negative_send = [](Bent bent) { bent.send.counts = &kMinusOne; };
const Bend negative_receive = [](Bent bent) { bent.receive.counts = &kMinusOne; };
const Bend no_send_buffer = [](Bent bent) { bent.send.buffer = nullptr; };
const Bend no_receive_buffer = [](Bent bent) { bent.receive.buffer = nullptr; };
const Bend no_send_type = [](Bent bent) { bent.send.types = &kNoType; };
const Bend no_receive_type = [](Bent bent) { bent.receive.types = &kNoType; };
const Bend no_last_send_type = [](Bent bent) { bent.from.types.back() = kNoType; };
const Bend no_last_receive_type = [](Bent bent) { bent.to.types.back() = kNoType; };
const Bend no_types = [](Bent bent) { std::ranges::fill(bent.from.types, kNoType); };
const Bend no_counts = [](Bent bent) { bent.receive.counts = nullptr; };
const Bend no_displacements = [](Bent bent) { bent.send.displacements = nullptr; };

const WrongRow kRows[] = {
    {"negative sendcount", kUniform, negative_send, MPI_ERR_COUNT, "sendcount"},
    {"negative recvcount", kUniform, negative_receive, MPI_ERR_COUNT, "recvcount"},
    {"null sendbuf", kUniform, no_send_buffer, MPI_ERR_BUFFER, "sendbuf"},
    {"null recvbuf", kUniform, no_receive_buffer, MPI_ERR_BUFFER, "recvbuf"},
    {"null sendtype", kUniform, no_send_type, MPI_ERR_TYPE, "sendtype"},
    {"null recvtype", kUniform, no_receive_type, MPI_ERR_TYPE, "recvtype"},
    {"negative sendcounts", kVariable, negative_sends, MPI_ERR_COUNT, "sendcounts"},
    {"negative recvcounts", kVariable, negative_receives, MPI_ERR_COUNT, "recvcounts"},
    {"null sendbuf", kVariable, no_send_buffer, MPI_ERR_BUFFER, "sendbuf"},
    {"null recvbuf", kVariable, no_receive_buffer, MPI_ERR_BUFFER, "recvbuf"},
    {"null sendtype", kVariable, no_send_type, MPI_ERR_TYPE, "sendtype"},
    {"null recvtype", kVariable, no_receive_type, MPI_ERR_TYPE, "recvtype"},
    {"negative sendcounts", kMixed, negative_sends, MPI_ERR_COUNT, "sendcounts"},
    {"negative recvcounts", kMixed, negative_receives, MPI_ERR_COUNT, "recvcounts"},
    {"null sendbuf", kMixed, no_send_buffer, MPI_ERR_BUFFER, "sendbuf"},
    {"null recvbuf", kMixed, no_receive_buffer, MPI_ERR_BUFFER, "recvbuf"},
    {"null type in sendtypes", kMixed, no_last_send_type, MPI_ERR_TYPE, "sendtype"},
    {"null type in recvtypes", kMixed, no_last_receive_type, MPI_ERR_TYPE, "recvtype"},
    {"null types in sendtypes", kMixed, no_types, MPI_ERR_TYPE, "sendtype"},
    {"null recvcounts", kVariable, no_counts, MPI_ERR_ARG, "recvcounts"},
    {"null sdispls", kMixed, no_displacements, MPI_ERR_ARG, "sdispls"},
};

/// Wrong on all ranks, for `call(send, receive)`; afterwards the communicator must work.
template <class Call>
void expect_wrong(const WrongRow& wrong, MPI_Comm comm, Row& row, Call&& call) {
  SmallExchange from(comm, 3);
  SmallExchange to(comm, 3);
  Arguments send = from.send(wrong.collective);
  Arguments receive = to.receive(wrong.collective);
  wrong.bend({from, to, send, receive});
  row.expect_error(call(send, receive), wrong.error_class, wrong.named);
  SmallExchange(comm, 3).run(wrong.collective, comm, row);
}

void run_wrong(const WrongRow& wrong, const std::string& algorithm, MPI_Comm comm, Row& row) {
  set_algorithm(comm, wrong.collective, algorithm, row);
  expect_wrong(wrong, comm, row, [&](const Arguments& send, const Arguments& receive) {
    return exchange(wrong.collective, send, receive, comm);
  });
}

void run_wrong_plan(const WrongRow& wrong, MPI_Comm comm, Row& row) {
  expect_wrong(wrong, comm, row, [&](const Arguments& send, const Arguments& receive) {
    Rondo_Plan plan = RONDO_PLAN_NULL;
    int code = make_plan(wrong.collective, send, receive, comm, MPI_INFO_NULL, &plan);
    // A plan's buffers may be chosen later, so a null one is an error of the execution.
    if (code == MPI_SUCCESS && wrong.error_class == MPI_ERR_BUFFER)
      code = execute(plan, send.buffer, receive.buffer);
    row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
    return code;
  });
}

/// Only a plan that was made in place may be executed in place, and only so.
void run_wrong_execution(bool is_in_place, MPI_Comm comm, Row& row) {
  SmallExchange small(comm, 3);
  const Arguments send = small.send(kVariable);
  const Arguments receive = small.receive(kVariable);
  const Plan plan(kVariable, is_in_place ? in_place() : send, receive, comm, row);
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

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "errors");
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  MPI_Comm comm = new_comm();
  for (const WrongRow& wrong : kRows) {
    for (const std::string& algorithm : registered(wrong.collective, true))
      runner.run(rondo::text(wrong.what, ", ", name_of(wrong.collective), " ", algorithm),
                 run_wrong, wrong, algorithm, comm);
    runner.run(rondo::text(wrong.what, ", plan of ", name_of(wrong.collective)), run_wrong_plan,
               wrong, comm);
  }
  for (const bool is_in_place : {false, true})
    runner.run(rondo::text("plan made ", is_in_place ? "" : "not ", "in place, executed otherwise"),
               run_wrong_execution, is_in_place, comm);
  for (const Collective collective : kCollectives) {
    runner.run(rondo::text("MPI_COMM_NULL, ", name_of(collective)), run_null_comm, collective);
    runner.run(rondo::text("uncommitted type, ", name_of(collective)), run_uncommitted, collective,
               comm);
  }
  runner.run("a user's error handler", run_user_handler);
  must(MPI_Comm_free(&comm));
  return runner.finish();
}
