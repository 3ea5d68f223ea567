// What Rondo keeps of communicators: many of them, freed in any order, made by two threads at once,
// and nothing of the user's touched.
#include <rondo/rondo.h>

#include <chrono>
#include <list>

#include "support/added_test.hpp"
#include "support/footprint.hpp"
#include "support/held.hpp"
#include "support/small.hpp"
#include "support/threads.hpp"

namespace state_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

MPI_Comm dup_or_split(int number, int rank) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (number % 2 == 0)
    must(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  else
    must(MPI_Comm_split(MPI_COMM_WORLD, number % 4 == 1 ? 0 : rank % 2, -rank, &comm));
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

void use(MPI_Comm comm, int salt, Row& row) {
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  SmallExchange(comm, 2).run(kVariable, comm, row, salt);
}

/// Communicators one after the other: nothing may run out or leak. With many of them the heap must not grow
/// either, but by what the MPI library leaves.
void run_many(int count, bool looks_at_heap, int rank, Row& row) {
  constexpr std::size_t kLeftBytes = 128;  // per communicator, of the MPI library's own
  Growth growth(count);
  Held held(count);
  const auto look = [&](int number) {
    growth.look(number);
    held.look(number);
  };
  for (int number = 0; number < count && !row.failed(); ++number) {
    look(number);
    const TestComm comm(dup_or_split(number, rank));
    use(comm, number, row);
  }
  look(count);
  held.expect_no_more(row);
  const auto made = static_cast<std::size_t>(growth.calls_in_half());
  row.expect(!looks_at_heap || growth.heap_bytes() < made * kLeftBytes, "the heap grew by ",
             growth.heap_bytes(), " bytes or more over each ", made, " communicators");
}

/// All communicators are alive at once, and freed in another order than they were made.
void run_alive(int count, int rank, Row& row) {
  std::list<TestComm> comms;
  for (int number = 0; number < count; ++number) comms.emplace_back(dup_or_split(number, rank));
  for (int round = 0; round < 2; ++round)
    for (const TestComm& comm : comms) use(comm, round, row);
  while (!comms.empty()) {
    comms.pop_front();
    if (!comms.empty()) comms.pop_back();
  }
}

/// Each thread makes the state of a communicator of its own. Even ranks begin with the first, odd
/// ranks with the second: a lock held while waiting for other ranks would hang here.
void run_threads(Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  for (int round = 0; round < 10; ++round) {
    const TestComm comms[2];
    run_in_threads(2, row, [&](std::size_t which, Row& own) {
      if ((static_cast<std::size_t>(runner.rank()) + which) % 2 != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (int call = 0; call < 3; ++call) use(comms[which], call, own);
    });
  }
}

int copies = 0;
int deletions = 0;

int count_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 1;
  return MPI_SUCCESS;
}
int count_deletion(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

/// How often this MPI library copies attributes in MPI_Comm_create_group, by which Rondo makes its own
/// communicator. It should not; Open MPI 4.1 does.
int copies_of_library(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm other = MPI_COMM_NULL;
  must(MPI_Comm_group(comm, &group));
  copies = 0;
  must(MPI_Comm_create_group(comm, group, 0, &other));
  must(MPI_Comm_free(&other));
  must(MPI_Group_free(&group));
  return copies;
}

/// The user's attribute is neither copied nor deleted by anything that Rondo does, but for that.
void run_attributes(Row& row) {
  int key = MPI_KEYVAL_INVALID;
  must(MPI_Comm_create_keyval(count_copy, count_deletion, &key, nullptr));
  TestComm comm;
  must(MPI_Comm_set_attr(comm, key, &copies));
  const int due = copies_of_library(comm);
  copies = deletions = 0;
  use(comm, 0, row);
  set_algorithm(comm, Collective::alltoallv, "sloav", row);
  use(comm, 1, row);
  row.expect(copies == due, "the user's copy callback ran ", copies, " times");
  row.expect(deletions == 0, "the user's delete callback ran ", deletions, " times");
  comm.free();
  row.expect(deletions == 1 + due, "freeing the communicator ran the delete callback ", deletions,
             " times");
  must(MPI_Comm_free_keyval(&key));
}

/// A dup has a state of its own.
void run_dup_of_used(Row& row) {
  TestComm comm(Collective::alltoallv, "sloav", row);
  MPI_Comm copy = MPI_COMM_NULL;
  must(MPI_Comm_dup(comm, &copy));
  const TestComm dup(copy);
  char text[100] = "";
  row.expect(Rondo_Comm_get_algorithm(dup, "alltoallv", text, sizeof text) != MPI_SUCCESS,
             "a dup was born with a state: ", text);
  comm.free();
  use(dup, 3, row);
}

/// The communicator is set up while the program duplicates it.
void run_pending_dup(Row& row) {
  for (int round = 0; round < 30; ++round) {
    const TestComm comm;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    must(MPI_Comm_idup(comm, &copy, &request));
    use(comm, round, row);
    must(MPI_Wait(&request, MPI_STATUS_IGNORE));
    const TestComm dup(copy);
    use(dup, round, row);
  }
}

/// A plan outlives its communicator.
void run_plan_after_free(const char* algorithm, Row& row) {
  TestComm comm(Collective::alltoallv, algorithm, row);
  SmallExchange small(comm, 5);
  {
    const Plan plan = small.plan(kVariable, comm, row);
    small.execute(plan, row, 1);
    comm.free();
    for (int salt = 2; salt < 5; ++salt) small.execute(plan, row, salt);
  }
  Rondo_Plan none = RONDO_PLAN_NULL;
  row.expect_success(Rondo_Plan_free(&none), "freeing a null plan");
}

/// Plans keep the algorithm that they were made with, and do not mix with calls in between.
void run_plan_beside_calls(Row& row) {
  const TestComm comm;
  SmallExchange small(comm, 5);
  set_algorithm(comm, Collective::alltoallv, "fused_bruck", row);
  const Plan plan = small.plan(kVariable, comm, row);
  for (const char* algorithm : {"sloav", "two_phase_bruck", "fused_bruck:radix=2"}) {
    set_algorithm(comm, Collective::alltoallv, algorithm, row);
    small.execute(plan, row, 1);
    SmallExchange(comm, 300).run(kVariable, comm, row);
  }
}

/// Returns a plan that nobody frees.
Rondo_Plan left_plan(SmallExchange& small, MPI_Comm comm, Row& row) {
  Rondo_Plan plan = RONDO_PLAN_NULL;
  row.expect_success(make_plan(kVariable, small.send(kVariable), small.receive(kVariable), comm,
                               MPI_INFO_NULL, &plan),
                     "making a plan");
  return plan;
}

/// On inter-communicators Rondo leaves everything to MPI.
void run_inter(Runner& runner, Row& row) {
  if (runner.ranks() < 2) return row.skip("an inter-communicator needs two ranks");
  const bool is_upper = runner.rank() * 2 >= runner.ranks();
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  must(MPI_Comm_split(MPI_COMM_WORLD, is_upper, runner.rank(), &half));
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_upper ? 0 : (runner.ranks() + 1) / 2, 7,
                            &inter));
  SmallExchange small(inter, 1);
  std::ranges::reverse(small.displacements);
  std::ranges::reverse(small.byte_displacements);
  for (const Collective collective : kCollectives) {
    small.fill(static_cast<int>(collective));
    std::vector<int> expected(small.received);
    Arguments receive = small.receive(collective);
    receive.buffer = expected.data();
    must(exchange_mpi(collective, small.send(collective), receive, inter));
    row.expect_success(small.call(collective, inter), name_of(collective));
    row.expect(small.received == expected, name_of(collective), " between groups is not MPI's");
    const Plan plan = small.plan(collective, inter, row);
    std::ranges::fill(small.received, -1);
    row.expect_success(rondo::testing::execute(plan, small.sent.data(), small.received.data()),
                       "a plan between groups");
    row.expect(small.received == expected, "a plan of ", name_of(collective),
               " between groups is not MPI's");
  }
  must(MPI_Comm_free(&inter));
  must(MPI_Comm_free(&half));
}

