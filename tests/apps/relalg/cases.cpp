#include "cases.hpp"

#include <random>

#include "relalg/rule.hpp"

namespace rondo::test {

namespace {

using relalg::any;
using relalg::Atom;
using relalg::Relation;
using relalg::RelationSpec;
using relalg::Rule;
using relalg::Variable;

using Edges = std::vector<std::pair<Word, Word>>;

constexpr Variable x{0}, y{1}, z{2}, v{3}, w{4};

Edges chain(Word edges) {
  Edges all;
  for (Word i = 0; i < edges; ++i) all.emplace_back(i, i + 1);
  return all;
}

Edges cycle(Word edges) {
  Edges all = chain(edges - 1);
  all.emplace_back(edges - 1, 0);
  return all;
}

Edges grid(Word side) {
  Edges all;
  for (Word row = 0; row < side; ++row)
    for (Word column = 0; column < side; ++column) {
      const Word here = row * side + column;
      if (column + 1 < side) all.emplace_back(here, here + 1);
      if (row + 1 < side) all.emplace_back(here, here + side);
    }
  return all;
}

Edges random_graph(Word vertices, std::size_t edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Edges all;
  for (std::size_t i = 0; i < edges; ++i)
    all.emplace_back(random() % vertices, random() % vertices);
  return all;
}

/// A case with `edges` as facts of relation 0, one of them twice.
Case with_edges(std::string name, std::vector<RelationSpec> relations, std::vector<Rule> rules,
                const Edges& edges) {
  Case made{std::move(name), std::move(relations), std::move(rules), {}};
  for (const auto& [from, to] : edges) made.facts.push_back({0, {from, to}});
  made.facts.push_back(made.facts.front());
  return made;
}

Case closure(const std::string& name, const Edges& edges, bool spread) {
  const Relation edge(0), path(1);
  return with_edges("closure of a " + name + (spread ? ", spread" : ""),
                    {{"edge", 2, {0}}, {"path", 2, {1}, spread}},
                    {{{path(x, y)}, {edge(x, y)}}, {{path(x, z)}, {path(x, y), edge(y, z)}}},
                    edges);
}

/// The relation is twice in a body and must be placed in both ways, hence the two heads.
Case doubling(const Edges& edges) {
  const Relation edge(0), path(1), to_from(2);
  return with_edges("closure by doubling",
                    {{"edge", 2, {0}}, {"path", 2, {0}}, {"to_from", 2, {0}}},
                    {{{path(x, y), to_from(y, x)}, {edge(x, y)}},
                     {{path(x, z), to_from(z, x)}, {to_from(y, x), path(y, z)}}},
                    edges);
}

Case everywhere(const Edges& edges) {
  const Relation edge(0), path(1), ends(2);
  return with_edges("all on all ranks", {{"edge", 2}, {"path", 2}, {"ends", 1, {0}}},
                    {{{path(x, y)}, {edge(x, y)}},
                     {{path(x, z)}, {path(x, y), path(y, z)}},
                     {{ends(z)}, {path(x, z), path(z, x)}}},
                    edges);
}

Case same_generation(const Edges& edges) {
  const Relation parent(0), same(1), half(2);
  return with_edges("same generation", {{"parent", 2, {0}}, {"same", 2, {0}}, {"half", 2, {0}}},
                    {{{same(x, y)}, {parent(z, x), parent(z, y)}},
                     {{half(v, x)}, {parent(z, x), same(z, v)}},
                     {{same(x, y)}, {half(v, x), parent(v, y)}}},
                    edges);
}

Case triangles(const Edges& edges) {
  const Relation edge(0), replica(1), triangle(2), wedge(3), corner(4);
  return with_edges("triangles",
                    {{"edge", 2, {0}},
                     {"replica", 2},
                     {"triangle", 3, {2, 1}},
                     {"wedge", 3, {0, 2}},
                     {"corner", 1, {0}}},
                    {{{replica(x, y)}, {edge(x, y)}},
                     {{triangle(x, y, z)}, {edge(x, y), replica(y, z), replica(z, x)}},
                     {{wedge(x, y, z)}, {edge(y, z), replica(x, y)}},
                     {{corner(y)}, {wedge(x, y, z), triangle(y, z, x)}}},
                    edges);
}

Case mutual(const Edges& edges) {
  const Relation edge(0), odd(1), even(2), both(3);
  return with_edges(
      "mutual recursion",
      {{"edge", 2, {0}}, {"odd", 2, {1}}, {"even", 2, {1}, true}, {"both", 2, {1, 0}}},
      {{{odd(x, y)}, {edge(x, y)}},
       {{even(x, z)}, {odd(x, y), edge(y, z)}},
       {{odd(x, z)}, {even(x, y), edge(y, z)}},
       {{both(x, y)}, {odd(x, y), even(x, y)}}},
      edges);
}

Case terms(const Edges& edges) {
  const Relation edge(0), loop(1), after(2), has(3), fixed(4), pair(5);
  const Word three = 3;
  return with_edges("constants, open columns, repeated variables",
                    {{"edge", 2, {0}},
                     {"loop", 1, {0}},
                     {"after", 1},
                     {"has", 1, {0}},
                     {"fixed", 3, {2}},
                     {"pair", 2, {1}}},
                    {{{loop(x)}, {edge(x, x)}},
                     {{after(y)}, {edge(three, y)}},
                     {{has(x)}, {edge(x, any)}},
                     {{fixed(three, x, three)}, {loop(x), has(x)}},
                     {{fixed(x, x, y)}, {edge(x, y), after(x)}},
                     {{pair(x, y)}, {after(x), after(y), fixed(any, any, any)}},
                     {{loop(y)}, {edge(three, y), edge(three, three)}}},
                    edges);
}

Case computed(const Edges& edges) {
  const Relation edge(0), distance(1), near(2), sum(3);
  const auto next = [](std::span<const Word> in, std::span<Word> out) {
    out[0] = in[0] + 1;
    return in[0] < 6;
  };
  const auto add = [](std::span<const Word> in, std::span<Word> out) {
    out[0] = in[0] + in[1];
    out[1] = in[0] % 3;
    return true;
  };
  Case made =
      with_edges("computed columns",
                 {{"edge", 2, {0}}, {"distance", 2, {0}}, {"near", 2, {0}}, {"sum", 3, {1}}},
                 {{{distance(y, w)}, {distance(x, v), edge(x, y)}, {{{w}, {v}, next}}},
                  {{near(x, y)}, {edge(x, y), distance(x, v)}, {{{z, v}, {x, y}, add}}},
                  {{sum(x, w, z)}, {near(x, y)}, {{{w}, {z}, next}, {{z, v}, {x, y}, add}}}},
                 edges);
  made.facts.push_back({1, {0, 0}});
  return made;
}

Case wide() {
  constexpr int kColumns = 20;
  const Relation wide(0), turned(1);
  std::vector<Variable> variables;
  for (int i = 0; i < kColumns; ++i) variables.push_back({i});
  std::vector<Variable> rotated(variables.begin() + 1, variables.end());
  rotated.push_back(variables.front());
  Case made{"twenty columns",
            {{"wide", kColumns, {3, 7}}, {"turned", kColumns, {0, 19}}},
            {{{turned(rotated)}, {wide(variables)}}, {{wide(variables)}, {turned(variables)}}},
            {}};
  for (Word fact = 0; fact < 5; ++fact) {
    Tuple tuple(kColumns, fact);
    tuple[fact] = 100;
    made.facts.push_back({0, tuple});
  }
  return made;
}

Case nothing() {
  Case made = closure("graph without edges", {{0, 1}}, false);
  made.facts.clear();
  return made;
}

/// Random atoms over five variables and a few constants.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {
    made_.name = "random program of seed " + std::to_string(seed);
  }

