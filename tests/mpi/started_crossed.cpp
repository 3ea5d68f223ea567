// Nonblocking exchanges beside calls, in orders that differ between ranks: one rank starts or completes an exchange
// before a call, the others after it. What is started goes on wherever Rondo waits, so no order may hang.
#include <rondo/rondo.h>

#include <deque>
#include <memory>
#include <optional>

#include "support/added_test.hpp"
#include "support/dynamic.hpp"
#include "support/neighbor.hpp"
#include "support/started.hpp"
#include "support/topologies.hpp"

namespace started_crossed_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

/// What all ranks call, with its number.
using Call = std::function<void(int number)>;

/// How a call can wait for other ranks.
enum class Waits {
  in_rondo,
  in_mpi,  ///< the MPI library may carry it out
};

struct Called {
  std::string name;
  Waits waits;
  int calls;  ///< so many, each beside a start of its own
  /// Collective. Makes what is called, which does its work afresh.
  std::function<Call(Row& row)> make;
};

Called alltoallv_by(const std::string& algorithm, Waits waits) {
  return {algorithm, waits, 1, [=](Row& row) -> Call {
            const auto comm = std::make_shared<Prepared>(algorithm, row);
            return [=, &row](int number) {
              SmallExchange(*comm, 7).run(kVariable, *comm, row, number);
            };
          }};
}

Called dynamic_by(Kind kind, const char* algorithm, Waits waits) {
  return {rondo::text(kind == Kind::dense ? "dynamic" : "sparse", " by ", algorithm), waits, 3,
          [=](Row& row) -> Call {
            const auto comm = std::make_shared<TestComm>();
            set_algorithm(*comm, collective_of(kind), algorithm, row);
            return [=, &row](int number) {
              DynamicExchange(kind, *comm, named_traffic("uneven"),
                              static_cast<std::uint64_t>(number))
                  .run(Place::exact, row);
            };
          }};
}

/// Calls along the edges of a ring. While the first ones are made, the ranks agree on the algorithm.
Called neighbour_by(const char* algorithm, Waits waits) {
  return {rondo::text("neighbourhood by ", algorithm), waits, 130, [=](Row& row) -> Call {
            const auto comm = std::make_shared<TestComm>(new_ring());
            const auto all = std::make_shared<TopologyOfAll>(*comm);
            set_algorithm(*comm, "neighbor_alltoallv", algorithm, row);
            return [=, &row](int number) {
              NeighborExchange(*comm, *all, {.longest = 4, .seed = 8}).run(row, number);
            };
          }};
}

/// The first exchanges of a communicator that has been set up.
Called first_alltoall() {
  return {"the first alltoall", Waits::in_mpi, 3, [](Row& row) -> Call {
            const auto comm = std::make_shared<TestComm>();
            row.expect_success(Rondo_Comm_prepare(*comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
            return [=, &row](int number) {
              SmallExchange(*comm, 7).run(Collective::alltoall, *comm, row, number);
            };
          }};
}

Called new_communicator(const char* name, void (*use)(MPI_Comm comm, Row& row)) {
  constexpr int kCalls = 2;
  return {name, Waits::in_rondo, kCalls, [=](Row& row) -> Call {
            const auto comms = std::make_shared<std::deque<TestComm>>(kCalls);
            return [=, &row](int number) { use((*comms)[static_cast<std::size_t>(number)], row); };
          }};
}

Called new_plan() {
  return {"making a plan", Waits::in_rondo, 3, [](Row& row) -> Call {
            const auto comm = std::make_shared<Prepared>("fused_bruck", row);
            return [=, &row](int number) {
              SmallExchange small(*comm, 7);
              const Plan plan = small.plan(kVariable, *comm, row);
              small.execute(plan, row, number);
            };
          }};
}

std::vector<Called> all_called() {
  return {
      alltoallv_by("node_aware", Waits::in_rondo),
      alltoallv_by("fused_bruck", Waits::in_rondo),
      alltoallv_by("mpi", Waits::in_mpi),
      first_alltoall(),
      dynamic_by(Kind::dense, "fused_bruck", Waits::in_rondo),
      dynamic_by(Kind::dense, "auto", Waits::in_mpi),
      dynamic_by(Kind::sparse, "nbx", Waits::in_rondo),
      dynamic_by(Kind::sparse, "node_aware", Waits::in_rondo),
      dynamic_by(Kind::sparse, "personalized", Waits::in_mpi),
      dynamic_by(Kind::sparse, "auto", Waits::in_mpi),
      neighbour_by("node_aware", Waits::in_rondo),
      neighbour_by("auto", Waits::in_mpi),
      new_plan(),
      new_communicator("setting a communicator up",
                       [](MPI_Comm comm, Row& row) {
                         row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL),
                                            "Rondo_Comm_prepare");
                       }),
      new_communicator(
          "setting an algorithm",
          [](MPI_Comm comm, Row& row) { set_algorithm(comm, kVariable, "fused_bruck", row); }),
  };
}

/// What one rank does before a call, and the others after it.
enum class Order { starts_first, completes_first };

/// Each rank is the one in turn.
void run_crossed(const std::string& algorithm, const Called& called, Order order, Row& row) {
  if (order == Order::starts_first && called.waits == Waits::in_mpi && !progresses_in_mpi())
    return row.skip("what is started does not go on in this MPI library");
  const Prepared started_on(algorithm, row);
  for (int first = 0; first < ranks_of(started_on); ++first) {
    const Call call = called.make(row);
    const bool is_first = rank_of(started_on) == first;
    const bool starts_before = is_first || order == Order::completes_first;
    const bool completes_before = is_first && order == Order::completes_first;
    for (int number = 0; number < called.calls && !row.failed(); ++number) {
      std::optional<SmallStarted> started;
      const auto start = [&] { started.emplace(kVariable, started_on, 40, row); };
      if (starts_before) start();
      if (completes_before) started.reset();
      call(number);
      if (!starts_before) start();
    }
  }
}

void run_test(Runner& runner) {
  for (const Called& called : all_called())
    for (const char* algorithm : {"node_aware", "fused_bruck", "padded_alltoall", "mpi", "auto"}) {
      const std::string name = rondo::text(called.name, " beside a start by ", algorithm);
      for (const Order order : {Order::completes_first, Order::starts_first})
        runner.run(
            rondo::text(name, order == Order::starts_first ? ", started" : ", completed", " first"),
            run_crossed, std::string(algorithm), called, order);
    }
}

const AddedTest added({.name = "started_crossed", .run = run_test});
/// With RONDO_PROGRESS=thread.
const AddedTest added_thread({.name = "started_crossed_thread",
                              .run = run_test,
                              .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace started_crossed_test
