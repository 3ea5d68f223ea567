// Dynamic exchanges: no rank knows how much it receives. Every algorithm, every way to receive, types
// that must be packed, on the nodes that there are and on some that do not exist; sequences at random;
// threads.
#include <rondo/rondo.h>

#include "support/algorithms.hpp"
#include "support/dynamic_rows.hpp"
#include "support/environment.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"

namespace {

using namespace rondo::testing;

/// The lengths that go first, by whatever an alltoall runs. By default with one traffic each.
void run_lengths(Runner& runner) {
  const std::vector<Traffic> all(traffics().begin(), traffics().end());
  std::uint64_t number = 0;
  const auto algorithms = algorithm_rows(Collective::alltoall, runner.ranks());
  for (const std::string& algorithm : thinned(algorithms, runner, 4, 0x1e)) {
    const std::uint64_t seed = hash(runner.options().seed, 0x1e, number++);
    runner.run("lengths first by " + algorithm, [&](Row& row) {
      const TestComm comm;
      set_algorithm(comm, Collective::alltoall, algorithm, row);
      set_algorithm(comm, Kind::dense, "spread_out", row);
      for (const Traffic& traffic : drawn(all, runner.options(), seed))
        for (int time = 0; time < 3; ++time)
          exchange_one(Kind::dense, comm, traffic, hash(seed, time), row);
    });
  }
}

/// Slots so short that between nodes only blocks of up to 12 or 28 bytes go through them.
void run_short_slots(Runner& runner) {
  for (const int limit : {16, 32})
    for (const Placement& placement : placements(runner.ranks()))
      run_placed(placement, runner, rondo::text("slots of ", limit, " bytes a block"),
                 [&](Row& row) {
                   const std::string bytes = std::to_string(limit * runner.ranks());
                   const Environment slots("RONDO_SLOT_BYTES", bytes.c_str());
                   run_algorithm(Kind::dense, "node_aware", TestComm(), runner.options().seed, row);
                 });
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "dynamic", MPI_THREAD_MULTIPLE);
  DynamicRows rows(Kind::dense, runner);
  rows.run_algorithms(algorithm_rows(Collective::alltoallv, runner.ranks()));
  run_lengths(runner);
  run_short_slots(runner);
  rows.run_forwarded();
  rows.run_whole_elements({"node_aware", "fused_bruck", "spread_out"});
  rows.run_kept();
  rows.run_refused_comms();
  rows.run_sequences(
      {"auto", "node_aware:threshold=256", "fused_bruck:threshold=256", "spread_out"},
      runner.options().all ? 1000 : 60);
  rows.run_threads({"auto", "auto", "auto"});
  return runner.finish();
}