  Case make() {
    for (int i = 0; i < 4; ++i) add_relation();
    for (int i = 0; i < 6; ++i) add_rule();
    for (int i = 0; i < 24; ++i) {
      const int relation = below(4);
      Tuple tuple;
      for (int column = 0; column < arity(relation); ++column) tuple.push_back(value());
      made_.facts.push_back({relation, tuple});
    }
    return made_;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  Word value() { return static_cast<Word>(below(6)); }
  int arity(int relation) const {
    return made_.relations[static_cast<std::size_t>(relation)].arity;
  }

  void add_relation() {
    RelationSpec spec{"r" + std::to_string(made_.relations.size()), 1 + below(3)};
    if (below(4) != 0) spec.placed_by.push_back(below(spec.arity));
    spec.spread = !spec.placed_by.empty() && spec.arity > 1 && below(3) == 0;
    made_.relations.push_back(spec);
  }

  /// Placed relations of a body have variable 0 in the column that places them, so that they lie
  /// together.
  Atom body_atom() {
    const int relation = below(4);
    const RelationSpec& spec = made_.relations[static_cast<std::size_t>(relation)];
    Atom atom{relation, {}};
    for (int column = 0; column < spec.arity; ++column) {
      const int kind = below(8);
      if (!spec.placed_by.empty() && spec.placed_by.front() == column)
        atom.terms.push_back(Variable{0});
      else if (kind == 0)
        atom.terms.push_back(any);
      else if (kind == 1)
        atom.terms.push_back(value());
      else
        atom.terms.push_back(Variable{below(4)});
    }
    return atom;
  }

  void add_rule() {
    Rule rule;
    int spread = 0;
    std::vector<int> bound;
    const int atoms = 1 + below(3);
    for (int i = 0; i < atoms; ++i) {
      Atom atom = body_atom();
      if (made_.relations[static_cast<std::size_t>(atom.relation)].spread && ++spread > 1) continue;
      for (const relalg::Term& term : atom.terms)
        if (term.kind == relalg::Term::Kind::variable) bound.push_back(term.variable);
      rule.body.push_back(std::move(atom));
    }
    if (bound.empty()) return;
    for (int i = 0; i < 1 + below(2); ++i) {
      Atom head{below(4), {}};
      for (int column = 0; column < arity(head.relation); ++column)
        head.terms.push_back(
            below(10) == 0
                ? relalg::Term(value())
                : Variable{bound[static_cast<std::size_t>(below(static_cast<int>(bound.size())))]});
      rule.heads.push_back(std::move(head));
    }
    made_.rules.push_back(std::move(rule));
  }

  std::mt19937_64 random_;
  Case made_;
};

}  // namespace

std::vector<Case> cases() {
  const Edges random = random_graph(14, 25, 1);
  std::vector<Case> all;
  for (const bool spread : {false, true}) {
    all.push_back(closure("chain", chain(20), spread));
    all.push_back(closure("cycle", cycle(9), spread));
    all.push_back(closure("grid", grid(4), spread));
    all.push_back(closure("random graph", random, spread));
  }
  all.push_back(doubling(random));
  all.push_back(everywhere(random_graph(10, 14, 2)));
  all.push_back(same_generation(random_graph(14, 16, 3)));
  all.push_back(triangles(random_graph(9, 30, 4)));
  all.push_back(mutual(random));
  all.push_back(terms(random_graph(6, 14, 5)));
  all.push_back(computed(random));
  all.push_back(wide());
  all.push_back(nothing());
  return all;
}

Case random_case(std::uint64_t seed) {
  return RandomProgram(seed).make();
}

}  // namespace rondo::test
