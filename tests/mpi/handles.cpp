// No call leaves an MPI handle behind: not one that repeats an earlier call, and none at all once its
// communicator is freed. Errors, of the arguments and of MPI itself, leave none either.
#include "support/handles.hpp"
#include "support/added_test.hpp"

#include <rondo/rondo.h>

#include <rondo/mailbox.hpp>

#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/dynamic.hpp"
#include "support/measured.hpp"
#include "support/neighbor.hpp"
#include "support/topologies.hpp"

namespace handles_test {

using namespace rondo::testing;
using intercept::Function;

/// Calls on one communicator, to be repeated.
using Calls = std::function<void(MPI_Comm, Row&)>;

MPI_Comm new_comm_of_all() {
  return new_comm();
}

/// Every rank and the next one, once in each direction, and one pair twice.
MPI_Comm new_two_way_ring() {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  return new_graph(
      [ranks](int source, int destination) {
        const int distance = (destination - source + ranks) % ranks;
        return source == 0 && distance == 1 ? 2 : distance == 1 || distance == ranks - 1 ? 1 : 0;
      },
      1);
}

void run_calls(MPI_Comm (*make)(), const Calls& calls, Row& row) {
  const handles::Alive none = handles::alive();
  {
    const TestComm comm(make());
    calls(comm, row);
    const handles::Alive held = handles::alive();
    calls(comm, row);
    const std::string left = handles::difference(held, handles::alive());
    row.expect(left.empty(), "after the same calls again: ", left);
  }
  const std::string left = handles::difference(none, handles::alive());
  row.expect(left.empty(), "after its communicator was freed: ", left);
}

/// Elements that are copied, that must be packed, whose parts are asked for, and at absolute addresses.
struct LoadRow {
  const char* types;
  const char* uniform;  ///< lengths, of alltoall
  const char* others;
};
constexpr LoadRow kLoads[] = {{"double", "constant 20000", "hot pair"},
                              {"struct with gaps", "constant 1000", "uniform 0..1000"},
                              {"dup to contiguous", "constant 64", "uniform 0..64"},
                              {"absolute at MPI_BOTTOM", "constant 64", "uniform 0..64"}};

Calls exchange_of(Collective collective, const std::string& algorithm, Form form,
                  bool is_in_place) {
  const bool is_uniform = collective == Collective::alltoall;
  const auto rows = is_uniform ? uniform_distributions() : distributions();
  return [=](MPI_Comm comm, Row& row) {
    for (const LoadRow& load : kLoads)
      run_case({.collective = collective,
                .algorithm = algorithm,
                .distribution = &named(rows, is_uniform ? load.uniform : load.others),
                .types = &named(type_rows(), load.types),
                .is_in_place = is_in_place,
                .form = form},
               comm, row);
  };
}

/// A type of a type of ints, each with a handle of its own.
void exchange_nested(MPI_Comm comm, Row& row) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_INT, &pair));
  must(MPI_Type_contiguous(2, pair, &pairs));
  must(MPI_Type_free(&pair));
  const Type type(pairs);
  set_algorithm(comm, Collective::alltoallv, "spread_out", row);
  SmallExchange small(comm, 4, type);
  std::ranges::fill(small.counts, 1);
  for (std::size_t peer = 0; peer < small.counts.size(); ++peer)
    small.displacements[peer] = static_cast<int>(peer);
  small.run(Collective::alltoallv, comm, row);
}

/// Two that are in flight together, by calls and by a plan.
Calls starts_of(Collective collective, const std::string& algorithm) {
  return [=](MPI_Comm comm, Row& row) {
    set_algorithm(comm, collective, algorithm, row);
    SmallExchange first(comm, 5);
    SmallExchange second(comm, 3000);
    const Plan plan = first.plan(collective, comm, row);
    Rondo_Request requests[2]{};
    for (const bool is_planned : {false, true}) {
      row.expect_success(
          is_planned ? Rondo_Start(plan, first.sent.data(), first.received.data(), &requests[0])
                     : start(collective, first.send(collective), first.receive(collective), comm,
                             &requests[0]),
          "the first start");
      row.expect_success(start(collective, second.send(collective), second.receive(collective),
                               comm, &requests[1]),
                         "the second start");
      row.expect_success(Rondo_Waitall(2, requests), "Rondo_Waitall");
      row.expect(first.is_right() && second.is_right(), "a start moved wrong data");
    }
  };
}

Calls dynamic_of(Kind kind, const std::string& algorithm, PairLayout layout) {
  return [=](MPI_Comm comm, Row& row) {
    set_algorithm(comm, collective_of(kind), algorithm.c_str(), row);
    for (const char* traffic : {"uneven", "a long one", "few partners"})
      for (int place = 0; place < static_cast<int>(Place::count); ++place)
        DynamicExchange(kind, comm, named_traffic(traffic), 7, {layout, layout})
            .run(static_cast<Place>(place), row);
  };
}

