// Sparse exchanges: each rank names only the ranks to which it sends. Every algorithm, every way to
// receive, types that must be packed, on the nodes that there are and on some that do not exist; long
// sequences at random; threads.
#include <rondo/rondo.h>

#include "support/algorithms.hpp"
#include "support/dynamic_rows.hpp"
#include "support/environment.hpp"

namespace {

using namespace rondo::testing;

/// Without shared memory `auto` and node_aware run something else.
void run_without_node(const std::string& algorithm, std::uint64_t seed, Row& row) {
  const Environment slots("RONDO_SLOT_BYTES", "0");
  const TestComm comm;
  set_algorithm(comm, Kind::sparse, algorithm, row);
  for (const Traffic& traffic : sparse_traffics())
    exchange_one(Kind::sparse, comm, traffic, seed, row);
  row.expect(!last_algorithm(comm, row).starts_with("node_aware"), "node_aware ran");
}

void run_named(Row& row) {
  const Environment named("RONDO_SPARSE_ALLTOALLV", "nbx:threshold=100");
  const TestComm comm;
  exchange_one(Kind::sparse, comm, sparse_traffics().back(), 3, row);
  const std::string runs = algorithm_of("sparse_alltoallv", comm, row);
  row.expect(runs == "nbx:threshold=100", runs, " runs");
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "sparse", MPI_THREAD_MULTIPLE);
  DynamicRows rows(Kind::sparse, runner);
  rows.run_algorithms(sparse_algorithms());
  for (const std::string algorithm : {"auto", "node_aware"})
    runner.run(algorithm + " without shared memory", run_without_node, algorithm,
               runner.options().seed);
  rows.run_forwarded();
  runner.run("RONDO_SPARSE_ALLTOALLV=nbx", run_named);
  rows.run_whole_elements(sparse_algorithms());
  rows.run_kept();
  rows.run_refused_comms();
  rows.run_sequences(
      {"nbx", "nbx:threshold=0", "personalized", "rma", "fused_bruck", "node_aware", "mpi"},
      runner.options().all ? 10'000 : 400);
  rows.run_threads({"nbx", "personalized", "node_aware"});
  return runner.finish();
}
