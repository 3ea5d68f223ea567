// Exchanges through shared memory until kill.py kills it.
//
//   test_kill TOKEN memfd|name mixed|renew|pulled|pieces    TOKEN is for kill.py to find the processes
//
// Prints "exchanging" once all ranks are. With `renew` it makes a new communicator now and then, so
// that it can also be killed in the middle of that. With `pulled` and `pieces` it soon exchanges nothing
// but long blocks, one way or the other; where ranks may not read each other's memory, it prints
// "cannot pull" and ends. Ends by itself after ten minutes, as a failure.
#include <mpi.h>
#include <rondo/rondo.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/memory_faults.hpp"
#include "support/pull_faults.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr unsigned kLifetimeSeconds = 600;

void use(MPI_Comm comm) {
  for (const char* collective : {"alltoall", "alltoallv"})
    must(Rondo_Comm_set_algorithm(comm, collective, "node_aware"));
}

constexpr int kLongInts = 200'000;  ///< in a long block

/// Prints what failed. Whether nothing did.
bool passes(const Row& row) {
  if (row.failed()) std::fprintf(stderr, "%s\n", row.failure().c_str());
  return !row.failed();
}

/// Exchanges of long blocks, the last of them checked. Whether all were right.
bool exchange_long(MPI_Comm comm) {
  Row row;
  SmallExchange of_long(comm, kLongInts);
  for (int i = 0; i < 50 && !row.failed(); ++i)
    row.expect_success(of_long.call(Collective::alltoallv, comm), "Rondo_Alltoallv");
  row.expect(of_long.is_right(), "long blocks are wrong");
  return passes(row);
}

/// A few hundred exchanges; whether all were right. Most of the time goes into long blocks.
bool exchange_many(MPI_Comm comm, int salt) {
  Row row;
  for (int i = 0; i < 200 && !row.failed(); ++i) {
    SmallExchange(comm, i % 50).run(Collective::alltoall, comm, row, salt);
    SmallExchange(comm, i % 70).run(Collective::alltoallv, comm, row, salt + i);
  }
  return passes(row) && exchange_long(comm);
}

void tell(const char* what) {
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  std::puts(what);
  std::fflush(stdout);
}

/// Exchanges without end, or until something is wrong. Returns the status of the program.
int exchange_until_killed(MPI_Comm comm, bool renews) {
  for (int salt = 0;; ++salt) {
    if (!exchange_many(comm, salt)) return 1;
    if (salt == 0) {
      must(MPI_Barrier(MPI_COMM_WORLD));
      tell("exchanging");
    }
    if (!renews) continue;
    const TestComm renewed;
    use(renewed);
    if (!exchange_many(renewed, salt)) return 1;
  }
}

/// The same with long blocks alone, so that a rank is killed in the middle of such an exchange. Their
/// bytes are not looked at again: that would take as long as the exchanges.
int exchange_long_until_killed(MPI_Comm comm, bool must_pull) {
  if (!exchange_long(comm)) return 1;
  int pulls = pull_faults::calls() > 0 ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &pulls, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  if (must_pull && pulls == 0) {
    tell("cannot pull");
    must(MPI_Finalize());
    return 0;
  }
  if (!must_pull && pulls != 0) return 4;
  tell("exchanging");
  Row row;
  SmallExchange of_long(comm, kLongInts);
  while (!row.failed())
    row.expect_success(of_long.call(Collective::alltoallv, comm), "Rondo_Alltoallv");
  return passes(row) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  alarm(kLifetimeSeconds);
  const std::string kind = argv[2];
  const std::string mode = argv[3];
  const bool pulls = mode == "pulled";
  if (kind == "name") memory_faults::set({.memfd_create = ENOSYS});
  if (pulls || mode == "renew") setenv("RONDO_SINGLE_COPY", "2", 1);
  if (mode == "pieces") setenv("RONDO_SINGLE_COPY", "0", 1);
  must(MPI_Init(&argc, &argv));
  const TestComm kept;
  use(kept);
  Row row;
  SmallExchange(kept, 1).run(Collective::alltoallv, kept, row);
  if (!passes(row)) return 1;
  if (memory_faults::kind_mapped() != kind) return 3;
  if (pulls || mode == "pieces") return exchange_long_until_killed(kept, pulls);
  return exchange_until_killed(kept, mode == "renew");
}
