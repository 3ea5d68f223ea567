#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "relalg/plan.hpp"

namespace rondo::relalg {

namespace {

const Table& table_of(const Atom& atom, const std::deque<Table>& tables) {
  return tables[static_cast<std::size_t>(atom.relation)];
}

std::string describe_term(const Term& term) {
  if (term.kind == Term::Kind::any) return "_";
  if (term.kind == Term::Kind::constant) return std::to_string(term.constant);
  return text("v", term.variable);
}

std::string describe_atoms(const std::vector<Atom>& atoms, const std::deque<Table>& tables) {
  std::string all;
  for (const Atom& atom : atoms) {
    if (!all.empty()) all += ", ";
    all += table_of(atom, tables).name + "(";
    for (std::size_t i = 0; i < atom.terms.size(); ++i)
      all += (i == 0 ? "" : ", ") + describe_term(atom.terms[i]);
    all += ")";
  }
  return all;
}

/// Checks one rule. Each function throws for the first error that it finds.
class RuleChecker {
 public:
  RuleChecker(const Rule& rule, const std::deque<Table>& tables) : rule_(rule), tables_(tables) {}

  void check() {
    check_shapes();
    check_bindings();
    check_places();
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw Error(ErrorClass::argument, text("the rule ", describe(rule_, tables_), ": ", what));
  }

  void check_shapes() const {
    for (const std::vector<Atom>* atoms : {&rule_.heads, &rule_.body})
      for (const Atom& atom : *atoms)
        if (atom.relation < 0 || static_cast<std::size_t>(atom.relation) >= tables_.size())
          throw Error(ErrorClass::argument, text("a rule uses relation number ", atom.relation,
                                                 "; there are only ", tables_.size()));
    if (rule_.heads.empty()) wrong("it has no head");
    if (rule_.body.empty()) wrong("it has no body; use a fact for a tuple that always holds");
    for (const std::vector<Atom>* atoms : {&rule_.heads, &rule_.body})
      for (const Atom& atom : *atoms) {
        const Table& table = table_of(atom, tables_);
        if (atom.terms.size() != table.tuples.arity())
          wrong(
              text(table.name, " has ", table.tuples.arity(), " columns, not ", atom.terms.size()));
      }
  }

  void check_bindings() const {
    std::set<int> bound;
    for (const Atom& atom : rule_.body)
      for (const Term& term : atom.terms)
        if (term.kind == Term::Kind::variable) bound.insert(term.variable);
    std::vector<const Computed*> waiting;
    for (const Computed& computed : rule_.computed) {
      if (!computed.function) wrong("a computed variable has no function");
      waiting.push_back(&computed);
    }
    while (!waiting.empty()) {
      const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const Computed* one) {
        return std::all_of(one->in.begin(), one->in.end(),
                           [&](Variable in) { return bound.count(in.id) != 0; });
      });
      if (ready == waiting.end()) wrong("it computes from a variable that is not bound");
      for (const Variable out : (*ready)->out) bound.insert(out.id);
      waiting.erase(ready);
    }
    for (const Atom& head : rule_.heads)
      for (const Term& term : head.terms) {
        if (term.kind == Term::Kind::any) wrong("a column of a head has no value");
        if (term.kind == Term::Kind::variable && bound.count(term.variable) == 0)
          wrong(text("v", term.variable, " of the head is not bound"));
      }
  }

  void check_places() const {
    const Atom* first = nullptr;
    int spread = 0;
    for (const Atom& atom : rule_.body) {
      const Table& table = table_of(atom, tables_);
      if (table.placed_by.empty()) continue;
      if (table.spread && ++spread == 2) wrong("it joins two spread relations");
      if (first == nullptr)
        first = &atom;
      else
        check_together(*first, atom);
    }
  }

  /// Tuples that the rule joins must have the same words in the columns that place them.
  void check_together(const Atom& one, const Atom& other) const {
    const std::vector<int>& columns = table_of(one, tables_).placed_by;
    const std::vector<int>& others = table_of(other, tables_).placed_by;
    bool together = columns.size() == others.size();
    for (std::size_t i = 0; together && i < columns.size(); ++i) {
      const Term& a = one.terms[static_cast<std::size_t>(columns[i])];
      const Term& b = other.terms[static_cast<std::size_t>(others[i])];
      together =
          a.kind == b.kind && a.kind != Term::Kind::any &&
          (a.kind == Term::Kind::variable ? a.variable == b.variable : a.constant == b.constant);
    }
    if (!together)
      wrong(text("it joins tuples of ", table_of(one, tables_).name, " and ",
                 table_of(other, tables_).name,
                 " that are on different ranks: the columns that place them must have the same "
                 "terms"));
  }

  const Rule& rule_;
  const std::deque<Table>& tables_;
};

}  // namespace

std::string describe(const Rule& rule, const std::deque<Table>& tables) {
  std::string all = describe_atoms(rule.heads, tables) + " <- " + describe_atoms(rule.body, tables);
  for (const Computed& computed : rule.computed) {
    all += ", [";
    for (const Variable out : computed.out) all += text("v", out.id, " ");
    all += "from";
    for (const Variable in : computed.in) all += text(" v", in.id);
    all += "]";
  }
  return all;
}

void check_rule(const Rule& rule, const std::deque<Table>& tables) {
  RuleChecker(rule, tables).check();
}

std::vector<int> placed_relations(const Rule& rule, const std::deque<Table>& tables) {
  std::vector<int> relations;
  for (const Atom& atom : rule.body)
    if (!table_of(atom, tables).placed_by.empty()) relations.push_back(atom.relation);
  return relations;
}

}  // namespace rondo::relalg
