// The promise of the algorithms that tell all ranks of an error: a rank that finds its own arguments
// wrong, or has no memory to pack its data, takes part all the same; all ranks return its error,
// and the next exchange on the communicator is right. wrong.cpp has the arguments that are wrong in every
// exchange alike. The more ranks, the dearer a row and the smaller the sample.
#include <rondo/rondo.h>

#include <algorithm>
#include <cstdlib>

#include "support/algorithms.hpp"
#include "support/counted_new.hpp"
#include "support/profile_file.hpp"
#include "support/wrong_dense.hpp"

namespace {

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

/// The arguments of one rank.
struct Attempt : NonCopyable {
  Attempt(const Way& way, MPI_Comm comm, int salt, MPI_Datatype type = MPI_INT)
      : collective(way.collective), is_in_place(way.is_in_place), small(comm, way.count, type) {
    small.fill(salt);
    if (way.is_in_place) small.received = small.sent;
    send = way.is_in_place ? in_place() : small.send(collective);
    receive = small.receive(collective);
  }

  int call(MPI_Comm comm) { return exchange(collective, send, receive, comm); }
  int execute(Rondo_Plan plan) {
    return rondo::testing::execute(plan, send.buffer, receive.buffer);
  }

  Collective collective;
  bool is_in_place;
  SmallExchange small;
  Arguments send;
  Arguments receive;
};

bool is_wrong_here(const Way& way) {
  return rank_of(MPI_COMM_WORLD) == way.wrong;
}

/// All ranks return the class of the wrong one, and the others' texts name it.
void expect_told(int code, int error_class, const Way& way, Row& row) {
  row.expect_error(code, error_class, is_wrong_here(way) ? "" : rondo::text("rank ", way.wrong));
}

void expect_right(Attempt& attempt, int code, const char* what, Row& row) {
  row.expect_success(code, what);
  row.expect(attempt.small.is_right(), what, " moved wrong data");
}

void expect_next_right(const Way& way, MPI_Comm comm, int salt, Row& row) {
  DenseSubject(way.collective, way.is_in_place, way.count, comm).run_next(salt, row);
}

/// One rank executes a plan that was made in place otherwise, or the other way round.
void run_other_place(const Way& way, MPI_Comm comm, Row& row) {
  set_algorithm(comm, way.collective, way.algorithm, row);
  Attempt attempt(way, comm, 1);
  const Plan plan(way.collective, attempt.send, attempt.receive, comm, row);
  for (int repeat = 0; repeat < 3; ++repeat) {
    Attempt wrong(way, comm, repeat);
    if (is_wrong_here(way)) {
      if (way.is_in_place)
        wrong.send.buffer = wrong.small.sent.data();
      else
        wrong.send.buffer = MPI_IN_PLACE;
    }
    expect_told(wrong.execute(plan), MPI_ERR_BUFFER, way, row);
    Attempt right(way, comm, repeat);
    expect_right(right, right.execute(plan), "the plan's next execution", row);
  }
}

/// `count` ints a block as count / 4 elements with gaps, which are to be packed.
struct PackedAttempt : Attempt {
  PackedAttempt(const Way& way, MPI_Comm comm, MPI_Datatype type) : Attempt(way, comm, 0, type) {
    std::ranges::fill(small.counts, way.count / 4);
    for (int& displacement : small.displacements) displacement /= 4;
  }
};

/// Calls without a plan if `plan` is null.
int run_packed(Attempt& attempt, Rondo_Plan plan, MPI_Comm comm) {
  return plan != RONDO_PLAN_NULL ? attempt.execute(plan) : attempt.call(comm);
}

void expect_packed_right(const Way& way, Rondo_Plan plan, MPI_Comm comm, MPI_Datatype type,
                         Row& row) {
  PackedAttempt attempt(way, comm, type);
  PackedAttempt reference(way, comm, type);
  row.expect_success(run_packed(attempt, plan, comm), "the next packed exchange");
  must(exchange_mpi(way.collective, reference.send, reference.receive, comm));
  row.expect(attempt.small.received == reference.small.received,
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
  PackedAttempt attempt(way, comm, type);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  if (is_plan)
    row.expect_success(
        make_plan(way.collective, attempt.send, attempt.receive, comm, MPI_INFO_NULL, &plan),
        "making the plan");
  if (is_wrong_here(way)) counted_new::fail_at(number);
  const int code = run_packed(attempt, plan, comm);
  int failed = is_wrong_here(way) && counted_new::end_failing() ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  if (failed != 0)
    expect_told(code, MPI_ERR_NO_MEM, way, row);
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
  Attempt attempt(way, comm, 0);
  counted_new::fail_at(0);
  const int code = attempt.call(comm);
  row.expect(counted_new::end_failing(), "no allocation: this test does not see what it is about");
  row.expect(class_of(code) == MPI_ERR_NO_MEM, "without memory: ", error_text(code));
  for (int repeat = 0; repeat < 2; ++repeat)
    row.expect(class_of(attempt.call(comm)) == MPI_ERR_OTHER,
               "after that: ", Rondo_Get_last_error());
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
                   DenseSubject subject(way.collective, false, way.count, comm);
                   expect_wrong_plan(wrong_row("no sendbuf"), subject, {.wrong_rank = wrong}, row);
                 });
    }
}

