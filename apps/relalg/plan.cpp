#include "relalg/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::relalg {

namespace {

/// Which register a variable or constant of a rule has.
class Registers {
 public:
  int of(const Term& term) {
    const bool constant = term.kind == Term::Kind::constant;
    const auto key =
        std::make_pair(constant, constant ? term.constant : static_cast<Word>(term.variable));
    const auto [place, added] = numbers_.try_emplace(key, static_cast<int>(words_.size()));
    if (added) {
      words_.push_back(constant ? term.constant : 0);
      if (constant) constants_.insert(place->second);
    }
    return place->second;
  }

  /// The registers that are bound before the first step.
  const std::set<int>& constants() const { return constants_; }
  const std::vector<Word>& words() const { return words_; }

 private:
  std::map<std::pair<bool, Word>, int> numbers_;
  std::vector<Word> words_;
  std::set<int> constants_;
};

/// Makes the variant in which one atom takes the last round's tuples.
class VariantPlanner {
 public:
  VariantPlanner(const Rule& rule, std::deque<Table>& tables, Registers& registers)
      : rule_(rule), tables_(tables), registers_(registers), bound_(registers.constants()) {}

  Variant plan(std::size_t delta) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < rule_.body.size(); ++i)
      if (i != delta) left.push_back(i);
    for (std::size_t i = 0; i < rule_.computed.size(); ++i) uncomputed_.push_back(i);

    add(scan_of(delta));
    while (!left.empty()) {
      const auto next = std::max_element(left.begin(), left.end(), [&](auto a, auto b) {
        return bound_columns(a).size() < bound_columns(b).size();
      });
      Step step = step_of(*next);
      step.old_only = *next < delta;
      add(std::move(step));
      left.erase(next);
    }
    restrict_to_counted(delta);
    return std::move(variant_);
  }

 private:
  Table& table_of(std::size_t atom) {
    return tables_[static_cast<std::size_t>(rule_.body[atom].relation)];
  }

  bool is_bound(int reg) const { return bound_.count(reg) != 0; }

  std::vector<int> bound_columns(std::size_t atom) {
    std::vector<int> columns;
    const std::vector<Term>& terms = rule_.body[atom].terms;
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (terms[i].kind != Term::Kind::any && is_bound(registers_.of(terms[i])))
        columns.push_back(static_cast<int>(i));
    return columns;
  }

  /// Binds the variables that are new in these columns, and checks the other columns.
  void match(Step& step, const std::vector<Term>& terms, const std::vector<int>& except) {
    for (int column = 0; column < static_cast<int>(terms.size()); ++column) {
      const Term& term = terms[static_cast<std::size_t>(column)];
      if (term.kind == Term::Kind::any) continue;
      if (std::find(except.begin(), except.end(), column) != except.end()) continue;
      const int reg = registers_.of(term);
      if (is_bound(reg))
        step.checks.push_back({column, reg});
      else
        step.binds.push_back({column, reg});
      bound_.insert(reg);
    }
  }

  Step scan_of(std::size_t atom) {
    Step step{.relation = rule_.body[atom].relation};
    match(step, rule_.body[atom].terms, {});
    return step;
  }

  Step step_of(std::size_t atom) {
    const std::vector<Term>& terms = rule_.body[atom].terms;
    const std::vector<int> columns = bound_columns(atom);
    Step step{.relation = rule_.body[atom].relation};
    for (const int column : columns)
      step.key.push_back(registers_.of(terms[static_cast<std::size_t>(column)]));
    match(step, terms, columns);
    if (columns.size() == terms.size()) {
      step.access = Step::Access::member;
    } else if (!columns.empty()) {
      step.access = Step::Access::lookup;
      step.index = table_of(atom).index_on(columns);
    }
    step.any_one = step.binds.empty();
    return step;
  }

  /// Adds a step, followed by what can be computed after it.
  void add(Step step) {
    const auto ready = [&](std::size_t number) {
      const std::vector<Variable>& in = rule_.computed[number].in;
      return std::all_of(in.begin(), in.end(),
                         [&](Variable variable) { return is_bound(registers_.of(variable)); });
    };
    while (true) {
      const auto next = std::find_if(uncomputed_.begin(), uncomputed_.end(), ready);
      if (next == uncomputed_.end()) break;
      step.computed.push_back(variant_.computations.size());
      add_computation(rule_.computed[*next]);
      uncomputed_.erase(next);
    }
    variant_.steps.push_back(std::move(step));
  }

  void add_computation(const Computed& computed) {
    Computation computation{computed.function, {}, {}, {}, computed.out.size()};
    for (const Variable in : computed.in) computation.in.push_back(registers_.of(in));
    for (int i = 0; i < static_cast<int>(computed.out.size()); ++i) {
      const int reg = registers_.of(computed.out[static_cast<std::size_t>(i)]);
      (is_bound(reg) ? computation.checks : computation.binds).push_back({i, reg});
      bound_.insert(reg);
    }
    variant_.computations.push_back(std::move(computation));
  }

  /// If several ranks have all tuples that a match needs, one of them must find it. A tuple of a
  /// spread relation is on one rank only, so nothing needs to be done then. Otherwise the match
  /// belongs to the rank that counts the tuple of the first placed relation, or of the first
  /// relation if none is placed.
  void restrict_to_counted(std::size_t delta) {
    std::size_t deciding = delta;
    for (std::size_t i = 0; i < rule_.body.size(); ++i) {
      if (table_of(i).spread) return;
      if (!table_of(i).placed_by.empty() && table_of(deciding).placed_by.empty()) deciding = i;
    }
    const int relation = rule_.body[deciding].relation;
    for (Step& step : variant_.steps) {
      if (step.relation != relation) continue;
      step.counted_only = true;
      return;
    }
  }

  const Rule& rule_;
  std::deque<Table>& tables_;
  Registers& registers_;
  std::set<int> bound_;
  std::vector<std::size_t> uncomputed_;
  Variant variant_;
};

}  // namespace

RulePlan plan_rule(const Rule& rule, std::deque<Table>& tables) {
  RulePlan plan;
  Registers registers;
  // Constants come first, because the first step's bindings use them.
  for (const std::vector<Atom>* atoms : {&rule.body, &rule.heads})
    for (const Atom& atom : *atoms)
      for (const Term& term : atom.terms)
        if (term.kind == Term::Kind::constant) static_cast<void>(registers.of(term));
  for (std::size_t delta = 0; delta < rule.body.size(); ++delta)
    plan.variants.push_back(VariantPlanner(rule, tables, registers).plan(delta));
  for (const Atom& atom : rule.heads) {
    Head head{atom.relation, {}};
    for (const Term& term : atom.terms) head.registers.push_back(registers.of(term));
    plan.heads.push_back(std::move(head));
  }
  plan.registers = registers.words();
  return plan;
}

}  // namespace rondo::relalg
