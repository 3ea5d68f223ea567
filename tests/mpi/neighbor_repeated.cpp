// Neighbourhood exchanges in which a rank sends the same memory to several ranks: it reaches each other
// node once.
#include <rondo/rondo.h>

#include <set>

#include "support/added_test.hpp"
#include "support/neighbor.hpp"
#include "support/placement.hpp"
#include "support/topologies.hpp"

namespace neighbor_repeated_test {

using namespace rondo::testing;

/// The bytes that all ranks send in one exchange by `exchange`.
template <class Exchange>
long long sent_bytes(MPI_Comm comm, Exchange&& exchange) {
  must(MPI_Barrier(comm));
  intercept::reset_calls();
  exchange();
  long long bytes = intercept::sent_elements();
  must(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_LONG_LONG, MPI_SUM, comm));
  return bytes;
}

/// What a rank sends to all ranks, from one place, reaches each other node once.
void run_sent_once(const std::vector<int>& nodes, int longest, Row& row) {
  const TestComm comm(new_graph([](int, int) { return 1; }, 6));
  const TopologyOfAll all(comm);
  set_algorithm(comm, "neighbor_alltoallv", "node_aware", row);
  NeighborExchange exchange(comm, all,
                            {.longest = longest, .is_even = true, .places = 1, .seed = 7});
  const Plan plan = exchange.plan(row);
  const auto ranks = static_cast<long long>(nodes.size());
  const auto others = static_cast<long long>(std::set(nodes.begin(), nodes.end()).size()) - 1;
  const long long most =
      others * ranks * longest * 2 * static_cast<long long>(sizeof(int)) + 64 * ranks * ranks;
  for (int salt = 0; salt < 4; ++salt)
    for (const bool is_planned : {false, true}) {
      const long long bytes = sent_bytes(
          comm, [&] { is_planned ? exchange.execute(plan, row, salt) : exchange.run(row, salt); });
      // At first the ranks also send what they agree on.
      row.expect(salt == 0 || bytes <= most, bytes, " bytes instead of at most ", most);
    }
}

void run_sent_once(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks()))
    // The longer blocks exceed the threshold between nodes.
    for (const int longest : {60, 3000})
      run_placed(placement, runner, rondo::text("sent once, ", longest, " pairs"),
                 static_cast<void (*)(const std::vector<int>&, int, Row&)>(run_sent_once),
                 nodes_of(placement, runner.ranks()), longest);
}

void run_test(Runner& runner) {
  run_sent_once(runner);
}

const AddedTest added({.name = "neighbor_repeated", .run = run_test});

}  // namespace neighbor_repeated_test
