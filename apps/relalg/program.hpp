// A Datalog program over the ranks of a communicator: relations, rules, facts, and their fixed
// point.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/exchange_timer.hpp"
#include "relalg/alternation.hpp"
#include "relalg/rule.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// A relation is a set of tuples of `arity` words, dealt out over the ranks.
struct RelationSpec {
  std::string name;  ///< for messages
  int arity = 0;
  /// The columns whose values decide in which bucket a tuple is. If there are none, every rank has
  /// all tuples, which suits small relations.
  std::vector<int> placed_by = {};
  /// If a bucket holds more than its rank's share, it is split into sub-buckets on several ranks,
  /// by the other columns. Relations that a rule joins with this one are then on all of these
  /// ranks. Only one of two relations in a join may be spread.
  bool spread = false;
};

/// One round of semi-naive evaluation, over all ranks. Facts are placed before the first round.
/// With path(x, y) <- edge(x, y) and path(x, z) <- path(x, y), edge(y, z), round i finds the pairs
/// whose shortest path has i edges.
struct Iteration {
  std::size_t new_tuples = 0;           ///< in all relations; earlier rounds did not have them
  std::size_t bytes = 0;                ///< of tuples that all ranks sent to other ranks
  std::size_t largest_block_bytes = 0;  ///< from one rank to one rank; the HPDC paper's N
  double exchange_seconds = 0;          ///< as measured by ExchangeTimer
  bool is_sparse = false;               ///< made a sparse exchange
};

struct ProgramOptions {
  Exchanges exchanges = Exchanges::mixed;
  std::size_t few_tuples =
      2048;  ///< of spread relations, with which no rank has more than its share
};

class Program {
 public:
  /// `timer` gets one step for each round's exchange, one for the exchange of the facts before, and
  /// one each time that tuples are moved because a rank has more than its share. Both references
  /// must outlive the program.
  Program(const support::Communicator& comm, apps::ExchangeTimer& timer,
          const ProgramOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Relations, variables and rules must be the same on all ranks, in the same order, before run().
  /// Local.
  Relation relation(const RelationSpec& spec);
  Variable variable();
  std::vector<Variable> variables(std::size_t count);
  template <std::size_t Count>
  std::array<Variable, Count> variables() {
    std::array<Variable, Count> all;
    for (Variable& one : all) one = variable();
    return all;
  }

  /// Throws Error(argument) if the rule cannot be evaluated: if a variable of a head is not bound,
  /// an atom has a wrong number of terms, two atoms are spread, or the atoms of a join are not
  /// placed together, which means that every relation that is not on all ranks must be placed by
  /// the same variables.
  void rule(Rule rule);

  /// Adds a tuple that holds from the beginning. Local: any rank may give any tuple, and a tuple
  /// may be given twice. The caller need not know on which rank it is stored.
  void fact(Relation relation, std::span<const Word> tuple);

  /// Collective. Derives everything that follows, with one exchange a round for all relations
  /// together (what a rank derives for itself is not sent). Returns the rounds that found new
  /// tuples. May be called once. These rounds are followed by one or more that find nothing, and by
  /// an exchange from which all ranks learn that.
  std::vector<Iteration> run();

  /// Collective. The number of tuples of the relation.
  std::size_t count(Relation relation) const;

  /// Local. Calls `visit` for the tuples on this rank; over all ranks every tuple is visited once.
  void for_each(Relation relation,
                const std::function<void(std::span<const Word> tuple)>& visit) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rondo::relalg