/// Under `auto` the length of alltoall's blocks decides on the algorithm, and each sends other messages
/// between nodes. A rank with two wrong counts learns the length from its neighbours, also where others than
/// these lengths are the MPI library's: from then on neighbours say so.
void run_blind(const BandRows& bands, const Placement& placement, Runner& runner) {
  const ProfileFile profile(layout_of(placement, runner.ranks()),
                            decisions_of(bands, {{0, "fused_bruck"}}));
  const PlacedRanks placed(placement, runner.ranks());
  const TestComm comm;
  for (int wrong = 0; wrong < runner.ranks(); ++wrong)
    for (const int count : kWrongCounts) {
      const Way way{Collective::alltoall, "auto", false, count, wrong};
      runner.run(rondo::text("both counts negative, ", way.name(), ", last band ",
                             bands.back().second, ", ranks ", placement.name),
                 [&](Row& row) {
                   if (!has_neighbour(placement, wrong, runner.ranks()))
                     return row.skip("nobody can tell a rank that has a node to itself");
                   set_algorithm(comm, way.collective, way.algorithm, row);
                   for (const int right : {10'000, 2})
                     SmallExchange(comm, right).run(way.collective, comm, row, wrong);
                   DenseSubject subject(way.collective, false, count, comm);
                   expect_wrong_call(wrong_row("negative counts on both sides"), subject,
                                     {.wrong_rank = wrong}, row);
                 });
    }
}

class Told {
 public:
  explicit Told(Runner& runner) : runner_(runner) {}

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

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "told");
  for (const char* algorithm : {"fused_bruck", "spread_out"})
    runner.run(rondo::text("a rank breaks off, ", algorithm), run_broken_off, algorithm);
  for (const Placement& placement : placements(runner.ranks())) {
    run_long_plans(placement, runner);
    run_blind({{64, "node_aware:inter=direct"}, {0, "node_aware:inter=bruck:radix=2"}}, placement,
              runner);
    run_blind(
        {{64, "node_aware:inter=direct"}, {8192, "node_aware:inter=bruck:radix=2"}, {0, "mpi"}},
        placement, runner);
  }
  Told told(runner);
  for (const Placement& placement : placements(runner.ranks()))
    for (const Collective collective : kCollectives)
      for (const std::string& algorithm : moving_algorithms(collective))
        if (tells(collective, algorithm) &&
            (placement.node_of == nullptr || algorithm.starts_with("node_aware")))
          told.run(placement, collective, algorithm);
  return runner.finish();
}
