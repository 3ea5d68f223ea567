// `auto` that learns while the program runs: every exchange is right and all ranks run the same, whatever their clocks
// say; what is slow is left, and what has become fast again is found; what is under way is ended with the communicator.
#include <rondo/rondo.h>

#include "support/clock.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/placement.hpp"
#include "support/profile_file.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;
namespace choice = rondo::choice;
using intercept::Function;

constexpr Collective kCollectives[] = {Collective::alltoall, Collective::alltoallv,
                                       Collective::alltoallw};

void expect_same_on_all(const std::string& name, MPI_Comm comm, Row& row) {
  std::uint64_t own = hash(0);
  for (const char letter : name) own = hash(own, letter);
  std::uint64_t both[] = {own, ~own};
  must(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, comm));
  row.expect(both[0] == own && both[1] == ~own, "this rank has run ", name, ", others have not");
}

/// Calls of all kinds and of several lengths, in an order drawn alike on all ranks.
void run_with_wrong_clocks(const Runner& runner, std::uint64_t seed, Row& row) {
  constexpr int kCalls = 1500;
  constexpr int kInts[] = {1, 5, 300, 5000};
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  clock::go_wrong(hash(seed, runner.rank()) | 1);
  for (int call = 0; call < kCalls && !row.failed(); ++call) {
    const std::uint64_t drawn = hash(seed, call) >> 8U;
    SmallExchange small(comm, kInts[drawn % 4]);
    small.run(kCollectives[drawn / 4 % 3], comm, row, call);
    expect_same_on_all(last_algorithm(comm, row), comm, row);
  }
  clock::go_wrong(0);
}

/// By every rank's clock, each call of the MPI library takes a millisecond, while this lives.
class SlowLibrary : NonCopyable {
 public:
  SlowLibrary() {
    intercept::watch([](Function called, intercept::Given, const std::function<int()>& call) {
      const int code = call();
      if (called == Function::Alltoall || called == Function::Alltoallv)
        clock::advance(std::chrono::milliseconds(1));
      return code;
    });
  }
  ~SlowLibrary() { intercept::watch({}); }
};

/// The number of calls until the library's call has not been run for 50 calls, at most `most`.
int calls_until_left(Collective collective, MPI_Comm comm, int most, Row& row) {
  SmallExchange small(comm, 3);
  int left_at = 0;
  for (int call = 0; call < most && call - left_at < 50; ++call) {
    small.run(collective, comm, row, call);
    if (last_algorithm(comm, row) == "mpi") left_at = call + 1;
  }
  return left_at;
}

/// The profile says that the library is the fastest. It takes a millisecond.
void leave_slow_library(Collective collective, Row& row) {
  constexpr int kMost = 400;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const SlowLibrary slow;
  const int left_at = calls_until_left(collective, comm, kMost, row);
  row.expect(left_at < kMost, "the slow library still runs after ", left_at, " calls");
}

/// The library is slow at first, and is right again later: then nothing is wrong with what runs, but it keeps
/// exchanging what it should.
void go_on_after_a_change(Row& row) {
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  {
    const SlowLibrary slow;
    calls_until_left(Collective::alltoallv, comm, 400, row);
  }
  SmallExchange small(comm, 3);
  for (int call = 0; call < 10000 && !row.failed(); ++call)
    small.run(Collective::alltoallv, comm, row, call);
  expect_same_on_all(last_algorithm(comm, row), comm, row);
}

/// Freed in whatever the ranks are about to agree on.
void free_at_any_call(Row& row) {
  for (int calls = 8; calls < 140 && !row.failed(); calls += 3) {
    const TestComm comm;
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    SmallExchange small(comm, 3);
    for (int call = 0; call < calls; ++call) small.run(Collective::alltoall, comm, row, call);
  }
}

/// With RONDO_LEARN=0, the profile decides for good.
void learn_nothing(Row& row) {
  setenv("RONDO_LEARN", "0", 1);
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const SlowLibrary slow;
  SmallExchange small(comm, 3);
  for (int call = 0; call < 300 && !row.failed(); ++call) {
    small.run(Collective::alltoall, comm, row, call);
    row.expect(last_algorithm(comm, row) == "mpi", "call ", call, " has run ",
               last_algorithm(comm, row));
  }
  setenv("RONDO_LEARN", "1", 1);
}

void run_rows(Runner& runner, const std::string& where) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    runner.run("wrong clocks" + where, run_with_wrong_clocks, runner,
               hash(runner.options().seed, seed));
  if (runner.ranks() == 1) return;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    runner.run("a slow library" + where + ", " + name_of(collective), leave_slow_library,
               collective);
  runner.run("after a change" + where, go_on_after_a_change);
  runner.run("freed at any call" + where, free_at_any_call);
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "learning");
  const Environment on("RONDO_LEARN", "1");
  {
    const choice::Layout one_node{.ranks = runner.ranks(), .nodes = 1, .per_node = runner.ranks()};
    const ProfileFile profile(one_node, decisions_of({{0, "mpi"}}, {{0, "mpi"}}));
    run_rows(runner, "");
    runner.run("RONDO_LEARN=0", learn_nothing);
  }
  const PlacedRanks placed([](int rank) { return rank / 2; });
  run_rows(runner, ", on nodes of two");
  return runner.finish();
}
