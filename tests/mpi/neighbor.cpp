// Neighbourhood exchanges: every topology, algorithm and form, on the nodes that there are and on some
// that do not exist, compared with MPI's definition; lengths that do not match; plans. wrong.cpp has wrong
// arguments.
#include <rondo/rondo.h>

#include <algorithm>

#include "support/added_test.hpp"
#include "support/environment.hpp"
#include "support/neighbor.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"
#include "support/topologies.hpp"

namespace neighbor_test {

using namespace rondo::testing;

constexpr const char* kCollective = "neighbor_alltoallv";

constexpr const char* kAlgorithms[] = {"spread_out",
                                       "spread_out:window=1",
                                       "spread_out:window=2",
                                       "node_aware",
                                       "node_aware:threshold=0",
                                       "node_aware:threshold=40",
                                       "auto",
                                       "mpi"};

/// Ints in pairs: 0 bytes to beyond the default threshold between nodes, and beyond a shared block.
constexpr int kLongest[] = {5, 5, 200, 200, 1500, 1500, 3000, 12'000};

// Why the MPI library's own call is not compared.
constexpr const char* kFailsInMpich = "MPICH 4.0's own call is wrong where a rank has no edges";
constexpr const char* kIsAmbiguous = "MPI libraries differ in which of several edges match";

std::vector<By> callers() {
#if MPI_VERSION >= 4
  return {By::rondo, By::rondo_large};
#else
  return {By::rondo};
#endif
}

NeighborLoad load_of(std::uint64_t bits) {
  NeighborLoad load = drawn_load(bits, kLongest);
  load.places = static_cast<int>(hash(bits, 4) % 5 / 2);
  return load;
}

/// Three executions with other data and other buffers.
void run_plan(MPI_Comm comm, const TopologyOfAll& all, const NeighborLoad& load, Row& row) {
  NeighborExchange exchange(comm, all, load);
  const Plan plan = exchange.plan(row);
  for (int salt = 0; salt < 3; ++salt) NeighborExchange(comm, all, load).execute(plan, row, salt);
}

void run_loads(MPI_Comm comm, const TopologyOfAll& all, std::uint64_t seed, int loads, Row& row) {
  for (int number = 0; number < loads; ++number) {
    const NeighborLoad load = load_of(hash(seed, number));
    for (const By by : callers()) NeighborExchange(comm, all, load).run(row, number, by);
    NeighborExchange(comm, all, load).run(row, number + 1);
    run_plan(comm, all, load, row);
  }
}

void run_topology(const TopologyRow& topology, const std::string& algorithm, std::uint64_t seed,
                  int loads, Row& row) {
  const TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  // `auto` may run the library's own call.
  if (all.fails_in_mpich() && (algorithm == "mpi" || algorithm == "auto"))
    return row.skip(kFailsInMpich);
  if (algorithm == "mpi" && (topology.is_ambiguous || all.has_several()))
    return row.skip(kIsAmbiguous);
  set_algorithm(comm, kCollective, algorithm.c_str(), row);
  run_loads(comm, all, seed, loads, row);
}

/// A sample in which every pair of values occurs, with many ranks some of it, or with --all the product.
void run_topologies(const std::vector<TopologyRow>& rows, Runner& runner) {
  const auto where = placements(runner.ranks());
  const int loads = runner.options().all ? 12 : 1;
  const auto sample =
      combinations({rows.size(), std::size(kAlgorithms), where.size()}, runner.options(), 0x70);
  for (const Combination& at : thinned(sample, runner, 3, 0x71)) {
    const std::string algorithm = kAlgorithms[at[1]];
    run_placed(where[at[2]], runner, rondo::text(rows[at[0]].name, ", ", algorithm), run_topology,
               rows[at[0]], algorithm, hash(runner.options().seed, at[0], at[1]), loads);
  }
}

/// The test's definition is MPI's.
void run_mpi(const TopologyRow& topology, Row& row) {
  const TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  if (all.fails_in_mpich()) return row.skip(kFailsInMpich);
  if (all.has_several()) return row.skip(kIsAmbiguous);
  for (const Collective form : kCollectives)
    NeighborExchange(comm, all, {.form = form, .longest = 9, .is_scattered = true, .seed = 3})
        .run(row, 0, By::mpi);
}

/// Calls before set-up and after it, among exchanges between all ranks.
void run_forwarded(const TopologyRow& topology, const char* calls, Row& row) {
  const Environment forwarded("RONDO_FORWARD_CALLS", calls);
  const TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  if (all.fails_in_mpich()) return row.skip(kFailsInMpich);
  for (int call = 0; call < 9; ++call) {
    NeighborExchange(comm, all, load_of(hash(11, call))).run(row, call);
    SmallExchange(comm, call % 4).run(kCollectives[call % 3], comm, row, call);
  }
}

/// The ranks agree again on the longest block after 64 calls.
void run_many(const TopologyRow& topology, Row& row) {
  const Environment forwarded("RONDO_FORWARD_CALLS", "0");
  const TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  for (int call = 0; call < 140; ++call)
    NeighborExchange(comm, all, {.longest = call < 50 ? 3 : 2000, .seed = 5}).run(row, call);
}

/// Rank 0 expects other lengths than are sent to it: `change` bytes more.
void run_mismatch(const std::string& algorithm, int change, bool is_checked, Row& row) {
  const Environment check("RONDO_CHECK", is_checked ? "1" : nullptr);
  const TestComm comm(new_ring());
  const TopologyOfAll all(comm);
  set_algorithm(comm, kCollective, algorithm.c_str(), row);
  NeighborExchange exchange(comm, all, {.form = Collective::alltoall, .longest = 700, .seed = 6});
  const NeighborLoad right{.form = Collective::alltoallv, .longest = 700, .seed = 8};
  const bool is_wrong = rank_of(comm) == 0;
  std::vector<int> received(4000, -1);
  NeighborArguments receive = exchange.receive;
  receive.buffer = received.data();
  receive.counts[0] += is_wrong ? change : 0;
  exchange.fill(1);
  const int code = call_neighbor(Collective::alltoallv, exchange.send, receive, comm);
  if (is_wrong || is_checked) row.expect_error(code, MPI_ERR_TRUNCATE, "which expects");
  if (change < 0)
    row.expect(received[static_cast<std::size_t>(receive.counts[0])] == -1,
               "wrote behind the block");
  for (int salt = 0; salt < 3; ++salt) NeighborExchange(comm, all, right).run(row, salt);
}

/// By default each length with one of the algorithms.
void run_mismatches(Runner& runner) {
  const std::vector<std::string> algorithms{"node_aware", "node_aware:threshold=0"};
  std::uint64_t number = 0;
  for (const Placement& placement : placements(runner.ranks()))
    for (const int change : {-1400, -2, 2})
      for (const bool is_checked : {false, true})
        for (const std::string& algorithm :
             drawn(algorithms, runner.options(), hash(0x4d, number++)))
          run_placed(placement, runner,
                     rondo::text("expects ", change, " ints more, ", algorithm,
                                 is_checked ? ", checked" : ""),
                     run_mismatch, algorithm, change, is_checked);
}

void run_no_topology(Row& row) {
  const NeighborArguments nothing;
  const TestComm comm;
  for (const Collective form : kCollectives) {
    row.expect_error(call_neighbor(form, nothing, nothing, comm), MPI_ERR_TOPOLOGY, "no topology");
    Rondo_Plan plan = RONDO_PLAN_NULL;
    row.expect_error(plan_neighbor(form, nothing, nothing, comm, MPI_INFO_NULL, &plan),
                     MPI_ERR_TOPOLOGY, "no topology");
  }
  const int former = Rondo_Errors_return(1);
  row.expect_error(call_neighbor(Collective::alltoall, nothing, nothing, MPI_COMM_NULL),
                   MPI_ERR_COMM, "MPI_COMM_NULL");
  Rondo_Errors_return(former);
  if (ranks_of(MPI_COMM_WORLD) < 2) return;
  const TestComm inter(new_inter_comm());
  row.expect_error(call_neighbor(Collective::alltoall, nothing, nothing, inter), MPI_ERR_TOPOLOGY,
                   "inter-communicator");
}

/// A graph on which rank 0 has an edge to rank 1 that rank 1 does not have.
void run_one_sided(Row& row) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  if (ranks < 2) return row.skip("needs two ranks");
  std::vector<int> ends(static_cast<std::size_t>(ranks), 1);
  const int edges[] = {1};
  MPI_Comm graph = MPI_COMM_NULL;
  must(MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), edges, 0, &graph));
  must(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN));
  const TestComm comm(graph);
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  NeighborArguments side;
  int number = 0;
  side.buffer = &number;
  side.counts = {1};
  side.displacements = {0};
  row.expect_error(call_neighbor(Collective::alltoallv, side, side, comm), MPI_ERR_TOPOLOGY,
                   "on one of them only");
}

