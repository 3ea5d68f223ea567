#include "reference.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <optional>

namespace rondo::test {

namespace {

using relalg::Atom;
using relalg::Computed;
using relalg::Rule;
using relalg::Term;
using Bindings = std::map<int, Word>;

std::optional<Bindings> match(const Atom& atom, const Tuple& tuple, Bindings bindings) {
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    const Term& term = atom.terms[i];
    if (term.kind == Term::Kind::constant && term.constant != tuple[i]) return std::nullopt;
    if (term.kind != Term::Kind::variable) continue;
    if (bindings.try_emplace(term.variable, tuple[i]).first->second != tuple[i])
      return std::nullopt;
  }
  return bindings;
}

bool compute(const Computed& computed, Bindings& bindings) {
  Tuple in;
  for (const relalg::Variable variable : computed.in) in.push_back(bindings.at(variable.id));
  Tuple out(computed.out.size());
  if (!computed.function(in, out)) return false;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (bindings.try_emplace(computed.out[i].id, out[i]).first->second != out[i]) return false;
  return true;
}

void derive(const Rule& rule, std::size_t atom, const Bindings& bindings,
            const std::vector<Tuples>& known, std::vector<Tuples>& derived) {
  if (atom < rule.body.size()) {
    for (const Tuple& tuple : known[static_cast<std::size_t>(rule.body[atom].relation)])
      if (const auto more = match(rule.body[atom], tuple, bindings))
        derive(rule, atom + 1, *more, known, derived);
    return;
  }
  Bindings all = bindings;
  std::list<Computed> waiting(rule.computed.begin(), rule.computed.end());
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const Computed& one) {
      return std::all_of(one.in.begin(), one.in.end(),
                         [&](relalg::Variable in) { return all.count(in.id) != 0; });
    });
    if (!compute(*ready, all)) return;
    waiting.erase(ready);
  }
  for (const Atom& head : rule.heads) {
    Tuple tuple;
    for (const Term& term : head.terms)
      tuple.push_back(term.kind == Term::Kind::constant ? term.constant : all.at(term.variable));
    derived[static_cast<std::size_t>(head.relation)].insert(tuple);
  }
}

}  // namespace

Result evaluate(const Case& program) {
  Result result;
  result.relations.resize(program.relations.size());
  for (const auto& [relation, tuple] : program.facts)
    result.relations[static_cast<std::size_t>(relation)].insert(tuple);
  while (true) {
    std::vector<Tuples> derived(program.relations.size());
    for (const Rule& rule : program.rules) derive(rule, 0, {}, result.relations, derived);
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < derived.size(); ++i)
      for (const Tuple& tuple : derived[i])
        if (result.relations[i].insert(tuple).second) ++fresh;
    if (fresh == 0) return result;
    result.new_tuples.push_back(fresh);
  }
}

}  // namespace rondo::test
