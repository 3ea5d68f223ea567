// Neighbourhood exchanges in which a rank sends the same memory to several ranks: it reaches each other
// node once.
#include <rondo/rondo.h>

#include <set>

#include "support/neighbor.hpp"
#include "support/placement.hpp"
#include "support/topologies.hpp"

namespace {

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
  const NeighborLoad load{.longest = longest, .is_even = true, .places = 1, .seed = 7};
  NeighborExchange exchange(comm, all, load);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  row.expect_success(
      plan_neighbor(load.form, exchange.send, exchange.receive, comm, MPI_INFO_NULL, &plan),
      "the plan");
  const auto ranks = static_cast<long long>(nodes.size());
  const auto others = static_cast<long long>(std::set(nodes.begin(), nodes.end()).size()) - 1;
  const long long most =
      others * ranks * longest * 2 * static_cast<long long>(sizeof(int)) + 64 * ranks * ranks;
  for (int salt = 0; salt < 4; ++salt) {
    const bool is_first = salt == 0;  // then the ranks also send what they agree on
    const long long by_call = sent_bytes(comm, [&] { exchange.run(row, salt); });
    row.expect(is_first || by_call <= most, by_call, " bytes instead of at most ", most);
    exchange.fill(salt);
    const long long by_plan = sent_bytes(comm, [&] {
      row.expect_success(Rondo_Execute(plan, exchange.send.buffer, exchange.receive.buffer),
                         "Rondo_Execute");
    });
    row.expect(exchange.is_right(), "the plan moved wrong data");
    row.expect(is_first || by_plan <= most, by_plan, " bytes instead of at most ", most);
  }
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
}

void run_sent_once(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks()))
    // The longer blocks exceed the threshold between nodes.
    for (const int longest : {60, 3000}) {
      const PlacedRanks placed(placement, runner.ranks());
      runner.run(
          rondo::text("sent once, ", longest, " pairs, ranks ", placement.name),
          [&](Row& row) { run_sent_once(nodes_of(placement, runner.ranks()), longest, row); });
    }
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "neighbor_repeated");
  run_sent_once(runner);
  return runner.finish();
}
