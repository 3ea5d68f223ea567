// A Datalog program over the ranks of a communicator: relations, rules, facts, and their fixed point.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/exchange_timer.hpp"
#include "relalg/rule.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// A relation is a set of tuples of `arity` words, dealt out over the ranks.
struct RelationSpec {
  std::string name;  ///< for messages
  int arity = 0;
  /// The columns whose values say in which bucket a tuple lies. None: every rank has all tuples,
  /// which is for small relations.
  std::vector<int> placed_by = {};
  /// Where a bucket holds more than its rank's share it is split into sub-buckets, by the other
  /// columns, which lie on other ranks; relations that a rule joins with this one are then on all of
  /// them. Of two relations in one join only one may be spread.
  bool spread = false;
};

/// One round of semi-naive evaluation, over all ranks. Facts are put in place before the first round,
/// which is no round: with path(x, y) <- edge(x, y) and path(x, z) <- path(x, y), edge(y, z), round i
/// finds the pairs whose shortest path has i edges.
struct Iteration {
  std::size_t new_tuples = 0;           ///< that no earlier round had, in all relations
  std::size_t bytes = 0;                ///< of tuples that all ranks sent to other ranks
  std::size_t largest_block_bytes = 0;  ///< from one rank to one rank; the HPDC paper's N
  double exchange_seconds = 0;          ///< as ExchangeTimer has it
};

class Program {
 public:
  /// `timer` gets one step for each round's exchange, one for that of the facts before, and one for
  /// each time that tuples are moved because a rank has more than its share. As long as no rank has
  /// `few_tuples` of spread relations, none are. Both references must outlive the program.
  Program(const support::Communicator& comm, apps::ExchangeTimer& timer,
          std::size_t few_tuples = 2048);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Relations, variables and rules: alike on all ranks, in the same order, before run(). Local.
  Relation relation(const RelationSpec& spec);
  Variable variable();
  std::vector<Variable> variables(std::size_t count);
  template <std::size_t Count>
  std::array<Variable, Count> variables() {
    std::array<Variable, Count> all;
    for (Variable& one : all) one = variable();
    return all;
  }

  /// Throws Error(argument) where the rule cannot be evaluated: a head's variable that nothing binds,
  /// a wrong number of terms, atoms that do not lie together (of a join, every relation that is not
  /// on all ranks must be placed by the same variables), two spread ones.
  void rule(Rule rule);

  /// A tuple that holds from the beginning. Local: any rank may give any tuple, and one may be given
  /// twice; on which rank it comes to lie is not the caller's concern.
  void fact(Relation relation, std::span<const Word> tuple);

  /// Collective. Derive all that follows; one all-to-all a round for all relations together (counts,
  /// then tuples; what a rank derives for itself is in neither). Returns the rounds that found
  /// something new. Call it once. After them comes one that finds nothing, and one more exchange, of
  /// counts alone, from which all ranks learn that.
  std::vector<Iteration> run();

  /// Collective. How many tuples the relation has.
  std::size_t count(Relation relation) const;

  /// Local. Call `visit` for the tuples that lie here; over all ranks every tuple is visited once.
  void for_each(Relation relation,
                const std::function<void(std::span<const Word> tuple)>& visit) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rondo::relalg
