#include "kcfa/analysis.hpp"

#include <numeric>
#include <unordered_set>

#include "base/error.hpp"

namespace rondo::kcfa {

namespace {

using relalg::any;
using relalg::Variable;

// The empty environment has this frame, which gives it a contour like any other environment's.
constexpr Word kNoVariable = ~Word{0};

std::vector<Variable> all_of(std::initializer_list<Variable> single,
                             const std::vector<Variable>& rest) {
  std::vector<Variable> all(single);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Analysis::Analysis(const support::Communicator& comm, apps::ExchangeTimer& timer,
                   const AnalysisOptions& options)
    : comm_(comm),
      k_(options.k),
      words_(static_cast<int>(contour_words(k_))),
      program_(comm, timer, {.exchanges = options.exchanges}),
      application_(known("application", 3)),
      operator_of_(known("operator_of", 2)),
      operand_of_(known("operand_of", 4)),
      lambda_(known("lambda", 2)),
      variable_(known("variable", 2)),
      reach_(placed("reach", 2, {1})),
      ret_(placed("ret", 4, {1})),
      binding_(placed("binding", 2 + words_, {0})),
      frame_(placed("frame", 3 + words_, {0})),
      inherits_(placed("inherits", 2, {0})),
      call_(placed("call", 4 + words_, {0})),
      lookup_(by_address("lookup", false)),
      store_(by_address("store", true)) {
  add_evaluation_rules();
  add_variable_rules();
  add_call_rules();
}

relalg::Relation Analysis::known(const char* name, int arity) {
  return program_.relation({.name = name, .arity = arity});
}

relalg::Relation Analysis::placed(const char* name, int arity, std::vector<int> columns) {
  return program_.relation({.name = name, .arity = arity, .placed_by = std::move(columns)});
}

relalg::Relation Analysis::by_address(const char* name, bool spread) {
  std::vector<int> address(static_cast<std::size_t>(words_ + 1));
  std::iota(address.begin(), address.end(), 0);
  return program_.relation(
      {.name = name, .arity = 3 + words_, .placed_by = address, .spread = spread});
}

void Analysis::add_evaluation_rules() {
  const auto [l, e0, e1, env] = program_.variables<4>();
  // The operator is evaluated first, and the operand once the operator has a value.
  program_.rule({{reach_(e0, env)}, {reach_(l, env), application_(l, e0, any)}});
  program_.rule({{reach_(e1, env)}, {ret_(e0, env, any, any), operator_of_(e0, e1)}});
  // The value of a lambda is itself, closed over its environment.
  program_.rule({{ret_(l, env, l, env)}, {reach_(l, env), lambda_(l, any)}});
}

void Analysis::add_variable_rules() {
  const auto [e, x, f, env, outer, fenv] = program_.variables<6>();
  const std::vector<Variable> c = program_.variables(static_cast<std::size_t>(words_));
  program_.rule({{lookup_(x, c, e, env)}, {reach_(e, env), variable_(e, x), binding_(env, x, c)}});
  program_.rule({{ret_(e, env, f, fenv)}, {lookup_(x, c, e, env), store_(x, c, f, fenv)}});
  // An environment has its innermost variable and all variables of the outer environment.
  program_.rule({{binding_(env, x, c), inherits_(outer, env)}, {frame_(env, outer, x, c)}});
  program_.rule({{binding_(env, x, c)}, {inherits_(outer, env), binding_(outer, x, c)}});
}

void Analysis::add_call_rules() {
  const auto [l, e0, e1, site, b, f, v] = program_.variables<7>();
  const auto [env, fenv, venv, entered] = program_.variables<4>();
  const auto words = static_cast<std::size_t>(words_);
  const std::vector<Variable> c = program_.variables(words);
  const std::vector<Variable> pushed = program_.variables(words);
  const auto enter = [k = k_, words](std::span<const Word> in, std::span<Word> out) {
    const std::span<Word> contour = out.subspan(1, words);
    push_site(k, in[0], in.subspan(3, words), contour);
    out[0] = environment(in[1], in[2], contour);
    return true;
  };
  program_.rule({{store_(f, pushed, v, venv), frame_(entered, fenv, f, pushed), reach_(b, entered),
                  call_(entered, b, l, env, c)},
                 {ret_(e0, env, f, fenv), operand_of_(e1, l, e0, site), ret_(e1, env, v, venv),
                  lambda_(f, b), frame_(env, any, any, c)},
                 {{all_of({entered}, pushed), all_of({site, fenv, f}, c), enter}}});
  program_.rule(
      {{ret_(l, env, v, venv)}, {call_(entered, b, l, env, c), ret_(b, entered, v, venv)}});
}

void Analysis::set_term(const Term& term) {
  const auto fact = [this](relalg::Relation relation, std::initializer_list<Word> tuple) {
    program_.fact(relation, {tuple.begin(), tuple.size()});
  };
  Word sites = 0;
  for (Label l = 0; l < term.size(); ++l) {
    const Expression& expression = term[l];
    if (expression.kind == Kind::variable) fact(variable_, {l, expression.binder});
    if (expression.kind == Kind::lambda) fact(lambda_, {l, expression.first});
    if (expression.kind == Kind::application) {
      ++sites;
      fact(application_, {l, expression.first, expression.second});
      fact(operator_of_, {expression.first, expression.second});
      fact(operand_of_, {expression.second, l, expression.first, sites});
    }
  }
  fact(reach_, {0, kEmptyEnvironment});
  std::vector<Word> empty(static_cast<std::size_t>(3 + words_), 0);
  empty[0] = empty[1] = kEmptyEnvironment;
  empty[2] = kNoVariable;
  program_.fact(frame_, empty);
}

std::vector<relalg::Iteration> Analysis::run() {
  std::vector<relalg::Iteration> rounds = program_.run();
  check_names();
  return rounds;
}

void Analysis::check_names() const {
  support::collectively(comm_, [&] {
    std::unordered_set<Word> names;
    program_.for_each(frame_, [&](std::span<const Word> frame) {
      if (!names.insert(frame[0]).second)
        throw Error(ErrorClass::other,
                    text("two environments have the name ", frame[0], ", so the result is wrong"));
    });
  });
}

Counts Analysis::counts() const {
  return {.points = program_.count(reach_),
          .returns = program_.count(ret_),
          .bindings = program_.count(store_),
          .environments = program_.count(frame_),
          .calls = program_.count(call_)};
}

void Analysis::for_each_binding(const Visit& visit) const {
  program_.for_each(store_, [&](std::span<const Word> tuple) {
    const auto words = static_cast<std::size_t>(words_);
    visit(tuple[0], tuple.subspan(1, words), tuple[1 + words]);
  });
}

void Analysis::for_each_call(const Visit& visit) const {
  program_.for_each(call_, [&](std::span<const Word> tuple) {
    // The label of a lambda's body is the lambda's label plus one.
    visit(tuple[2], tuple.subspan(4), tuple[1] - 1);
  });
}

}  // namespace rondo::kcfa