/// A call, a plan's execution and a start.
Calls neighbor_of(const std::string& algorithm, Collective form, int longest) {
  return [=](MPI_Comm comm, Row& row) {
    set_algorithm(comm, "neighbor_alltoallv", algorithm.c_str(), row);
    const TopologyOfAll all(comm);
    NeighborExchange exchange(comm, all, {.form = form, .longest = longest, .is_packed = true});
    exchange.run(row);
    const Plan plan = exchange.plan(row);
    exchange.execute(plan, row, 1);
    exchange.fill(2);
    Rondo_Request request = RONDO_REQUEST_NULL;
    row.expect_success(start_neighbor(form, exchange.send, exchange.receive, comm, &request),
                       "the start");
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    row.expect(exchange.is_right(), "the start moved wrong data");
  };
}

/// Until everything was tried, and not so far.
Calls measured_plan(Collective collective) {
  return [=](MPI_Comm comm, Row& row) {
    for (const bool is_finished : {true, false}) {
      Measured measured({collective, 3}, comm, row);
      measured.execute(is_finished ? kMeasured : 3);
    }
  };
}

void post_letters(MPI_Comm comm, Row& row) {
  int arrived = 0;
  rondo::Mailbox<int> mailbox(
      comm, [&](int, std::span<const int> letters) { arrived += static_cast<int>(letters.size()); },
      10);
  for (int letter = 0; letter < 25; ++letter)
    mailbox.send((rank_of(comm) + 1) % ranks_of(comm), letter);
  mailbox.finish();
  row.expect(arrived == 25, arrived, " letters have arrived");
}

/// Wrong arguments on all ranks: of calls, plans and starts.
Calls wrong_calls(Collective collective, const std::string& algorithm) {
  return [=](MPI_Comm comm, Row& row) {
    // So that no start is the MPI library's.
    row.expect_success(prepare_starts(comm), "prepare_starts");
    set_algorithm(comm, collective, algorithm, row);
    const Type type = Type::packed_ints();
    SmallExchange small(comm, 8, type);
    std::ranges::fill(small.counts, -1);
    const Arguments send = small.send(collective);
    const Arguments receive = small.receive(collective);
    row.expect_error(exchange(collective, send, receive, comm), MPI_ERR_COUNT, "count");
    Rondo_Request request = RONDO_REQUEST_NULL;
    int code = start(collective, send, receive, comm, &request);
    if (code == MPI_SUCCESS) code = Rondo_Wait(&request);
    row.expect_error(code, MPI_ERR_COUNT, "count");
    Rondo_Plan plan = RONDO_PLAN_NULL;
    row.expect_error(make_plan(collective, send, receive, comm, MPI_INFO_NULL, &plan),
                     MPI_ERR_COUNT, "count");
  };
}

void run_exchanges(Runner& runner) {
  for (const Collective collective : kCollectives)
    for (const std::string& algorithm : registered(collective)) {
      const std::string name = rondo::text(name_of(collective), " ", algorithm);
      for (const Form form : forms())
        runner.run(rondo::text(name, ", ", name_of(form)), run_calls, new_comm_of_all,
                   exchange_of(collective, algorithm, form, false));
      runner.run(name + ", in place", run_calls, new_comm_of_all,
                 exchange_of(collective, algorithm, Form::direct, true));
      runner.run("starts of " + name, run_calls, new_comm_of_all, starts_of(collective, algorithm));
    }
  for (const Collective collective : kCollectives)
    for (const std::string& algorithm : registered(collective, true))
      runner.run(rondo::text("wrong calls of ", name_of(collective), " ", algorithm), run_calls,
                 new_comm_of_all, wrong_calls(collective, algorithm));
  runner.run("a type of a type", run_calls, new_comm_of_all, exchange_nested);
}

void run_without_counts(Runner& runner) {
  for (const PairLayout layout : {PairLayout::side_by_side, PairLayout::spread})
    for (const Kind kind : {Kind::dense, Kind::sparse})
      for (const std::string& algorithm :
           kind == Kind::dense ? registered(Collective::alltoallv) : sparse_algorithms())
        runner.run(rondo::text(collective_of(kind), " without counts, ", algorithm,
                               layout == PairLayout::spread ? ", packed" : ""),
                   run_calls, new_comm_of_all, dynamic_of(kind, algorithm, layout));
}

void run_test(Runner& runner) {
  const handles::Watched watched;
  {
    const TestComm first;  // some things are made once in a process
    must(Rondo_Comm_prepare(first, MPI_INFO_NULL));
  }
  run_exchanges(runner);
  run_without_counts(runner);
  for (const Collective form : kCollectives)
    for (const std::string algorithm :
         {"auto", "mpi", "spread_out", "node_aware", "node_aware:threshold=0"})
      for (const int longest : {6, 3000}) {
#ifdef MPICH_VERSION
        if (algorithm == "mpi") continue;  // it matches the two edges of a pair in another order
#endif
        runner.run(rondo::text(name_of(form), " ", algorithm, ", ", longest, " pairs"), run_calls,
                   new_two_way_ring, neighbor_of(algorithm, form, longest));
      }
  for (const Collective collective : kCollectives)
    runner.run(rondo::text("a plan that measures, ", name_of(collective)), run_calls,
               new_comm_of_all, measured_plan(collective));
  runner.run("a mailbox", run_calls, new_comm_of_all, post_letters);
}

const AddedTest added({.name = "handles", .run = run_test, .settings = {{"RONDO_LEARN=0"}}});

}  // namespace handles_test
