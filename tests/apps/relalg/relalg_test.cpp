// Every case on these ranks, with several algorithms, against the reference; skewed relations that are
// to be spread; and rules that must be refused. With --all: all algorithms and many random programs.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <rondo/rondo.hpp>
#include <string_view>

#include "base/error.hpp"
#include "cases.hpp"
#include "common/options.hpp"
#include "reference.hpp"
#include "relalg/alternation.hpp"
#include "relalg/options.hpp"
#include "support/program.hpp"

namespace {

using namespace rondo;
using test::Case;
using test::Tuple;
using test::Word;

int failures = 0;

/// Collective. Rank 0 reports a failure if `holds` is false on any rank.
void expect(const support::Communicator& comm, bool holds, const std::string& what) {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm.get());
  if (all == 1) return;
  ++failures;
  if (comm.rank() == 0) fmt::print(stderr, "failed on {} ranks: {}\n", comm.ranks(), what);
}

/// Collective. Returns the words of all ranks on each rank.
std::vector<Word> gather(const support::Communicator& comm, const std::vector<Word>& words) {
  const auto ranks = static_cast<std::size_t>(comm.ranks());
  const int own = static_cast<int>(words.size());
  std::vector<int> counts(ranks);
  MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.get());
  std::vector<int> displs(ranks + 1, 0);
  for (std::size_t i = 0; i < ranks; ++i) displs[i + 1] = displs[i] + counts[i];
  std::vector<Word> all(static_cast<std::size_t>(displs[ranks]) + 1);
  const Word none = 0;
  MPI_Allgatherv(own == 0 ? &none : words.data(), own, MPI_UINT64_T, all.data(), counts.data(),
                 displs.data(), MPI_UINT64_T, comm.get());
  all.pop_back();
  return all;
}

void check_relation(const support::Communicator& comm, const relalg::Program& program, int number,
                    const Case& made, const test::Tuples& expected, const std::string& what) {
  const auto index = static_cast<std::size_t>(number);
  const std::string name = what + ", relation " + made.relations[index].name;
  const auto arity = static_cast<std::size_t>(made.relations[index].arity);
  expect(comm, program.count(relalg::Relation(number)) == expected.size(), name + ": count");
  std::vector<Word> here;
  program.for_each(relalg::Relation(number), [&](std::span<const Word> tuple) {
    here.insert(here.end(), tuple.begin(), tuple.end());
  });
  const std::vector<Word> words = gather(comm, here);
  expect(comm, words.size() == expected.size() * arity, name + ": each tuple once");
  test::Tuples found;
  for (std::size_t i = 0; i < words.size(); i += arity)
    found.insert(Tuple(&words[i], &words[i] + arity));
  expect(comm, found == expected, name + ": tuples");
}

void run_case(const support::Communicator& comm, const Case& made, const std::string& algorithm,
              relalg::Exchanges exchanges = relalg::Exchanges::mixed) {
  const test::Result expected = test::evaluate(made);
  const std::string what =
      made.name + " with " + algorithm + ", " + relalg::to_string(exchanges) + " exchanges";
  apps::ExchangeTimer timer(comm, algorithm == "mpi");
  constexpr std::size_t kMoveAtOnce = 2;
  relalg::Program program(comm, timer, {.exchanges = exchanges, .few_tuples = kMoveAtOnce});
  for (const relalg::RelationSpec& spec : made.relations) program.relation(spec);
  for (const relalg::Rule& rule : made.rules) program.rule(rule);
  for (std::size_t i = 0; i < made.facts.size(); ++i) {
    const auto& [relation, tuple] = made.facts[i];
    if (static_cast<int>(i % static_cast<std::size_t>(comm.ranks())) == comm.rank())
      program.fact(relalg::Relation(relation), tuple);
  }
  timer.begin_run();
  const std::vector<relalg::Iteration> iterations = program.run();
  const apps::Run run = timer.end_run();

  std::vector<std::size_t> new_tuples;
  double exchange_seconds = 0;
  bool plausible = true;
  for (const relalg::Iteration& iteration : iterations) {
    new_tuples.push_back(iteration.new_tuples);
    exchange_seconds += iteration.exchange_seconds;
    const auto pairs =
        static_cast<std::size_t>(comm.ranks()) * static_cast<std::size_t>(comm.ranks());
    plausible = plausible && iteration.largest_block_bytes <= iteration.bytes &&
                iteration.bytes <= pairs * iteration.largest_block_bytes;
  }
  expect(comm, new_tuples == expected.new_tuples, what + ": new tuples of the rounds");
  expect(comm, plausible, what + ": largest block and bytes");
  expect(comm, exchange_seconds <= run.exchange_seconds, what + ": seconds");
  for (int i = 0; i < static_cast<int>(made.relations.size()); ++i)
    check_relation(comm, program, i, made, expected.relations[static_cast<std::size_t>(i)], what);
}

