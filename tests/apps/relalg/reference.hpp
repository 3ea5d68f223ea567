// Evaluates a program of relations in a slow and simple way on one rank.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "relalg/program.hpp"

namespace rondo::test {

using relalg::Word;
using Tuple = std::vector<Word>;
using Tuples = std::set<Tuple>;

/// Relations are numbered in the order of their specs, as Program numbers them.
struct Case {
  std::string name;
  std::vector<relalg::RelationSpec> relations;
  std::vector<relalg::Rule> rules;
  std::vector<std::pair<int, Tuple>> facts;
};

struct Result {
  std::vector<Tuples> relations;
  std::vector<std::size_t> new_tuples;  ///< of each round that found something
};

/// Tries every tuple of every relation in every round, without an order of joins or an index.
Result evaluate(const Case& program);

}  // namespace rondo::test
