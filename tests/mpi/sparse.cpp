// Sparse exchanges: each rank names only the ranks to which it sends. Every algorithm, every way to
// receive, types that must be packed, on the nodes that there are and on some that do not exist; long
// sequences at random; threads.
#include <rondo/rondo.h>

#include <memory>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/captured_stderr.hpp"
#include "support/dynamic_rows.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"

namespace sparse_test {

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

/// A plan that is executed, and started several times before it is over. Its communicator may be freed before.
class Planned {
 public:
  Planned(std::shared_ptr<TestComm> comm, const Traffic& traffic, std::uint64_t seed, MPI_Info info,
          Row& row)
      : row_(row), seed_(seed) {
    for (int copy = 0; copy < 3; ++copy)
      exchanges_.push_back(std::make_unique<DynamicExchange>(Kind::sparse, *comm, traffic, seed,
                                                             drawn_types(*comm, seed)));
    exchanges_[0]->make_plan(hash(seed, rank_of(*comm)) % 2 == 0, info, &plan_, row);
    if (seed % 2 != 0) comm_ = std::move(comm);
  }
  ~Planned() { row_.expect_success(Rondo_Plan_free(&plan_), "Rondo_Plan_free"); }

  void execute(int salt) {
    const auto [sent, received] = exchanges_[0]->buffers(salt);
    row_.expect_success(Rondo_Execute(plan_, sent, received), "Rondo_Execute");
    exchanges_[0]->expect_right(row_);
  }

  void start_all(int salt) {
    std::vector<Rondo_Request> requests;
    for (const auto& exchange : exchanges_) {
      const auto [sent, received] = exchange->buffers(++salt);
      row_.expect_success(Rondo_Start(plan_, sent, received, &requests.emplace_back()),
                          "Rondo_Start");
    }
    execute_beside(salt);
    row_.expect_success(Rondo_Waitall(static_cast<int>(requests.size()), requests.data()),
                        "Rondo_Waitall");
    for (const auto& exchange : exchanges_) exchange->expect_right(row_);
  }

  std::string algorithm() const {
    char text[200] = "";
    row_.expect_success(Rondo_Plan_get_algorithm(plan_, text, sizeof text), "the algorithm");
    return text;
  }

 private:
  /// A call on the communicator, if it still exists.
  void execute_beside(int salt) {
    if (comm_)
      exchange_one(Kind::sparse, *comm_, named_traffic("few partners"), hash(seed_, salt), row_);
  }

  Row& row_;
  std::uint64_t seed_;
  std::shared_ptr<TestComm> comm_;  ///< null if it is freed
  Rondo_Plan plan_ = RONDO_PLAN_NULL;
  std::vector<std::unique_ptr<DynamicExchange>> exchanges_;
};

/// `sparse` finds the edges, and `along` moves the blocks. The communicator is freed before one of two plans.
void run_planned(const std::string& sparse, const std::string& along, const Traffic& traffic,
                 std::uint64_t seed, Row& row) {
  const bool measures = along == "measured";
  const Info info(measures ? "rondo_measure" : "rondo_neighbor_alltoallv",
                  measures ? "1" : along.c_str());
  for (const std::uint64_t number : {0, 1}) {
    auto comm = std::make_shared<TestComm>();
    set_algorithm(*comm, Kind::sparse, sparse, row);
    Planned plan(std::move(comm), traffic, 2 * seed + number, info, row);
    const int executions = measures ? 30 : 4;
    for (int salt = 1; salt <= executions; ++salt) plan.execute(salt);
    plan.start_all(50);
    plan.start_all(60);
    plan.execute(70);
    if (!measures && along != "auto")
      row.expect(plan.algorithm().starts_with(along == "mpi" ? "spread_out" : along),
                 plan.algorithm(), " runs");
  }
}

/// Where MPI refuses a communicator to Rondo, the plan is the library's, and a dynamic exchange cannot be started.
void run_planned_without_set_up(std::uint64_t seed, Row& row) {
  const auto comm = std::make_shared<TestComm>();
  {
    const CapturedStderr warning;
    intercept::fail_from(intercept::Function::Comm_create_group, 0);
    row.expect_success(Rondo_Comm_prepare(*comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    intercept::fail_nothing();
  }
  DynamicExchange dynamic(Kind::dense, *comm, named_traffic("uneven"), 3);
  Rondo_Request request = RONDO_REQUEST_NULL;
  row.expect_error(dynamic.start(Place::exact, &request), MPI_ERR_COMM, "Rondo is not set up");
  for (const Traffic& traffic : sparse_traffics()) {
    Planned plan(comm, traffic, 2 * seed + 1, MPI_INFO_NULL, row);
    row.expect(plan.algorithm() == "mpi", plan.algorithm(), " runs");
    for (int salt = 1; salt < 4; ++salt) plan.execute(salt);
    plan.start_all(50);
  }
}

/// All ranks hear of it if a block that comes to one is not a multiple of recvtype's size.
void expect_whole_elements_of_plan(Row& row) {
  const TestComm comm;
  DynamicExchange exchange(Kind::sparse, comm, named_traffic("one pair to everybody"), 5);
  AnyArguments arguments = exchange.arguments();
  MPI_Datatype three = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(3, MPI_INT, &three));
  must(MPI_Type_commit(&three));
  if (rank_of(comm) == ranks_of(comm) - 1) arguments.receive.types = &three;
  Rondo_Plan plan = RONDO_PLAN_NULL;
  const int code = plan_sparse(arguments, comm, MPI_INFO_NULL, &plan);
  row.expect(code != MPI_SUCCESS, "a plan was made");
  row.expect(plan == RONDO_PLAN_NULL, "there is a plan");
  must(MPI_Type_free(&three));
  DynamicExchange(Kind::sparse, comm, named_traffic("uneven"), 7).run(Place::exact, row);
}

void run_plans(Runner& runner) {
  const auto where = placements(runner.ranks());
  const std::vector<Traffic> traffics(sparse_traffics().begin(), sparse_traffics().end());
  std::uint64_t number = 0;
  for (const char* along : {"auto", "node_aware", "spread_out", "mpi", "measured"})
    for (const Placement& placement : drawn(where, runner.options(), number++)) {
      const auto all = sparse_algorithms();
      const std::string sparse = all[hash(runner.options().seed, number) % all.size()];
      for (const Traffic& traffic : drawn(traffics, runner.options(), number))
        runner.run(
            rondo::text("planned, ", along, ", found by ", sparse, ", ranks ", placement.name),
            [&](Row& row) {
              const PlacedRanks placed(placement, runner.ranks());
              run_planned(sparse, along, traffic, hash(runner.options().seed, 0x91, number), row);
            });
    }
  runner.run("planned, without set-up", run_planned_without_set_up, runner.options().seed);
  runner.run("planned, no whole elements", expect_whole_elements_of_plan);
}

void run_test(Runner& runner) {
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
  rows.run_sequences({"nbx", "nbx:threshold=0", "personalized", "fused_bruck", "node_aware", "mpi"},
                     runner.options().all ? 10'000 : 400);
  run_plans(runner);
  rows.run_threads({"nbx", "personalized", "node_aware"});
}

const AddedTest added({.name = "sparse", .run = run_test, .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace sparse_test
