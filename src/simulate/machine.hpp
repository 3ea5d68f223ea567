// The simulated machine: what messages, copies and waits cost.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace rondo::simulate {

/// A message of n bytes between two ranks, as in LogGP (Alexandrov et al. 1995): o at its sender,
/// n G + L on the way, o at its receiver. A rank sends and receives, so its messages are at least
/// max(g, 2 o) apart, as in model::loggp().
struct Path {
  double overhead_seconds = 0;  ///< o
  double gap_seconds = 0;       ///< g
  double latency_seconds = 0;   ///< L
  double seconds_per_byte = 0;  ///< G
  double eager_bytes = 0;       ///< longer messages begin with a handshake; with 0 none do

  /// The time before the first byte of a message may leave.
  double handshake_seconds(double bytes) const {
    const bool asks = eager_bytes > 0 && bytes > eager_bytes;
    return asks ? 2 * (latency_seconds + 2 * overhead_seconds) : 0;
  }
};

/// The connection of a node to the network. It carries the messages of the node's ranks one after another
/// in each direction. The first bytes of a message can cost more than the rest, because short messages
/// travel in small packets and long ones in bulk.
struct Adapter {
  int per_node = 1;  ///< ranks are dealt out over the adapters
  double seconds_per_message = 0;
  double seconds_per_byte = 0;
  double short_bytes = 0;             ///< of each message
  double short_seconds_per_byte = 0;  ///< for these, in addition
};

/// Copies of data in the cache of a rank, and what data outside it cost in addition.
struct Copying {
  double seconds_per_byte = 0;
  double cache_bytes = 0;           ///< of a rank; 0 means that everything fits
  double far_seconds_per_byte = 0;  ///< in addition, for bytes outside the cache
  double seconds_per_block = 0;
  double typed_seconds_per_block = 0;  ///< in addition, if the MPI library copies by datatype
  double seconds_per_size = 0;         ///< to read or write a size that travels with a block
};

/// Other costs of a rank.
struct Waiting {
  double match_seconds = 0;  ///< to compare one posted receive with an arriving message
  double arrival_seconds =
      0;                      ///< to write a cache line for a rank of the node and read one from it
  double switch_seconds = 0;  ///< from one rank to the next on a shared core
  double noise_seconds = 0;   ///< the mean delay of the end of a wait, exponentially distributed
};

struct Machine {
  Path inside;   ///< two ranks of a node
  Path between;  ///< two ranks of different nodes
  Adapter adapter;
  Copying copying;
  Waiting waiting;
  int cores = 1 << 20;  ///< of a node; if it has more ranks, they share cores
  /// The algorithms of the registry that stand for the MPI library's own calls.
  std::string mpi_alltoall = "spread_out";
  std::string mpi_alltoallv = "spread_out";
};

/// The machine of a profile or of typical_cluster(), in LogGP. It has no noise and no cost of matching.
Machine from_model(const model::Machine& machine);

/// What the cost model can say of a machine. It leaves out handshakes, the adapters' costs of single
/// messages and of short bytes, caches, matching, and noise.
model::Machine to_model(const Machine& machine);

/// Throws Error(argument) unless all prices are finite and at least 0, all counts are at least 1, and the
/// two calls are known algorithms of the registry.
void require_valid(const Machine& machine);

}  // namespace rondo::simulate
