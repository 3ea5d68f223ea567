// A rule as steps of nested loops.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "relalg/rule.hpp"
#include "relalg/table.hpp"

namespace rondo::relalg {

/// The variables and constants of a rule are in registers, numbered from 0.
struct Move {
  int column = 0;
  int reg = 0;
};

/// Loops over the tuples of one relation that match the registers, and stores each in the
/// registers.
struct Step {
  enum class Access {
    scan,    ///< all tuples
    lookup,  ///< those that an index has for the key
    member,  ///< the single tuple that the key gives
  } access = Access::scan;
  int relation = 0;
  bool old_only = false;  ///< without those of the last round, which another variant has
  bool any_one = false;   ///< nothing is bound, so one matching tuple is enough
  bool counted_only =
      false;              ///< only tuples that are counted on this rank; other ranks do the rest
  std::size_t index = 0;  ///< for a lookup
  std::vector<int> key = {};               ///< registers
  std::vector<Move> binds = {};            ///< column into register
  std::vector<Move> checks = {};           ///< column against register, after all binds
  std::vector<std::size_t> computed = {};  ///< to compute after that
};

/// A computation on registers.
struct Computation {
  Computed::Function function;
  std::vector<int> in;
  std::vector<Move> binds;   ///< index in `out` into register
  std::vector<Move> checks;  ///< index in `out` against register
  std::size_t out = 0;
};

struct Head {
  int relation = 0;
  std::vector<int> registers;
};

/// One atom of the body takes the tuples of the last round. The atoms before it take only older
/// tuples, so that each combination of tuples occurs in one variant.
struct Variant {
  std::vector<Step> steps;
  std::vector<Computation> computations;
};

struct RulePlan {
  std::vector<Word> registers;  ///< constants, and 0 for variables
  std::vector<Variant> variants;
  std::vector<Head> heads;
};

/// The rule as text, for messages: "path(v0, v2) <- path(v0, v1), edge(v1, v2)".
std::string describe(const Rule& rule, const std::deque<Table>& tables);

/// Throws Error(argument) as described at Program::rule().
void check_rule(const Rule& rule, const std::deque<Table>& tables);

/// Plans a correct rule and adds the indices that it needs to the tables.
RulePlan plan_rule(const Rule& rule, std::deque<Table>& tables);

/// The relations of a body's atoms whose tuples must be placed together: those that are not on all
/// ranks.
std::vector<int> placed_relations(const Rule& rule, const std::deque<Table>& tables);

}  // namespace rondo::relalg
