// Many communicators: their shared memory stays within RONDO_MEMORY, and those that cannot be set up, or
// have no memory left, exchange right all the same.
#include <rondo/rondo.h>

#include <cstdlib>
#include <iterator>
#include <list>
#include <optional>
#include <random>

#include "support/added_test.hpp"
#include "support/captured_stderr.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/memory_faults.hpp"
#include "support/small.hpp"

namespace communicators_test {

using namespace rondo::testing;
using intercept::Function;

constexpr auto kVariable = Collective::alltoallv;

/// Every rank maps the shares of all ranks of its node.
std::size_t most_mapped(std::size_t memory) {
  return memory * static_cast<std::size_t>(ranks_of(MPI_COMM_WORLD));
}

void use(MPI_Comm comm, Row& row, int salt) {
  for (const Collective collective : {Collective::alltoall, kVariable})
    SmallExchange(comm, 40).run(collective, comm, row, salt);
}

/// All of `count` communicators are alive: their memory is within the bound and is released with them.
void run_alive(int count, const char* memory, Row& row) {
  const Environment bound("RONDO_MEMORY", memory);
  const Environment uniform("RONDO_ALLTOALL", "node_aware");
  const Environment variable("RONDO_ALLTOALLV", "node_aware");
  const CapturedStderr warning;
  const std::size_t before = memory_faults::mapped().bytes;
  std::list<TestComm> comms;
  for (int number = 0; number < count && !row.failed(); ++number) {
    const TestComm& comm = comms.emplace_back();
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    use(comm, row, number);
    const std::size_t taken = memory_faults::mapped().bytes - before;
    row.expect(taken <= most_mapped(std::strtoul(memory, nullptr, 10)), taken,
               " bytes of shared memory with ", number + 1, " communicators");
  }
  int salt = 0;
  for (const TestComm& comm : comms) use(comm, row, ++salt);
  comms.clear();
  row.expect(memory_faults::mapped().bytes == before, "shared memory is left behind");
}

/// Communicators of all ranks or of some are made and freed at random, and reuse the same memory.
void run_random(std::uint64_t seed, Row& row) {
  const Environment bound("RONDO_MEMORY", "2000000");
  const CapturedStderr warning;
  std::mt19937_64 random(seed);
  const int rank = rank_of(MPI_COMM_WORLD);
  std::list<TestComm> comms;
  for (int step = 0; step < 200 && !row.failed(); ++step) {
    const auto draw = random();
    if (comms.size() > 12 || (draw % 3 == 0 && !comms.empty())) {
      comms.erase(std::next(comms.begin(), static_cast<long>(draw / 3 % comms.size())));
      continue;
    }
    const int parts = 1 + static_cast<int>(draw / 3 % 3);
    const TestComm& made = comms.emplace_back(new_comm((rank + step) % parts, -rank));
    set_algorithm(made, Collective::alltoallv, "node_aware", row);
    for (const TestComm& old : comms) use(old, row, step);
  }
}

/// MPI refuses a communicator, to all ranks or to one: exchanges, plans too, are the library's.
void run_refused(std::optional<int> rank, Row& row) {
  const TestComm comm;
  const int own = rank_of(comm);
  const CapturedStderr warning;
  if (!rank || *rank == own) intercept::fail_from(Function::Comm_create_group, 0);
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  intercept::fail_nothing();
  for (int call = 0; call < 3; ++call) use(comm, row, call);
  row.expect(Rondo_Comm_set_algorithm(comm, "alltoall", "spread_out") != MPI_SUCCESS,
             "an algorithm is named, and nobody says that it cannot be used");
  SmallExchange small(comm, 3);
  const Plan plan = small.plan(Collective::alltoall, comm, row);
  for (int call = 0; call < 3; ++call) small.execute(plan, row, call);
}

void run_test(Runner& runner) {
  // 1500 and as many private ones are more than the 2048 that MPICH has.
  const int count = runner.options().all || runner.ranks() == 2 ? 1500 : 300;
  for (const char* memory : {"3000000", "67108864"})
    runner.run(rondo::text(count, " alive, RONDO_MEMORY=", memory), run_alive, count, memory);
  for (std::uint64_t series = 0; series < 3; ++series)
    runner.run(rondo::text("made and freed at random, ", series), run_random,
               runner.options().seed + series);
  runner.run("refused to all", run_refused, std::nullopt);
  for (const int rank : {0, ranks_of(MPI_COMM_WORLD) - 1})
    runner.run(rondo::text("refused to rank ", rank), run_refused, rank);
}

const AddedTest added({.name = "communicators", .run = run_test});

}  // namespace communicators_test
