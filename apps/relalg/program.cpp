#include "relalg/program.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "relalg/exchange.hpp"
#include "relalg/join.hpp"
#include "relalg/outbox.hpp"
#include "relalg/plan.hpp"
#include "relalg/rebalance.hpp"

namespace rondo::relalg {

namespace {

constexpr int kMostColumns = 255;

[[noreturn]] void wrong_relation(const RelationSpec& spec, const std::string& what) {
  throw Error(ErrorClass::argument, text("the relation ", spec.name, ": ", what));
}

void check_spec(const RelationSpec& spec) {
  if (spec.arity < 1 || spec.arity > kMostColumns)
    wrong_relation(spec, text("it has ", spec.arity, " columns, must have 1 to ", kMostColumns));
  std::vector<int> columns = spec.placed_by;
  std::sort(columns.begin(), columns.end());
  for (const int column : columns)
    if (column < 0 || column >= spec.arity)
      wrong_relation(spec,
                     text("it is placed by column ", column, ", but has ", spec.arity, " columns"));
  if (std::adjacent_find(columns.begin(), columns.end()) != columns.end())
    wrong_relation(spec, "it is placed by one column twice");
  if (spec.spread && (columns.empty() || static_cast<int>(columns.size()) == spec.arity))
    wrong_relation(spec, "it is spread, so it needs columns that place it and others that do not");
}

std::vector<int> columns_without(const RelationSpec& spec) {
  std::vector<int> others;
  for (int column = 0; column < spec.arity; ++column)
    if (std::find(spec.placed_by.begin(), spec.placed_by.end(), column) == spec.placed_by.end())
      others.push_back(column);
  return others;
}

/// An iteration on this rank.
struct Round {
  Iteration iteration;
  std::size_t steps_end = 0;  ///< in the timer
};

}  // namespace

struct Program::Parts {
  Parts(const support::Communicator& communicator, apps::ExchangeTimer& exchange_timer,
        const ProgramOptions& options)
      : comm(communicator),
        timer(exchange_timer),
        rank(comm.rank()),
        ranks(comm.ranks()),
        few_tuples(options.few_tuples),
        exchange(comm, timer, options.exchanges),
        alternation(options.exchanges, ranks) {}

  void place_relations();
  void place_facts(Outbox& outbox);
  Word take_in(Outbox& outbox);
  void rebalance_if_grown(Word all_tuples, Iteration& iteration);
  std::vector<Round> run_rounds(Outbox& outbox);
  std::vector<Iteration> over_ranks(const std::vector<Round>& rounds, std::size_t first_step);

