// A machine on which exchanges are simulated: what messages, copies and waiting cost there.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace rondo::simulate {

/// A message of n bytes between two ranks, as in LogGP (Alexandrov et al. 1995): o at its sender,
/// n G + L on the way, o at its receiver. A rank sends and receives, so its messages follow each
/// other at least max(g, 2 o) apart, as in model::loggp().
struct Path {
  double overhead_seconds = 0;  ///< o
  double gap_seconds = 0;       ///< g
  double latency_seconds = 0;   ///< L
  double seconds_per_byte = 0;  ///< G
  double eager_bytes = 0;       ///< longer messages ask first, and wait for the answer; 0: none do

  /// Until the first byte of a message may leave.
  double handshake_seconds(double bytes) const {
    const bool asks = eager_bytes > 0 && bytes > eager_bytes;
    return asks ? 2 * (latency_seconds + 2 * overhead_seconds) : 0;
  }
};

/// What connects a node to the network: shared by its ranks, one message after the other, in each
/// direction. The first bytes of a message can cost more than the rest: short messages travel in
/// small packets, long ones in bulk.
struct Adapter {
  int per_node = 1;  ///< ranks are dealt out over them
  double seconds_per_message = 0;
  double seconds_per_byte = 0;
  double short_bytes = 0;             ///< of each message
  double short_seconds_per_byte = 0;  ///< for these, in addition
};

/// Copies of what a rank has in its cache, and what more they cost where that does not hold all.
struct Copying {
  double seconds_per_byte = 0;
  double cache_bytes = 0;           ///< of a rank; 0: holds all
  double far_seconds_per_byte = 0;  ///< in addition, for what is not in the cache
  double seconds_per_block = 0;
  double typed_seconds_per_block = 0;  ///< in addition, where the MPI library copies by datatype
  double seconds_per_size = 0;  ///< to read or write the size of a block that travels with it
};

/// What else takes a rank's time.
struct Waiting {
  double match_seconds = 0;    ///< for each receive that is compared with an arriving message
  double arrival_seconds = 0;  ///< to write a cache line for a rank of the node and read one of its
  double switch_seconds = 0;   ///< from one rank to the next on a core that they share
  double noise_seconds = 0;    ///< by which a wait ends late, on average; exponentially distributed
};

struct Machine {
  Path inside;   ///< two ranks of a node
  Path between;  ///< two ranks of different nodes
  Adapter adapter;
  Copying copying;
  Waiting waiting;
  int cores = 1 << 20;  ///< of a node; more ranks share them
  /// What the MPI library's own calls do, as far as they are known: algorithms of the registry.
  std::string mpi_alltoall = "spread_out";
  std::string mpi_alltoallv = "spread_out";
};

/// What a profile or typical_cluster() says of a machine, by LogGP; it knows of no noise and no
/// cost of matching.
Machine from_model(const model::Machine& machine);

/// Throws Error(argument) unless all prices are finite and 0 or more, counts are 1 or more, and the
/// two calls are known algorithms of the registry.
void require_valid(const Machine& machine);

}  // namespace rondo::simulate
