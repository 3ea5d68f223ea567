// A rank has no memory for what a communicator needs at first, at every allocation in turn: all ranks return its
// error, or do without what it is for, and the next exchange is right. Where the MPI library carries an exchange out,
// that rank leaves it, and does not take its next exchange for it.
#include <rondo/rondo.h>

#include <cstdlib>
#include <functional>
#include <limits>

#include "support/added_test.hpp"
#include "support/captured_stderr.hpp"
#include "support/counted_new.hpp"
#include "support/small.hpp"

namespace beginnings_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

/// The next two ranks, on a graph in which every rank sends to them.
MPI_Comm new_ring() {
  const int rank = rank_of(MPI_COMM_WORLD);
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const int to[] = {(rank + 1) % ranks, (rank + 2) % ranks};
  const int from[] = {(rank + ranks - 1) % ranks, (rank + 2 * ranks - 2) % ranks};
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

int exchange_along_edges(MPI_Comm comm, SmallExchange&) {
  const int sent[] = {1, 2};
  int received[2];
  return Rondo_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
}

enum class Ending { success, error };

/// What a program does first with a communicator.
struct Beginning {
  const char* name;
  MPI_Comm (*make)();
  void (*before)(MPI_Comm comm, Row& row);  ///< with memory; may be null
  int (*begin)(MPI_Comm comm, SmallExchange& small);
  std::size_t allocations;  ///< the last ones may be those of an exchange, which a rank leaves
  Ending with_memory = Ending::success;
};

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

void prepare(MPI_Comm comm, Row& row) {
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
}

int make_plan_of(SmallExchange& small, MPI_Comm comm, MPI_Info info) {
  Rondo_Plan plan = RONDO_PLAN_NULL;
  const int code =
      make_plan(kVariable, small.send(kVariable), small.receive(kVariable), comm, info, &plan);
  if (code == MPI_SUCCESS) Rondo_Plan_free(&plan);
  return code;
}

const Beginning kPlan = {
    "a plan", [] { return new_comm(); },
    [](MPI_Comm comm, Row& row) { set_algorithm(comm, kVariable, "node_aware", row); },
    [](MPI_Comm comm, SmallExchange& small) { return make_plan_of(small, comm, MPI_INFO_NULL); },
    kAll};

const Beginning kBeginnings[] = {
    {"a call", [] { return new_comm(); }, nullptr,
     [](MPI_Comm comm, SmallExchange& small) { return small.call(kVariable, comm); }, kAll},
    {"Rondo_Comm_prepare", [] { return new_comm(); }, nullptr,
     [](MPI_Comm comm, SmallExchange&) { return Rondo_Comm_prepare(comm, MPI_INFO_NULL); }, kAll},
    {"Rondo_Comm_set_algorithm", [] { return new_comm(); }, nullptr,
     [](MPI_Comm comm, SmallExchange&) {
       return Rondo_Comm_set_algorithm(comm, "alltoallv", "node_aware");
     },
     kAll},
    kPlan,
    {"a plan with a wrong hint", [] { return new_comm(); }, prepare,
     [](MPI_Comm comm, SmallExchange& small) {
       return make_plan_of(small, comm, Info("rondo_measure", "perhaps"));
     },
     kAll, Ending::error},
    {"a neighbourhood", new_ring, nullptr, exchange_along_edges, kAll},
    {"a neighbourhood on a communicator that is set up", new_ring, prepare, exchange_along_edges,
     8},
};

/// Instead of one rank without memory: all are, and each fails one allocation later than the rank before it.
constexpr int kAllRanks = -1;

/// Returns whether the allocation came.
bool run_without(const Beginning& beginning, void (*fail)(std::size_t), std::size_t allocation,
                 int poor, Row& row) {
  const TestComm comm(beginning.make());
  if (beginning.before != nullptr) beginning.before(comm, row);
  SmallExchange small(comm, 3);
  const bool is_poor = poor == kAllRanks || rank_of(comm) == poor;
  if (is_poor) fail(allocation + (poor == kAllRanks ? static_cast<std::size_t>(rank_of(comm)) : 0));
  const int code = beginning.begin(comm, small);
  int failed = is_poor && counted_new::end_failing() ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  int successes = code == MPI_SUCCESS ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &successes, 1, MPI_INT, MPI_SUM, comm));
  const int expected = beginning.with_memory == Ending::success ? ranks_of(comm) : 0;
  row.expect(successes == expected || (failed != 0 && successes == 0), "allocation ", allocation,
             ": ", successes, " ranks succeed, here ", error_text(code));
  SmallExchange(comm, 5).run(kVariable, comm, row, static_cast<int>(allocation));
  return failed != 0;
}

void run_beginning(const Beginning& beginning, void (*fail)(std::size_t), int poor, Row& row) {
  const CapturedStderr warnings;
  std::size_t allocation = 0;
  while (allocation < beginning.allocations && !row.failed() &&
         run_without(beginning, fail, allocation, poor, row))
    ++allocation;
  row.expect(allocation > 0, "no allocation: this test does not see what it is about");
}

int call_dynamic_without_memory(MPI_Comm comm) {
  const std::vector<int> zeros(static_cast<std::size_t>(ranks_of(comm)));
  std::vector<int> counts = zeros, displacements = zeros;
  int place = 0;
  counted_new::fail_at(0);
  const int code = Rondo_Alltoallv_dynamic(&place, zeros.data(), zeros.data(), MPI_INT, &place, 1,
                                           counts.data(), displacements.data(), MPI_INT, comm);
  counted_new::end_failing();
  return code;
}

/// The others are not here to wait for the rank that breaks off, and it does not wait for them in its next call.
void run_broken_off(Row& row) {
  if (std::getenv("RONDO_CHECK") != nullptr) return row.skip("RONDO_CHECK=1 sets up at once");
  const TestComm comm;
  row.expect_success(SmallExchange(comm, 3).call(kVariable, comm), "the first call");
  if (rank_of(comm) != 0) return;
  row.expect_error(call_dynamic_without_memory(comm), MPI_ERR_NO_MEM);
  for (int repeat = 0; repeat < 2; ++repeat)
    row.expect_error(SmallExchange(comm, 3).call(kVariable, comm), MPI_ERR_OTHER);
}

void run_test(Runner& runner) {
  for (const Beginning& beginning : kBeginnings)
    for (const int poor : {0, runner.ranks() - 1})
      runner.run(rondo::text("no memory for ", beginning.name, ", rank ", poor), run_beginning,
                 beginning, counted_new::fail_at, poor);
  runner.run("no memory from then on", run_beginning, kBeginnings[0], counted_new::fail_from, 0);
  runner.run("no memory from then on for a plan, all ranks", run_beginning, kPlan,
             counted_new::fail_from, kAllRanks);
  runner.run("a rank breaks off before set-up", run_broken_off);
}

const AddedTest added({.name = "beginnings", .run = run_test});

}  // namespace beginnings_test
