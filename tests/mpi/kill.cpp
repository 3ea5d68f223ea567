// Exchanges through shared memory until kill.py kills it.
//
//   test_kill TOKEN memfd|name [renew]     TOKEN is for kill.py to find the processes
//
// Prints "exchanging" once all ranks are. With `renew` it makes a new communicator now and then, so
// that it can also be killed in the middle of that. Ends by itself after two minutes, as a failure.
#include <mpi.h>
#include <rondo/rondo.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/memory_faults.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr unsigned kLifetimeSeconds = 120;

void use(MPI_Comm comm) {
  for (const char* collective : {"alltoall", "alltoallv"})
    must(Rondo_Comm_set_algorithm(comm, collective, "node_aware"));
}

constexpr int kLongInts = 200'000;  ///< in a long block

/// A few hundred exchanges; whether all were right. Most of the time goes into long blocks.
bool exchange_many(MPI_Comm comm, int salt) {
  Row row;
  for (int i = 0; i < 200 && !row.failed(); ++i) {
    SmallExchange(comm, i % 50).run(Collective::alltoall, comm, row, salt);
    SmallExchange(comm, i % 70).run(Collective::alltoallv, comm, row, salt + i);
  }
  SmallExchange of_long(comm, kLongInts);
  for (int i = 0; i < 50 && !row.failed(); ++i)
    row.expect_success(of_long.call(Collective::alltoallv, comm), "Rondo_Alltoallv");
  row.expect(of_long.is_right(), "long blocks are wrong");
  if (row.failed()) std::fprintf(stderr, "%s\n", row.failure().c_str());
  return !row.failed();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  alarm(kLifetimeSeconds);
  const std::string kind = argv[2];
  const bool renews = argc > 3 && std::strcmp(argv[3], "renew") == 0;
  if (kind == "name") memory_faults::set({.memfd_create = ENOSYS});
  // Half of the runs copy straight from each other's memory, the others in pieces.
  if (kind == "memfd") setenv("RONDO_SINGLE_COPY", "1", 1);
  must(MPI_Init(&argc, &argv));
  const int rank = rank_of(MPI_COMM_WORLD);
  const TestComm kept;
  use(kept);
  for (int salt = 0;; ++salt) {
    if (!exchange_many(kept, salt)) return 1;
    if (memory_faults::kind_mapped() != kind) return 3;
    if (salt == 0) must(MPI_Barrier(MPI_COMM_WORLD));
    if (salt == 0 && rank == 0) {
      std::puts("exchanging");
      std::fflush(stdout);
    }
    if (!renews) continue;
    const TestComm renewed;
    use(renewed);
    if (!exchange_many(renewed, salt)) return 1;
  }
}