/// Many edges into one vertex, from which a chain leads on: all paths to a vertex of the chain lie in
/// one bucket. Returns the most paths on a rank.
Word most_paths(const support::Communicator& comm, bool spread) {
  constexpr Word kLeaves = 3000;
  constexpr Word kChain = 4;
  apps::ExchangeTimer timer(comm, false);
  relalg::Program program(comm, timer);
  const relalg::Relation edge = program.relation({"edge", 2, {0}});
  const relalg::Relation path = program.relation({"path", 2, {1}, spread});
  const relalg::Variable x = program.variable(), y = program.variable(), z = program.variable();
  program.rule({{path(x, y)}, {edge(x, y)}});
  program.rule({{path(x, z)}, {path(x, y), edge(y, z)}});
  if (comm.rank() == 0) {
    for (Word i = 0; i < kLeaves; ++i) program.fact(edge, std::vector<Word>{100 + i, 0});
    for (Word i = 0; i < kChain; ++i) program.fact(edge, std::vector<Word>{i, i + 1});
  }
  const std::size_t rounds = program.run().size();
  const std::string what = spread ? "a star, spread" : "a star";
  expect(comm, rounds == kChain + 1, what + ": rounds");
  expect(comm, program.count(path) == kLeaves * (kChain + 1) + kChain * (kChain + 1) / 2,
         what + ": paths");
  Word here = 0;
  program.for_each(path, [&](std::span<const Word>) { ++here; });
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_UINT64_T, MPI_MAX, comm.get());
  return here;
}

void check_spreading(const support::Communicator& comm) {
  const Word together = most_paths(comm, false);
  const Word spread = most_paths(comm, true);
  // Placement::balance() leaves alone what is below twice the mean or 2048 tuples. It looks when the
  // tuples have doubled, so that a rank may have gained some since.
  const Word mean = (5 * 3000 + 10) / static_cast<Word>(comm.ranks());
  const Word share = std::max<Word>(2 * mean, 2048);
  expect(
      comm, together <= share || (spread < together && 4 * spread <= 5 * share),
      fmt::format("a rank has {} paths of a star, and {} where they are spread", together, spread));
}

/// Which of the next `rounds` rounds are sparse, as 's', and which are not, as 'd', if the partners of
/// all ranks together are as given.
std::string sequence(relalg::Alternation alternation, Word partners, int rounds) {
  std::string made;
  while (static_cast<int>(made.size()) < rounds) {
    const bool is_sparse = alternation.next_is_sparse();
    made += is_sparse ? 's' : 'd';
    if (!is_sparse) alternation.tell({.partners = partners});
  }
  return made;
}

void expect_sequence(const relalg::Alternation& alternation, Word partners,
                     const std::string& wanted) {
  const std::string found = sequence(alternation, partners, static_cast<int>(wanted.size()));
  if (found == wanted) return;
  ++failures;
  fmt::print(stderr, "failed: {} partners make rounds {}, not {}\n", partners, found, wanted);
}

/// Local. 8 ranks have 56 pairs.
void check_alternation() {
  using relalg::Exchanges;
  expect_sequence({Exchanges::mixed, 8}, 14, "dsdssdssssdssssssssdssssssssd");
  expect_sequence({Exchanges::mixed, 8}, 15, "dddddddd");
  expect_sequence({Exchanges::dynamic, 8}, 0, "dddddddd");
  expect_sequence({Exchanges::counts, 8}, 0, "dddddddd");
  relalg::Alternation changing(Exchanges::mixed, 8);
  changing.tell({.partners = 0});
  changing.tell({.partners = 0});
  changing.tell({.partners = 56});
  expect_sequence(changing, 0, "dsdss");
}

/// A chain has few paths of nearly its own length, so that late rounds are sparse.
void check_sparse_rounds(const support::Communicator& comm) {
  constexpr Word kChain = 100;
  apps::ExchangeTimer timer(comm, false);
  relalg::Program program(comm, timer);
  const relalg::Relation edge = program.relation({"edge", 2, {0}});
  const relalg::Relation path = program.relation({"path", 2, {1}});
  const auto [x, y, z] = program.variables<3>();
  program.rule({{path(x, y)}, {edge(x, y)}});
  program.rule({{path(x, z)}, {path(x, y), edge(y, z)}});
  if (comm.rank() == 0)
    for (Word i = 0; i < kChain; ++i) program.fact(edge, std::vector<Word>{i, i + 1});
  const std::vector<relalg::Iteration> iterations = program.run();
  const auto sparse = std::ranges::count(iterations, true, &relalg::Iteration::is_sparse);
  expect(comm, iterations.size() == kChain, "a chain: rounds");
  // Of 2 or 3 ranks hardly any round has so few partners.
  const bool has_many_pairs = comm.ranks() == 1 || comm.ranks() > 3;
  expect(comm, !iterations.front().is_sparse && (sparse > 0 || !has_many_pairs),
         "a chain: sparse rounds");
  expect(comm, program.count(path) == kChain * (kChain + 1) / 2, "a chain: paths");
}