void run_measured(const TopologyRow& topology, bool is_freed, Row& row) {
  TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  NeighborExchange exchange(comm, all, {.longest = 40, .seed = 14});
  const Plan plan = exchange.plan(row, Info("rondo_measure", "1"));
  for (int salt = 0; salt < 100; ++salt) {
    if (is_freed && salt == 7) comm.free();
    exchange.execute(plan, row, salt);
  }
}

/// A plan's communicator may be freed, also if the MPI library carries the plan out.
void run_outlives(const char* algorithm, Row& row) {
  TestComm comm(new_ring());
  const TopologyOfAll all(comm);
  NeighborExchange exchange(comm, all,
                            {.form = Collective::alltoallw, .longest = 40, .is_packed = true});
  const Plan plan = exchange.plan(row, Info("rondo_neighbor_alltoallv", algorithm));
  const std::string runs = algorithm_of(plan, row);
  row.expect(runs.starts_with(algorithm), runs, " instead of ", algorithm);
  for (int salt = 0; salt < 4; ++salt) {
    if (salt == 2) comm.free();
    exchange.execute(plan, row, salt);
  }
  row.expect_error(Rondo_Execute(plan, MPI_IN_PLACE, exchange.receive.buffer), MPI_ERR_BUFFER,
                   "MPI_IN_PLACE");
}

