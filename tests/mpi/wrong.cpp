// Wrong arguments of every kind of exchange, on all ranks or on one: the class of the error and a text
// that names the argument, on that rank and on those that learn of it; later exchanges are right. A
// sample in which every pair of values occurs, with many ranks some of it, or with --all the product.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/environment.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"
#include "support/topologies.hpp"
#include "support/wrong_dense.hpp"
#include "support/wrong_subjects.hpp"

namespace wrong_test {

using namespace rondo::testing;

/// The values of one row.
struct Way {
  const Wrong& wrong;
  std::string algorithm;
  Placement placement;
  int wrong_rank;
  bool is_plan = false;
  bool is_checked = false;
  bool is_forwarded = false;
};

std::string name_of(const Way& way) {
  const std::string whose = way.wrong_rank < 0 ? "all ranks" : rondo::text("rank ", way.wrong_rank);
  return rondo::text(way.wrong.name, " of ", whose, ", ", way.algorithm,
                     way.is_plan ? ", plan" : "", way.is_checked ? ", checked" : "",
                     way.is_forwarded ? ", forwarded" : "", ", ranks ", way.placement.name);
}

/// Calls run(comm, row) on a communicator of its own, made by `make`.
template <class Make, class Run>
void run_way(const Way& way, const std::string& what, Make&& make, Run&& run, Runner& runner) {
  runner.run(rondo::text(what, ", ", name_of(way)), [&](Row& row) {
    const Environment check("RONDO_CHECK", way.is_checked ? "1" : nullptr);
    const Environment forwarded("RONDO_FORWARD_CALLS", way.is_forwarded ? "9" : nullptr);
    const PlacedRanks placed(way.placement, runner.ranks());
    const TestComm comm(make());
    run(comm, row);
  });
}

void expect_wrong(const Way& way, Subject& subject, Row& row, Blame blame) {
  (way.is_plan ? expect_wrong_plan : expect_wrong_call)(way.wrong, subject, blame, row);
}

std::vector<const Wrong*> applying_to(unsigned function) {
  std::vector<const Wrong*> rows;
  for (const Wrong& wrong : wrong_rows())
    if ((wrong.applies_to & function) != 0) rows.push_back(&wrong);
  return rows;
}

void run_dense(Collective collective, Runner& runner) {
  const auto wrongs = applying_to(1U << static_cast<unsigned>(collective));
  const auto algorithms = moving_algorithms(collective);
  const auto where = placements(runner.ranks());
  const int ranks[] = {Blame::everybody, 0, runner.ranks() - 1};
  const auto returns_error = [&](const Combination& at) {
    return ranks[at[3]] == Blame::everybody || at[6] == 1 ||
           reports_everywhere(collective, algorithms[at[1]]);
  };
  const auto is_legal = [&](const Combination& at) {
    return returns_error(at) && (at[4] == 0 || wrongs[at[0]]->on == On::receiving);
  };
  for (const Combination& at :
       thinned(combinations({wrongs.size(), algorithms.size(), where.size(), std::size(ranks), 2, 2,
                             2, std::size(kWrongCounts)},
                            runner.options(), static_cast<std::uint64_t>(collective), is_legal),
               runner, 2, 0x3a)) {
    const Way way{.wrong = *wrongs[at[0]],
                  .algorithm = algorithms[at[1]],
                  .placement = where[at[2]],
                  .wrong_rank = ranks[at[3]],
                  .is_plan = at[5] == 1,
                  .is_checked = at[6] == 1};
    const bool is_in_place = at[4] == 1;
    const int count = kWrongCounts[at[7]];
    run_way(
        way, rondo::text(name_of(collective), is_in_place ? " in place, " : ", ", count, " ints"),
        [] { return new_comm(); },
        [&](MPI_Comm comm, Row& row) {
          set_algorithm(comm, collective, way.algorithm, row);
          DenseSubject subject(collective, is_in_place, count, comm);
          expect_wrong(way, subject, row, {.wrong_rank = way.wrong_rank});
        },
        runner);
  }
}

void run_dynamic(Kind kind, const std::vector<std::string>& algorithms, Runner& runner) {
  const auto wrongs = applying_to(kind == Kind::dense ? functions::dynamic : functions::sparse);
  const auto where = placements(runner.ranks());
  const int ranks[] = {0, runner.ranks() - 1};
  const auto is_legal = [&](const Combination& at) {  // the third way of sparse ones is a plan
    return kind == Kind::dense || at[4] != 2 ||
           (wrongs[at[0]]->applies_to & functions::sparse_plan) != 0;
  };
  for (const Combination& at :
       thinned(combinations({wrongs.size(), algorithms.size(), where.size(), std::size(ranks), 3},
                            runner.options(), hash(0xd1, kind), is_legal),
               runner, 2, 0x3a)) {
    const Way way{.wrong = *wrongs[at[0]],
                  .algorithm = algorithms[at[1]],
                  .placement = where[at[2]],
                  .wrong_rank = ranks[at[3]],
                  .is_plan = kind == Kind::sparse && at[4] == 2,
                  .is_forwarded = at[4] == 1};
    const bool is_started = kind == Kind::dense && at[4] == 2;
    run_way(
        way, rondo::text(is_started ? "started " : "", kind == Kind::dense ? "dynamic" : "sparse"),
        [] { return new_comm(); },
        [&](MPI_Comm comm, Row& row) {
          set_algorithm(comm, collective_of(kind), way.algorithm.c_str(), row);
          if (is_started)
            row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
          DynamicSubject subject(kind, comm, is_started);
          expect_wrong(way, subject, row, {.wrong_rank = way.wrong_rank});
        },
        runner);
  }
}

/// Ranks that have something to send and to receive, and one-way edges to and from other nodes. The rank
/// in the middle receives from all, and so from more ranks than it sends to.
MPI_Comm new_wrong_graph() {
  return new_graph(
      [ranks = ranks_of(MPI_COMM_WORLD)](int source, int destination) {
        const int step = (destination - source + ranks) % ranks;
        return step == 1 || step == 3 % ranks || destination == ranks / 2 ? 1 : 0;
      },
      9);
}

/// Whether a rank returns an error in a call if `wrong` does: those of its node do, and those to which one
/// of them has an edge.
bool returns_neighbor_error(const std::vector<int>& nodes, const TopologyOfAll& all, int wrong,
                            int rank) {
  const auto is_beside = [&](int other) {
    return nodes[static_cast<std::size_t>(other)] == nodes[static_cast<std::size_t>(wrong)];
  };
  if (is_beside(rank)) return true;
  for (int source = 0; source < static_cast<int>(nodes.size()); ++source)
    if (is_beside(source) && all.has_edge(source, rank)) return true;
  return false;
}

void run_neighbor(Collective form, Runner& runner) {
  const auto wrongs = applying_to(functions::neighbor_alltoall << static_cast<unsigned>(form));
  const auto where = placements(runner.ranks());
  const std::string algorithms[] = {"node_aware", "node_aware:threshold=0", "spread_out"};
  const int ranks[] = {runner.ranks() / 2, runner.ranks() - 1};
  /// In `spread_out` only ranks that make a plan report an error to others.
  const auto is_legal = [&](const Combination& at) {
    return algorithms[at[1]] != "spread_out" || at[5] == 1 ||
           (at[4] == 1 && wrongs[at[0]]->in_plans == Seen::when_made);
  };
  for (const Combination& at : thinned(combinations({wrongs.size(), std::size(algorithms),
                                                     where.size(), std::size(ranks), 2, 2},
                                                    runner.options(), hash(0x4e, form), is_legal),
                                       runner, 2, 0x3a)) {
    const Way way{.wrong = *wrongs[at[0]],
                  .algorithm = algorithms[at[1]],
                  .placement = where[at[2]],
                  .wrong_rank = ranks[at[3]],
                  .is_plan = at[4] == 1,
                  .is_checked = at[5] == 1};
    run_way(
        way, rondo::text("neighbor_", name_of(form)), new_wrong_graph,
        [&](MPI_Comm comm, Row& row) {
          set_algorithm(comm, "neighbor_alltoallv", way.algorithm.c_str(), row);
          NeighborSubject subject(form, comm);
          const auto nodes = nodes_of(way.placement, runner.ranks());
          expect_wrong(way, subject, row, {way.wrong_rank, [&](int rank) {
                                             return way.is_checked || returns_neighbor_error(
                                                                          nodes, subject.topology(),
                                                                          way.wrong_rank, rank);
                                           }});
        },
        runner);
  }
}

void run_test(Runner& runner) {
  for (const Collective collective : kCollectives) run_dense(collective, runner);
  if (are_started()) return;  // the others do not look at it
  run_dynamic(Kind::dense,
              {"node_aware", "node_aware:threshold=0", "fused_bruck", "fused_bruck:radix=2:ports=1",
               "spread_out", "two_phase_bruck", "mpi", "auto"},
              runner);
  run_dynamic(Kind::sparse, sparse_algorithms(), runner);
  if (runner.ranks() > 1)
    for (const Collective form : kCollectives) run_neighbor(form, runner);
}

const AddedTest added({.name = "wrong",
                       .run = run_test,
                       .settings = {{"", 3}, {kEveryStarted, 6}}});

}  // namespace wrong_test