struct Refused {
  std::string says;
  std::function<void(relalg::Program&)> declare;
};

std::vector<Refused> refused() {
  using relalg::any;
  using relalg::Program;
  using relalg::Relation;
  using relalg::RelationSpec;
  const relalg::Variable x{0}, y{1}, z{2};
  const Relation edge(0), path(1), other(2);
  const auto rule = [](relalg::Rule one) {
    return [one](Program& program) {
      program.relation({"edge", 2, {0}, true});
      program.relation({"path", 2, {1}, true});
      program.relation({"other", 2, {0}});
      program.rule(one);
    };
  };
  const auto spec = [](RelationSpec one) {
    return [one](Program& program) { program.relation(one); };
  };
  const auto identity = [](std::span<const Word>, std::span<Word>) { return true; };
  return {
      {"path(v0, v1) <- edge(v0, _): v1 of the head is not bound",
       rule({{path(x, y)}, {edge(x, any)}})},
      {"edge has 2 columns, not 3", rule({{path(x, y)}, {edge(x, y, y)}})},
      {"edge has 2 columns, not 1", rule({{edge(x)}, {edge(x, y)}})},
      {"a column of a head has no value", rule({{path(x, any)}, {edge(x, y)}})},
      {"it has no head", rule({{}, {edge(x, y)}})},
      {"it has no body", rule({{edge(x, y)}, {}})},
      {"it joins two spread relations", rule({{path(x, z)}, {path(x, y), edge(y, z)}})},
      {"tuples of path and other that are on different ranks",
       rule({{path(x, z)}, {path(x, y), other(x, z)}})},
      {"tuples of other and edge that are on different ranks",
       rule({{path(y, z)}, {other(any, y), edge(any, z)}})},
      {"[v1 from v2]: it computes from a variable that is not bound",
       rule({{path(x, y)}, {edge(x, any)}, {{{y}, {z}, identity}}})},
      {"has no function", rule({{path(x, y)}, {edge(x, any)}, {{{y}, {x}, {}}}})},
      {"relation number 7; there are only 3", rule({{Relation(7)(x)}, {edge(x, y)}})},
      {"the relation r: it has 0 columns", spec({"r", 0})},
      {"it is placed by column 2, but has 2 columns", spec({"r", 2, {2}})},
      {"it is placed by one column twice", spec({"r", 2, {1, 1}})},
      {"it is spread, so it needs columns", spec({"r", 2, {}, true})},
      {"it is spread, so it needs columns", spec({"r", 2, {0, 1}, true})},
      {"a fact of r has 1 columns, not 2",
       [](Program& program) {
         program.fact(program.relation({"r", 2}), std::vector<Word>{1});
       }},
      {"can run only once",
       [](Program& program) {
         program.run();
         program.run();
       }},
  };
}

void check_refused(const support::Communicator& comm) {
  for (const Refused& row : refused()) {
    apps::ExchangeTimer timer(comm, false);
    relalg::Program program(comm, timer);
    const auto refused = failure_of([&] { row.declare(program); });
    const std::string said = refused ? refused->what() : "nothing";
    expect(comm, said.find(row.says) != std::string::npos, said + " instead of " + row.says);
  }
}

/// Those of the exchanges that programs of rules choose: sparse ones have algorithms of their own.
std::vector<std::string> all_algorithms() {
  std::vector<std::string> names{"auto"};
  for (const Rondo_Algorithm& row : rondo::algorithms())
    if (std::string_view(row.collective).starts_with("alltoall") &&
        std::find(names.begin(), names.end(), row.name) == names.end())
      names.push_back(row.name);
  return names;
}

int run_tests(bool all) {
  const support::Communicator comm(MPI_COMM_WORLD);
  check_refused(comm);
  std::vector<Case> cases = test::cases();
  for (std::uint64_t seed = 0; seed < (all ? 200 : 40); ++seed)
    cases.push_back(test::random_case(seed));
  apps::choose_algorithm(comm.get(), "auto");
  for (const Case& made : cases) run_case(comm, made, "auto");
  for (const std::size_t number : {0, 6, 9, 14})
    for (const auto exchanges : {relalg::Exchanges::dynamic, relalg::Exchanges::counts})
      run_case(comm, cases[number], "auto", exchanges);
  check_alternation();
  check_sparse_rounds(comm);
  check_spreading(comm);

  const std::vector<std::string> some{"mpi", "two_phase_bruck", "padded_bruck", "fused_bruck"};
  for (const std::string& algorithm : all ? all_algorithms() : some) {
    apps::choose_algorithm(comm.get(), algorithm);
    for (const std::size_t number : {3, 6, 8, 10}) run_case(comm, cases[number], algorithm);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool all = argc > 1 && std::string_view(argv[1]) == "--all";
  MPI_Init(&argc, &argv);
  const int status = support::run_guarded("relalg_test", [&](int) { return run_tests(all); });
  MPI_Finalize();
  return status;
}
