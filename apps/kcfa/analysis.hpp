// k-call-sensitive control-flow analysis (kCFA) as rules over relations.
//
// What is computed is the set of states that an abstract machine for the lambda calculus reaches: a
// time-stamped machine with all its parts in one store (Van Horn and Might, "Abstracting Abstract
// Machines", ICFP 2010) that only grows, with contours as Shivers' kCFA has them:
//
// - A contour is the last k call sites, the newest first. The body of a lambda called from site s in
//   contour c is evaluated in the first k of s : c; what is not a body, in the contour around it.
// - A variable is bound at an address, (variable, contour of the body). The store has for each address
//   all closures that may be there. An environment gives a contour to every variable around an
//   expression, used or not.
// - An application evaluates its operator, then its operand, then the body of every lambda that the
//   operator may be, once the operand may be anything. A body returns to the applications that entered
//   that body in that environment (Gilray and others, "Pushdown control-flow analysis for free", POPL
//   2016), so that no other caller gets its values.
//
// Relations, for expressions e, l; environments env; closures of a lambda f over an environment fenv;
// contours c. An environment's contour is that of its innermost variable, so c goes without saying
// where env is said:
//
//     reach(e, env)                  e is evaluated in env
//     ret(e, env, f, fenv)           its value may be that closure
//     binding(env, x, c)             x is bound at (x, c) there
//     store(x, c, f, fenv)           and that closure is one of those at (x, c)
//     frame(env, outer, x, c)        env is outer with x bound at (x, c)
//     call(env, b, l, env', c')      b, a lambda's body, was entered in env from l in env', whose contour is c'
//
// Those that are small and told by the term alone are on all ranks. Of the others, each lies where the
// environment or the address by which rules look for it is, which makes every join local.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kcfa/contour.hpp"
#include "kcfa/term.hpp"
#include "relalg/program.hpp"

namespace rondo::kcfa {

/// How much the analysis found, over all ranks.
struct Counts {
  std::size_t points = 0;        ///< expressions reached, each in so many environments
  std::size_t returns = 0;       ///< closures at points
  std::size_t bindings = 0;      ///< closures at addresses of the store
  std::size_t environments = 0;  ///< the empty one, and those in which bodies were entered
  std::size_t calls = 0;         ///< from a point into a body and an environment
  bool operator==(const Counts&) const = default;
};

/// One analysis of one program, on the ranks of `comm`. Both references must outlive it.
class Analysis {
 public:
  Analysis(const support::Communicator& comm, apps::ExchangeTimer& timer, int k);

  /// The program to analyse. Local; call it on one rank, before run(). If k is not 0, the term has
  /// at most kMostSites call sites.
  void set_term(const Term& term);

  /// Collective. Throws Error(other) in the case, which nobody will see, that two environments have
  /// the same name.
  std::vector<relalg::Iteration> run();

  /// Collective.
  Counts counts() const;

  using Visit = std::function<void(Label at, std::span<const Word> contour, Label lambda)>;

  /// Local. Tells which lambdas parameters may be bound to: `at` is the lambda whose parameter it is.
  /// Over all ranks every fact is told, some more than once.
  void for_each_binding(const Visit& visit) const;

  /// Local. Tells which lambdas call sites call: `at` is the application. As for_each_binding.
  void for_each_call(const Visit& visit) const;

 private:
  void add_evaluation_rules();
  void add_variable_rules();
  void add_call_rules();
  relalg::Relation known(const char* name, int arity);  ///< to all ranks
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
  relalg::Relation variable_;     // l, binding lambda, which stands for the variable everywhere

  relalg::Relation reach_;
  relalg::Relation ret_;
  relalg::Relation binding_;
  relalg::Relation frame_;
  relalg::Relation inherits_;  // outer environment, inner one
  relalg::Relation call_;
  relalg::Relation lookup_;  // x, c, e, env: a point whose value is what the store has at (x, c)
  relalg::Relation store_;
};

}  // namespace rondo::kcfa
