// A rule as steps that a loop can follow.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "relalg/rule.hpp"
#include "relalg/table.hpp"

namespace rondo::relalg {

/// Variables and constants of a rule are in registers, numbered from 0.
struct Move {
  int column = 0;
  int reg = 0;
};

/// Put the tuples of one relation that fit what the registers hold into the registers, one by one.
struct Step {
  enum class Access {
    scan,    ///< all tuples
    lookup,  ///< those that an index has for the key
    member,  ///< the one that the key spells out
  } access = Access::scan;
  int relation = 0;
  bool old_only = false;          ///< not those of the last round: another variant has them
  bool any_one = false;           ///< nothing is bound: one tuple that fits is as good as all
  bool counted_only = false;      ///< tuples that are counted on this rank: others do the rest
  std::size_t index = 0;          ///< of a lookup
  std::vector<int> key = {};      ///< registers
  std::vector<Move> binds = {};   ///< column into register
  std::vector<Move> checks = {};  ///< column against register, after all binds
  std::vector<std::size_t> computed = {};  ///< to run after that
};

/// What is computed, in terms of registers.
struct Computation {
  Computed::Function function;
  std::vector<int> in;
  std::vector<Move> binds;   ///< number in `out` into register
  std::vector<Move> checks;  ///< number in `out` against register
  std::size_t out = 0;
};

struct Head {
  int relation = 0;
  std::vector<int> registers;
};

/// One atom of the body takes the tuples of the last round; those before it in the body take old ones
/// alone, so that each combination of tuples comes up in one variant.
struct Variant {
  std::vector<Step> steps;
  std::vector<Computation> computations;
};

struct RulePlan {
  std::vector<Word> registers;  ///< constants where they belong, 0 elsewhere
  std::vector<Variant> variants;
  std::vector<Head> heads;
};

/// For messages: "path(v0, v2) <- path(v0, v1), edge(v1, v2)".
std::string describe(const Rule& rule, const std::deque<Table>& tables);

/// Throws Error(argument) where Program::rule() says so.
void check_rule(const Rule& rule, const std::deque<Table>& tables);

/// Of a rule that is right; indices that it needs are added to the tables.
RulePlan plan_rule(const Rule& rule, std::deque<Table>& tables);

/// The relations of a body's atoms that must lie together: those that are not on all ranks.
std::vector<int> placed_relations(const Rule& rule, const std::deque<Table>& tables);

}  // namespace rondo::relalg