void run_test(Runner& runner) {
  const std::uint64_t seed = runner.options().seed;
  const auto rows = topologies(runner.ranks(), seed);
  run_topologies(rows, runner);
  const std::vector<const char*> forwarded_calls{"0", "3"};
  std::uint64_t number = 0;
  for (const TopologyRow& topology : thinned(rows, runner, 3, 0x72)) {
    if (!topology.is_ambiguous) runner.run("MPI's own, " + topology.name, run_mpi, topology);
    for (const char* calls : drawn(forwarded_calls, runner.options(), number++))
      runner.run(rondo::text(topology.name, ", RONDO_FORWARD_CALLS=", calls), run_forwarded,
                 topology, calls);
  }
  runner.run("many calls", run_many, rows.back());
  if (runner.ranks() > 1) run_mismatches(runner);
  runner.run("no topology", run_no_topology);
  runner.run("an edge on one side only", run_one_sided);
  for (const bool is_freed : {false, true})
    runner.run(rondo::text("measured", is_freed ? ", freed" : ""), run_measured, rows.back(),
               is_freed);
  for (const char* algorithm : {"spread_out", "node_aware", "mpi"})
    runner.run(rondo::text("outlives its communicator, ", algorithm), run_outlives, algorithm);
}

const AddedTest added({.name = "neighbor", .run = run_test});

}  // namespace neighbor_test
