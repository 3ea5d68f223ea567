// Dynamic exchanges: no rank knows how much it receives. Every algorithm, every way to receive, types
// that must be packed, on the nodes that there are and on some that do not exist; sequences at random;
// threads.
#include <rondo/rondo.h>

#include <deque>
#include <list>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/dynamic_rows.hpp"
#include "support/environment.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"
#include "support/started.hpp"

namespace dynamic_test {

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

/// A dense exchange that was started, in a place and with types of this rank's choice.
struct StartedDynamic {
  DynamicExchange exchange;
  Place place;
  Rondo_Request request = RONDO_REQUEST_NULL;

  StartedDynamic(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Row& row)
      : exchange(Kind::dense, comm, traffic, seed, drawn_types(comm, seed)),
        place(drawn_place(comm, seed)) {
    row.expect_success(exchange.start(place, &request), "a start");
  }
  void complete(Row& row) { exchange.expect(place, Rondo_Wait(&request), row); }
};

/// Nonblocking exchanges of several kinds in flight, and calls beside them. Ranks complete them in orders of their own.
void run_started(const std::string& algorithm, std::uint64_t seed, Row& row) {
  const Prepared comm(algorithm, row);
  Random same(seed);
  Random own(hash(seed, rank_of(comm)));
  std::list<StartedDynamic> started;
  std::deque<SmallStarted> others;
  for (int number = 0; number < 40; ++number) {
    const Traffic& traffic = traffics()[same.below(traffics().size())];
    const std::uint64_t deed = same.below(10);
    if (deed == 0) exchange_one(Kind::dense, comm, traffic, same.next(), row);
    if (deed == 1) exchange_one(Kind::sparse, comm, traffic, same.next(), row);
    if (deed == 2) others.emplace_back(Collective::alltoallv, comm, 5, row);
    if (deed > 2) started.emplace_back(comm, traffic, same.next(), row);
    while (started.size() > 6 || (!started.empty() && own.below(3) == 0)) {
      const auto one = std::next(started.begin(), static_cast<int>(own.below(started.size())));
      one->complete(row);
      started.erase(one);
    }
  }
  for (StartedDynamic& one : started) one.complete(row);
}

/// What is kept is that of the last exchange in the array.
void expect_last_kept(Row& row) {
  const Prepared comm("auto", row);
  const auto take = [&] {
    int spare = 0;
    return Rondo_Alltoallv_dynamic_take(&spare, 0, MPI_INT, comm);
  };
  const PairType type(PairLayout::side_by_side);
  for (const bool last_fits : {false, true}) {
    DynamicExchange first(Kind::dense, comm, named_traffic("one pair to everybody"), 1);
    DynamicExchange last(Kind::dense, comm, named_traffic("one pair to everybody"), 2);
    Rondo_Request requests[2];
    row.expect_success(first.start(Place::too_small, &requests[0]), "the first start");
    row.expect_success(last.start(last_fits ? Place::exact : Place::too_small, &requests[1]),
                       "the last start");
    const int code = Rondo_Waitall(2, requests);
    row.expect_error(code, MPI_ERR_TRUNCATE, "elements have arrived");
    if (last_fits)
      row.expect_error(take(), MPI_ERR_ARG, "no data of a dynamic exchange is kept");
    else
      last.expect(Place::too_small, code, row);
  }
}

/// A start waits for nobody, so it cannot set up, and all ranks hear of it.
void expect_unprepared_refused(Row& row) {
  const TestComm comm;
  DynamicExchange exchange(Kind::dense, comm, named_traffic("uneven"), 3);
  Rondo_Request request = RONDO_REQUEST_NULL;
  row.expect_error(exchange.start(Place::exact, &request), MPI_ERR_COMM, "Rondo_Comm_prepare");
  row.expect(request == RONDO_REQUEST_NULL, "there is a request");
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  row.expect_success(exchange.start(Place::exact, &request), "a start");
  exchange.expect(Place::exact, Rondo_Wait(&request), row);
  if (ranks_of(MPI_COMM_WORLD) < 2) return;
  const TestComm inter(new_inter_comm());
  row.expect_error(call_dynamic(Kind::dense, exchange.arguments(), inter, &request), MPI_ERR_COMM,
                   "inter-communicator");
}

void run_starts(Runner& runner) {
  const auto where = placements(runner.ranks());
  std::uint64_t number = 0;
  for (const char* algorithm : {"auto", "node_aware", "fused_bruck", "spread_out", "mpi"})
    for (const Placement& placement : drawn(where, runner.options(), number++))
      runner.run(rondo::text("started, ", algorithm, ", ranks ", placement.name), [&](Row& row) {
        const PlacedRanks placed(placement, runner.ranks());
        run_started(algorithm, hash(runner.options().seed, 0x57, number), row);
      });
  runner.run("started, what is kept", expect_last_kept);
  runner.run("started, communicators that are refused", expect_unprepared_refused);
}

void run_test(Runner& runner) {
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
  run_starts(runner);
  rows.run_threads({"auto", "auto", "auto"});
}

const AddedTest added({.name = "dynamic", .run = run_test, .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace dynamic_test
