// k-call-sensitive control-flow analysis (kCFA) as rules over relations.
//
// The analysis computes the states that an abstract machine for the lambda calculus reaches. The machine
// is time-stamped, and all its parts are in one store that only grows (Van Horn and Might, "Abstracting
// Abstract Machines", ICFP 2010). Its contours are those of Shivers' kCFA:
//
// - A contour is the last k call sites, the newest first. The body of a lambda called from site s in
//   contour c is evaluated in the first k of s : c. Any other expression is evaluated in the contour of
//   the expression around it.
// - A variable is bound at an address, (variable, contour of the body). For each address the store has
//   all closures that the variable may have. An environment gives a contour to every variable around an
//   expression, used or not.
// - An application evaluates its operator and then its operand. Once the operand has a value, it
//   evaluates the body of every lambda that the operator may be. A body returns to the applications that
//   entered that body in that environment (Gilray and others, "Pushdown control-flow analysis for free",
//   POPL 2016), so that no other caller gets its values.
//
// Relations, for expressions e and l, environments env, closures of a lambda f over an environment fenv,
// and contours c. An environment's contour is that of its innermost variable, so relations with an env
// need no c:
//
//     reach(e, env)                  e is evaluated in env
//     ret(e, env, f, fenv)           the value of e in env may be that closure
//     binding(env, x, c)             in env, x is bound at (x, c)
//     store(x, c, f, fenv)           that closure may be at (x, c)
//     frame(env, outer, x, c)        env is outer with x bound at (x, c)
//     call(env, b, l, env', c')      b, a lambda's body, was entered in env from l in env', whose contour is c'
//
// The small relations, which depend on the term alone, are on all ranks. A tuple of another relation is
// on the rank of the environment or address by which rules look it up, so every join is local.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kcfa/contour.hpp"
#include "kcfa/term.hpp"
#include "relalg/program.hpp"

namespace rondo::kcfa {

/// The size of the analysis' result, over all ranks.
struct Counts {
  std::size_t points = 0;    ///< pairs of an expression and an environment in which it is evaluated
  std::size_t returns = 0;   ///< closures at points
  std::size_t bindings = 0;  ///< closures at addresses of the store
  std::size_t environments = 0;  ///< the empty one, and those in which bodies were entered
  std::size_t calls = 0;         ///< from a point into a body and an environment
  bool operator==(const Counts&) const = default;
};

struct AnalysisOptions {
  int k = 1;
  relalg::Exchanges exchanges = relalg::Exchanges::mixed;
};

/// One analysis of one program, on the ranks of `comm`. Both references must outlive it.
class Analysis {
 public:
  Analysis(const support::Communicator& comm, apps::ExchangeTimer& timer,
           const AnalysisOptions& options);

  /// Sets the program to analyse. Local: called on one rank, before run(). If k is not 0, the term
  /// has at most kMostSites call sites.
  void set_term(const Term& term);

  /// Collective. Throws Error(other) in the improbable case that two environments have the same
  /// name.
  std::vector<relalg::Iteration> run();

  /// Collective.
  Counts counts() const;

  using Visit = std::function<void(Label at, std::span<const Word> contour, Label lambda)>;

  /// Local. Visits the lambdas that parameters may be bound to; `at` is the parameter's lambda.
  /// Over all ranks every fact is visited, some more than once.
  void for_each_binding(const Visit& visit) const;

  /// Local. Visits the lambdas that call sites call; `at` is the application. Otherwise like
  /// for_each_binding.
  void for_each_call(const Visit& visit) const;

 private:
  void add_evaluation_rules();
  void add_variable_rules();
  void add_call_rules();
  relalg::Relation known(const char* name, int arity);  ///< on all ranks
  relalg::Relation placed(const char* name, int arity, std::vector<int> columns);
  relalg::Relation by_address(const char* name, bool spread);
  void check_names() const;

  const support::Communicator& comm_;
  const int k_;
  const int words_;  // of a contour
  relalg::Program program_;

  relalg::Relation application_;  // l, operator, operand
  relalg::Relation operator_of_;  // operator, operand
  relalg::Relation operand_of_;   // operand, l, operator, number of the call site
  relalg::Relation lambda_;       // l, body
  relalg::Relation variable_;     // l, binding lambda, which identifies the variable

  relalg::Relation reach_;
  relalg::Relation ret_;
  relalg::Relation binding_;
  relalg::Relation frame_;
  relalg::Relation inherits_;  // outer environment, inner one
  relalg::Relation call_;
  relalg::Relation lookup_;  // x, c, e, env: the value of e in env is in the store at (x, c)
  relalg::Relation store_;
};

}  // namespace rondo::kcfa
