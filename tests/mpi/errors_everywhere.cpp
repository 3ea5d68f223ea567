// The promise of the algorithms whose errors are returned everywhere: a rank that finds its own arguments
// wrong, or has no memory to pack its data, takes part all the same; all ranks return its error,
// and the next exchange on the communicator is right. wrong.cpp has the arguments that are wrong in every
// exchange alike. The more ranks, the dearer a row and the smaller the sample.
#include <rondo/rondo.h>

#include <algorithm>
#include <cstdlib>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/counted_new.hpp"
#include "support/environment.hpp"
#include "support/wrong_dense.hpp"

namespace errors_everywhere_test {

using namespace rondo::testing;

/// One exchange, the same on all ranks until one rank's arguments are made wrong.
struct Way {
  Collective collective;
  std::string algorithm;
  bool is_in_place;
  int count;
  int wrong;  ///< the rank that errs

  std::string name() const {
    return rondo::text(name_of(collective), " ", algorithm, is_in_place ? " in place" : "", ", ",
                       count, " ints, rank ", wrong);
  }
};

DenseSubject subject_of(const Way& way, MPI_Comm comm, MPI_Datatype type = MPI_INT) {
  return DenseSubject(way.collective, way.is_in_place, way.count, comm, type);
}

int execute_with(Rondo_Plan plan, const AnyArguments& arguments) {
  return execute(plan, arguments.send.buffer, arguments.receive.buffer);
}

bool is_wrong_here(const Way& way) {
  return rank_of(MPI_COMM_WORLD) == way.wrong;
}

/// All ranks return the class of the wrong one, and the others' texts name it.
void expect_returned(int code, int error_class, const Way& way, Row& row) {
  row.expect_error(code, error_class, is_wrong_here(way) ? "" : rondo::text("rank ", way.wrong));
}

void expect_next_right(const Way& way, MPI_Comm comm, int salt, Row& row) {
  subject_of(way, comm).run_next(salt, row);
}

/// One rank executes a plan that was made in place otherwise, or the other way round.
void run_other_place(const Way& way, MPI_Comm comm, Row& row) {
  set_algorithm(comm, way.collective, way.algorithm, row);
  DenseSubject subject = subject_of(way, comm);
  const AnyArguments made = subject.arguments(1);
  const Plan plan(way.collective, made.send, made.receive, comm, row);
  for (int repeat = 0; repeat < 3; ++repeat) {
    AnyArguments arguments = subject.arguments(repeat);
    if (is_wrong_here(way))
      arguments.send.buffer = way.is_in_place ? subject.small().sent.data() : MPI_IN_PLACE;
    expect_returned(execute_with(plan, arguments), MPI_ERR_BUFFER, way, row);
    row.expect_success(execute_with(plan, subject.arguments(repeat)), "the plan's next execution");
    row.expect(subject.is_right(), "the plan's next execution moved wrong data");
  }
}

/// `count` ints a block as count / 4 elements with gaps, which are to be packed.
DenseSubject packed(const Way& way, MPI_Comm comm, MPI_Datatype type) {
  DenseSubject subject = subject_of(way, comm, type);
  std::ranges::fill(subject.small().counts, way.count / 4);
  for (int& displacement : subject.small().displacements) displacement /= 4;
  return subject;
}

/// Calls without a plan if `plan` is null.
int run_packed(DenseSubject& subject, const AnyArguments& arguments, Rondo_Plan plan) {
  return plan != RONDO_PLAN_NULL ? execute_with(plan, arguments) : subject.call(arguments);
}

void expect_packed_right(const Way& way, Rondo_Plan plan, MPI_Comm comm, MPI_Datatype type,
                         Row& row) {
  DenseSubject subject = packed(way, comm, type);
  DenseSubject reference = packed(way, comm, type);
  row.expect_success(run_packed(subject, subject.arguments(0), plan), "the next packed exchange");
  const AnyArguments arguments = reference.arguments(0);
  must(exchange_mpi(way.collective, arguments.send, arguments.receive, comm));
  row.expect(subject.small().received == reference.small().received,
             "the next packed exchange moved wrong data");
}

/// Exchanges packed data while allocation `number` fails on the wrong rank. The algorithm already has
/// all the scratch that it needs. Returns false if there are fewer allocations.
bool run_without_memory(const Way& way, bool is_plan, std::size_t number, Row& row) {
  const TestComm comm(way.collective, way.algorithm, row);
  const Type type = Type::packed_ints();
  Way warm = way;
  warm.is_in_place = false;  // that would leave scratch for a packed form
  expect_next_right(warm, comm, 0, row);
  DenseSubject subject = packed(way, comm, type);
  const AnyArguments arguments = subject.arguments(0);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  if (is_plan) row.expect_success(subject.make_plan(arguments, &plan), "making the plan");
  if (is_wrong_here(way)) counted_new::fail_at(number);
  const int code = run_packed(subject, arguments, plan);
  int failed = is_wrong_here(way) && counted_new::end_failing() ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  if (failed != 0)
    expect_returned(code, MPI_ERR_NO_MEM, way, row);
  else
    row.expect_success(code, "an exchange that lacks no memory");
  expect_packed_right(way, plan, comm, type, row);
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
  expect_next_right(way, comm, 1, row);
  return failed != 0;
}

/// The interface then allocates only the packed forms of both sides. A plan that learns allocates more
/// after that.
void run_all_without_memory(const Way& way, bool is_plan, Row& row) {
  constexpr std::size_t kPackedForms = 2;
  for (std::size_t number = 0; number < kPackedForms; ++number)
    row.expect(run_without_memory(way, is_plan, number, row), "allocation ", number,
               " did not come: this test does not see what it is about");
}

/// A rank that gets no memory before it has sent anything breaks off if the algorithm has no other
/// way. The others are not here to wait for it, and it does not wait for them in its next call.
void run_broken_off(const char* algorithm, Row& row) {
  if (std::getenv("RONDO_CHECK") != nullptr) return row.skip("RONDO_CHECK=1 waits for all ranks");
  if (are_started()) return row.skip("channels are prepared by all ranks");
  const TestComm comm;
  const Way way{Collective::alltoallv, algorithm, false, kWrongCounts[0], 0};
  set_algorithm(comm, way.collective, way.algorithm, row);
  if (!is_wrong_here(way)) return;
  DenseSubject subject = subject_of(way, comm);
  const AnyArguments arguments = subject.arguments(0);
  counted_new::fail_at(0);
  const int code = subject.call(arguments);
  row.expect(counted_new::end_failing(), "no allocation: this test does not see what it is about");
  row.expect(class_of(code) == MPI_ERR_NO_MEM, "without memory: ", error_text(code));
  for (int repeat = 0; repeat < 2; ++repeat)
    row.expect(class_of(subject.call(arguments)) == MPI_ERR_OTHER,
               "after that: ", Rondo_Get_last_error());
}

/// The same where the ranks of a sparse exchange begin to learn, which that rank has no memory for.
void run_broken_off_in_learning(Row& row) {
  constexpr int kBefore = 16;  // on a communicator that is prepared first
  const Environment learning("RONDO_LEARN", "1");
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const auto exchange_nothing = [&] {
    Rondo_Sources sources{};
    return Rondo_Sparse_alltoallv(nullptr, 0, nullptr, nullptr, nullptr, MPI_INT, nullptr, 0,
                                  MPI_INT, &sources, comm);
  };
  for (int call = 0; call < kBefore; ++call)
    row.expect_success(exchange_nothing(), "an exchange of nothing");
  if (rank_of(comm) != 0) return;
  counted_new::fail_at(0);
  const int code = exchange_nothing();
  row.expect(counted_new::end_failing(), "no allocation: this test does not see what it is about");
  row.expect(class_of(code) == MPI_ERR_NO_MEM, "without memory: ", error_text(code));
  row.expect_error(exchange_nothing(), MPI_ERR_OTHER);
}

/// The same before set-up, where the MPI library carries exchanges out.
void run_broken_off_before_set_up(Row& row) {
  if (std::getenv("RONDO_CHECK") != nullptr) return row.skip("RONDO_CHECK=1 sets up at once");
  const TestComm comm;
  row.expect_success(SmallExchange(comm, 3).call(Collective::alltoallv, comm), "the first call");
  if (rank_of(comm) != 0) return;
  const std::vector<int> zeros(static_cast<std::size_t>(ranks_of(comm)));
  std::vector<int> counts = zeros, displacements = zeros;
  int place = 0;
  counted_new::fail_at(0);
  const int code = Rondo_Alltoallv_dynamic(&place, zeros.data(), zeros.data(), MPI_INT, &place, 1,
                                           counts.data(), displacements.data(), MPI_INT, comm);
  row.expect(counted_new::end_failing(), "no allocation: this test does not see what it is about");
  row.expect_error(code, MPI_ERR_NO_MEM);
  for (int repeat = 0; repeat < 2; ++repeat)
    row.expect_error(SmallExchange(comm, 3).call(Collective::alltoallv, comm), MPI_ERR_OTHER);
}

/// By its second execution a plan knows the lengths of the others' blocks. A rank that fails then sends
/// none of them. The blocks are long, so that a rank that reads them anyway reads past what arrived.
void run_long_plans(const Placement& placement, Runner& runner) {
  const PlacedRanks placed(placement, runner.ranks());
  const TestComm comm;
  for (const char* algorithm :
       {"node_aware:inter=bruck:radix=2:threshold=65536", "node_aware:inter=direct:threshold=65536",
        "fused_bruck:threshold=65536"})
    for (const int wrong : {0, runner.ranks() - 1}) {
      const Way way{Collective::alltoallv, algorithm, false, 15'000, wrong};
      runner.run(rondo::text("plan of long blocks, ", way.name(), ", ranks ", placement.name),
                 [&](Row& row) {
                   set_algorithm(comm, way.collective, way.algorithm, row);
                   DenseSubject subject = subject_of(way, comm);
                   expect_wrong_plan(wrong_row("no sendbuf"), subject, {.wrong_rank = wrong}, row);
                 });
    }
}

/// Where the ranks compare what they know first, they return the errors of plans that the library carries out, too.
void run_plans_of_library(Runner& runner) {
  if (std::getenv("RONDO_CHECK") == nullptr || are_started()) return;
  for (const Collective collective : kCollectives)
    for (const int wrong : {0, runner.ranks() - 1}) {
      const Way way{collective, "mpi", false, kWrongCounts[0], wrong};
      const TestComm comm;
      runner.run("a plan executed otherwise, " + way.name(), run_other_place, way, comm);
    }
}

class Sample {
 public:
  explicit Sample(Runner& runner) : runner_(runner) {}

  /// Runs the rows of one communicator.
  void run(const Placement& placement, Collective collective, const std::string& algorithm) {
    placement_ = placement;
    const PlacedRanks placed(placement_, runner_.ranks());
    const TestComm comm;
    for (const bool is_in_place : {false, true})
      for (const int count : kWrongCounts)
        for (const int wrong : {0, runner_.ranks() - 1}) {
          const Way way{collective, algorithm, is_in_place, count, wrong};
          start(way, "a plan executed otherwise", run_other_place, way, comm);
          // A rank that lacks memory for the request itself cannot start.
          if (count < 4 || are_started()) continue;
          for (const bool is_plan : {false, true})
            start(way, is_plan ? "no memory, plan" : "no memory", run_all_without_memory, way,
                  is_plan);
        }
  }

 private:
  template <class... Body>
  void start(const Way& way, const std::string& what, Body&&... body) {
    if (!is_wanted()) return;
    runner_.run(rondo::text(what, ", ", way.name(), ", ranks ", placement_.name), body...);
  }

  /// Whether the next row is in the sample: one row in as many as there are ranks.
  bool is_wanted() {
    const auto ranks = static_cast<std::uint64_t>(runner_.ranks());
    return runner_.options().all || hash(runner_.options().seed, next_++) % ranks == 0;
  }

  Runner& runner_;
  std::uint64_t next_ = 0;
  Placement placement_{};
};

void run_test(Runner& runner) {
  for (const char* algorithm : {"fused_bruck", "spread_out"})
    runner.run(rondo::text("a rank breaks off, ", algorithm), run_broken_off, algorithm);
  runner.run("a rank breaks off in learning", run_broken_off_in_learning);
  runner.run("a rank breaks off before set-up", run_broken_off_before_set_up);
  for (const Placement& placement : placements(runner.ranks())) {
    run_long_plans(placement, runner);
  }
  run_plans_of_library(runner);
  Sample sample(runner);
  for (const Placement& placement : placements(runner.ranks()))
    for (const Collective collective : kCollectives)
      for (const std::string& algorithm : moving_algorithms(collective))
        if (reports_everywhere(collective, algorithm) &&
            (placement.node_of == nullptr || algorithm.starts_with("node_aware")))
          sample.run(placement, collective, algorithm);
}

const AddedTest added({.name = "errors_everywhere",
                       .run = run_test,
                       .settings = {{"", 3},
                                    {"RONDO_CHECK=1", 6},
                                    {kEveryStarted, 6},
                                    {kEveryStarted + " RONDO_CHECK=1", 12}}});

}  // namespace errors_everywhere_test
