// How a rank and a block's name combine to another rank.
#pragma once

#include <bit>

#include "base/error.hpp"

namespace rondo::schedule {

/// The abelian group that names blocks. A block from `source` to `destination` has the name
/// difference(destination, source). The names are 0..P-1 for every rank. A hop is a name too, and
/// takes a block from rank p to add(p, hop).
///
/// There are three groups: ranks in a ring (nodes = 1; the name is the distance), ranks as (node,
/// rank in node) in a torus of nodes x per_node (two layers), and exclusive or.
class Group {
 public:
  static Group ring(int ranks) { return Group(1, ranks, false); }
  static Group torus(int nodes, int per_node) { return Group(nodes, per_node, false); }
  /// Throws Error(argument) unless `ranks` is a power of two.
  static Group exclusive_or(int ranks) {
    if (!std::has_single_bit(static_cast<unsigned>(ranks)))
      throw Error(ErrorClass::argument, text(ranks, " ranks are not a power of two"));
    return Group(1, ranks, true);
  }

  int ranks() const { return nodes_ * per_node_; }
  int nodes() const { return nodes_; }
  int per_node() const { return per_node_; }
  bool is_exclusive_or() const { return exclusive_or_; }

  int add(int rank, int name) const {
    if (exclusive_or_) return rank ^ name;
    if (nodes_ == 1) return wrap(rank + name, per_node_);
    return wrap(rank / per_node_ + name / per_node_, nodes_) * per_node_ +
           wrap(rank % per_node_ + name % per_node_, per_node_);
  }

  /// Returns the rank from which `name` leads to `rank`.
  int subtract(int rank, int name) const {
    if (exclusive_or_) return rank ^ name;
    if (nodes_ == 1) return wrap(rank - name + per_node_, per_node_);
    return wrap(rank / per_node_ - name / per_node_ + nodes_, nodes_) * per_node_ +
           wrap(rank % per_node_ - name % per_node_ + per_node_, per_node_);
  }

  /// Returns the name that leads from `source` to `destination`.
  int difference(int destination, int source) const { return subtract(destination, source); }

 private:
  Group(int nodes, int per_node, bool exclusive_or)
      : nodes_(nodes), per_node_(per_node), exclusive_or_(exclusive_or) {}

  static int wrap(int value, int modulus) { return value >= modulus ? value - modulus : value; }

  int nodes_;
  int per_node_;
  bool exclusive_or_;
};

}  // namespace rondo::schedule
