// What the busiest rank does in an exchange, as numbers that a machine has prices for.
#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"

namespace rondo::model {

/// If lengths are random, these are expected values, not always whole.
struct Traffic {
  double waits = 0;  ///< batches of messages in flight together
  double messages = 0;
  double bytes = 0;

  Traffic& operator+=(const Traffic& other) {
    waits += other.waits;
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

struct Work {
  Traffic inside;            ///< with ranks of its node
  Traffic between;           ///< with ranks of other nodes
  double node_bytes = 0;     ///< that all ranks of its node together send to other nodes
  double copied_blocks = 0;  ///< a run that is copied as one counts as one
  double copied_bytes = 0;
  double typed_blocks = 0;  ///< that the MPI library copies by datatype
  double arrivals = 0;      ///< waits for all ranks of its node in shared memory
  double cells = 0;         ///< cache lines that it writes for them and reads
  double agreements = 0;    ///< allreduces of one number

  void copy(double blocks, double block_bytes) {
    copied_blocks += blocks;
    copied_bytes += blocks * block_bytes;
  }

  double waits() const { return inside.waits + between.waits + arrivals; }
  double messages() const { return inside.messages + between.messages; }
  double bytes() const { return inside.bytes + between.bytes; }

  Work& operator+=(const Work& other) {
    inside += other.inside;
    between += other.between;
    node_bytes += other.node_bytes;
    copied_blocks += other.copied_blocks;
    copied_bytes += other.copied_bytes;
    typed_blocks += other.typed_blocks;
    arrivals += other.arrivals;
    cells += other.cells;
    agreements += other.agreements;
    return *this;
  }
};

/// K: messages that a rank sends.
std::int64_t rounds(const schedule::Schedule& schedule);

/// D: blocks that a rank sends over all rounds.
std::int64_t blocks(const schedule::Schedule& schedule);

/// Positions on equal nodes, node after node.
struct Nodes {
  int nodes;
  int per_node;
};

/// How many ranks of a node send their message of this hop to another node. All nodes are alike.
int crossing(const schedule::Group& group, const Nodes& nodes, int hop);

/// A message of so many bytes to the rank 1 above, 2 above, 4 above and so on, one after another, as
/// in an allreduce or a barrier.
Work work_of_doubling(const Nodes& nodes, double bytes);

/// A message to a share of the other ranks, all in one batch. `per_node` ranks are on a node.
Work work_of_straight(int ranks, int per_node, double share, double mean_bytes);

}  // namespace rondo::model