  const support::Communicator& comm;
  apps::ExchangeTimer& timer;
  const int rank;
  const int ranks;
  const std::size_t few_tuples;
  Exchange exchange;
  Alternation alternation;
  int variables = 0;
  std::deque<Table> tables;
  std::deque<Placement> placements;
  std::vector<Rule> rules;
  std::vector<std::vector<Word>> facts;  ///< of each relation, as they were given
  Word balanced_tuples = 0;              ///< the number of tuples at the last check of the balance
  bool has_run = false;
};

Program::Program(const support::Communicator& comm, apps::ExchangeTimer& timer,
                 const ProgramOptions& options)
    : parts_(std::make_unique<Parts>(comm, timer, options)) {}

Program::~Program() = default;

Relation Program::relation(const RelationSpec& spec) {
  check_spec(spec);
  parts_->tables.push_back({.name = spec.name,
                            .placed_by = spec.placed_by,
                            .other_columns = columns_without(spec),
                            .spread = spec.spread,
                            .tuples = TupleSet(spec.arity)});
  parts_->facts.emplace_back();
  return Relation(static_cast<int>(parts_->tables.size()) - 1);
}

Variable Program::variable() {
  return {parts_->variables++};
}

std::vector<Variable> Program::variables(std::size_t count) {
  std::vector<Variable> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(variable());
  return all;
}

void Program::rule(Rule rule) {
  check_rule(rule, parts_->tables);
  parts_->rules.push_back(std::move(rule));
}

void Program::fact(Relation relation, std::span<const Word> tuple) {
  const auto number = static_cast<std::size_t>(relation.id());
  const Table& table = parts_->tables.at(number);
  if (tuple.size() != table.tuples.arity())
    throw Error(ErrorClass::argument, text("a fact of ", table.name, " has ", tuple.size(),
                                           " columns, not ", table.tuples.arity()));
  std::vector<Word>& facts = parts_->facts[number];
  facts.insert(facts.end(), tuple.begin(), tuple.end());
}

std::vector<Iteration> Program::run() {
  Parts& parts = *parts_;
  if (std::exchange(parts.has_run, true))
    throw Error(ErrorClass::argument, "a program can run only once");
  parts.place_relations();
  Outbox outbox(parts.tables, parts.rank, parts.ranks);
  parts.place_facts(outbox);
  const std::size_t first_step = parts.timer.step_seconds().size();
  return parts.over_ranks(parts.run_rounds(outbox), first_step);
}

std::size_t Program::count(Relation relation) const {
  const Table& table = parts_->tables.at(static_cast<std::size_t>(relation.id()));
  std::vector<Word> tuples{table.count_here(0, parts_->rank, parts_->ranks)};
  support::all_reduce(parts_->comm, tuples, MPI_SUM);
  return tuples.front();
}

void Program::for_each(Relation relation,
                       const std::function<void(std::span<const Word>)>& visit) const {
  const Table& table = parts_->tables.at(static_cast<std::size_t>(relation.id()));
  for (std::size_t i = 0; i < table.tuples.size(); ++i)
    if (table.counted_here(table.tuples[i], parts_->rank, parts_->ranks))
      visit({table.tuples[i], table.tuples.arity()});
}

/// Relations that some rule joins have the same placement.
void Program::Parts::place_relations() {
  std::vector<std::size_t> groups(tables.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  for (const Rule& rule : rules) {
    const std::vector<int> joined = placed_relations(rule, tables);
    for (const int relation : joined) {
      const std::size_t former = groups[static_cast<std::size_t>(relation)];
      const std::size_t group = groups[static_cast<std::size_t>(joined.front())];
      std::replace(groups.begin(), groups.end(), former, group);
    }
  }
  for (std::size_t group = 0; group < tables.size(); ++group) {
    bool splits = false;
    for (std::size_t i = 0; i < tables.size(); ++i)
      splits = splits || (groups[i] == group && tables[i].spread);
    Placement& placement = placements.emplace_back(ranks, splits);
    for (std::size_t i = 0; i < tables.size(); ++i)
      if (groups[i] == group && !tables[i].placed_by.empty()) tables[i].placement = &placement;
  }
}

void Program::Parts::place_facts(Outbox& outbox) {
  for (std::size_t relation = 0; relation < tables.size(); ++relation) {
    const std::size_t arity = tables[relation].tuples.arity();
    const std::vector<Word>& words = facts[relation];
    for (std::size_t i = 0; i < words.size(); i += arity)
      outbox.add(static_cast<int>(relation), &words[i]);
  }
  facts.clear();
  facts.shrink_to_fit();
  outbox.flush();
  exchange.run(outbox.parcels(), {});
}

/// Inserts the received tuples into the tables. Returns how many new tuples are counted on this
/// rank.
Word Program::Parts::take_in(Outbox& outbox) {
  Word fresh = 0;
  for (std::size_t relation = 0; relation < outbox.parcels().size(); ++relation) {
    Table& table = tables[relation];
    for (int source = 0; source < ranks; ++source)
      table.tuples.insert(exchange.received(relation, source));
    fresh += table.count_here(table.delta_end, rank, ranks);
    table.advance();
  }
  return fresh;
}

/// A check costs a pass over the tuples and a reduction, so it is made only when their number has
/// doubled.
void Program::Parts::rebalance_if_grown(Word all_tuples, Iteration& iteration) {
  if (all_tuples < 2 * balanced_tuples) return;
  balanced_tuples = all_tuples;
  if (!rebalance(placements, tables, few_tuples, comm, exchange)) return;
  iteration.bytes += exchange.traffic().bytes;
  iteration.largest_block_bytes =
      std::max(iteration.largest_block_bytes, exchange.traffic().largest_block_bytes);
}

/// The number of new tuples over all ranks arrives with the exchange of the next round that is not
/// sparse. When there were none, that round finds none either.
std::vector<Round> Program::Parts::run_rounds(Outbox& outbox) {
  std::deque<Join> joins;
  for (const Rule& rule : rules) joins.emplace_back(plan_rule(rule, tables), tables, rank, ranks);
  std::vector<Round> rounds;
  Word all_tuples = 0;
  Notes notes;
  notes.fresh = notes.gained = take_in(outbox);
  while (true) {
    for (Join& join : joins) join.run(outbox);
    outbox.flush();
    const bool is_sparse = alternation.next_is_sparse();
    if (is_sparse) {
      exchange.run_sparse(outbox.parcels());
    } else {
      const Notes sums = exchange.run(outbox.parcels(), notes);
      if (sums.fresh == 0) break;
      alternation.tell(sums);
      all_tuples += sums.gained;
      notes.gained = 0;
    }
    notes.fresh = take_in(outbox);
    notes.gained += notes.fresh;
    Iteration iteration{.new_tuples = static_cast<std::size_t>(notes.fresh),
                        .bytes = exchange.traffic().bytes,
                        .largest_block_bytes = exchange.traffic().largest_block_bytes,
                        .is_sparse = is_sparse};
    if (!is_sparse) rebalance_if_grown(all_tuples, iteration);
    rounds.push_back({iteration, timer.step_seconds().size()});
  }
  return rounds;
}

/// Leaves out the rounds at the end that found nothing.
std::vector<Iteration> Program::Parts::over_ranks(const std::vector<Round>& rounds,
                                                  std::size_t first_step) {
  const std::size_t last_step = rounds.empty() ? first_step : rounds.back().steps_end;
  const std::span<const double> here =
      timer.step_seconds().subspan(first_step, last_step - first_step);
  std::vector<double> seconds(here.begin(), here.end());
  timer.reduce(seconds);
  std::vector<Word> fresh;
  std::vector<Word> bytes;
  std::vector<Word> largest;
  for (const Round& round : rounds) {
    fresh.push_back(round.iteration.new_tuples);
    bytes.push_back(round.iteration.bytes);
    largest.push_back(round.iteration.largest_block_bytes);
  }
  support::all_reduce(comm, fresh, MPI_SUM);
  support::all_reduce(comm, bytes, MPI_SUM);
  support::all_reduce(comm, largest, MPI_MAX);
  std::vector<Iteration> iterations;
  std::size_t step = 0;
  for (std::size_t i = 0; i < rounds.size() && fresh[i] != 0; ++i) {
    Iteration& iteration = iterations.emplace_back(rounds[i].iteration);
    iteration.new_tuples = fresh[i];
    iteration.bytes = bytes[i];
    iteration.largest_block_bytes = largest[i];
    for (; first_step + step < rounds[i].steps_end; ++step)
      iteration.exchange_seconds += seconds[step];
  }
  return iterations;
}

}  // namespace rondo::relalg