void run_test(Runner& runner) {
  const bool are_many = runner.options().all;
  const int count =
      are_many ? 5000 : 200;  // the library sweeps what it knows of 65 freed ones at once
  runner.run(rondo::text(count, " communicators"), run_many, count, are_many, runner.rank());
  runner.run("200 communicators at once", run_alive, 200, runner.rank());
  runner.run("two threads", run_threads, runner);
  runner.run("the user's attributes", run_attributes);
  runner.run("dup of a used communicator", run_dup_of_used);
  runner.run("set-up beside MPI_Comm_idup", run_pending_dup);
  for (const char* algorithm : {"auto", "spread_out", "fused_bruck", "two_phase_bruck", "mpi"})
    runner.run(rondo::text("plan after its communicator, ", algorithm), run_plan_after_free,
               algorithm);
  runner.run("plan beside calls", run_plan_beside_calls);
  runner.run("inter-communicators", run_inter, runner);

  // A plan, a communicator, a plan of a freed communicator and MPI_COMM_WORLD are alive at
  // MPI_Finalize. The exit code tells whether that is harmless.
  runner.run("left alive at MPI_Finalize", [&](Row& row) {
    use(MPI_COMM_WORLD, 0, row);
    MPI_Comm comm = new_comm();
    use(comm, 0, row);
    SmallExchange small(comm, 4);
    left_plan(small, comm, row);
    MPI_Comm freed = new_comm();
    const Rondo_Plan orphan = left_plan(small, freed, row);
    must(MPI_Comm_free(&freed));
    small.execute(orphan, row, 2);
  });
}

const AddedTest added({.name = "state", .run = run_test, .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace state_test
