// How long a machine takes for messages and copies, and the prices that two message models derive from it.
#pragma once

namespace rondo::model {

/// A message of n bytes takes alpha + n beta, regardless of other messages.
struct Hockney {
  double alpha_seconds;
  double beta_seconds_per_byte;
};

/// Alexandrov et al. 1995. A message of n bytes takes o at its sender, n G + L on the way, and o at its
/// receiver. The authors count n - 1 bytes. Messages of one rank are at least g apart.
struct LogGp {
  double latency_seconds;       ///< L
  double overhead_seconds;      ///< o
  double gap_seconds;           ///< g
  double gap_seconds_per_byte;  ///< G
};

/// A message between two ranks, in either model.
struct Link {
  Hockney hockney;
  LogGp loggp;
};

/// What costs the same in both models.
struct Host {
  double adapter_seconds_per_byte;  ///< for all bytes that the ranks of a node send to other nodes
  double copy_seconds_per_byte;
  double copy_seconds_per_block;
  double typed_seconds_per_block;  ///< in addition, if the MPI library copies by datatype
  double arrival_seconds;   ///< to write a cache line for a rank of the node and read one from it
  double switch_seconds;    ///< from one rank to the next on a shared core
  int cores;                ///< of a node; if it has more ranks, they share cores
  bool copies_long = true;  ///< whether long blocks of a node are copied, without messages
};

struct Machine {
  Link inside;   ///< two ranks of a node
  Link between;  ///< two ranks of different nodes
  Host host;
};

/// A common kind of cluster, for machines without measurements. A node has one port of 100 Gb/s for all
/// of its ranks, which is 12.5 GB/s. A message between nodes takes 1.3 microseconds, which is about what
/// vendors of InfiniBand state. A message inside a node takes half a microsecond, half of which the two
/// ranks spend, and its bytes 10 GB/s. LogGP's o and g divide the same times, so a single message takes
/// as long in both models. The times of copies are rounded from a short trial on the machine of
/// docs/results.md: in cache, by memcpy and by Open MPI's MPI_Pack. So are those of switches. An arrival
/// is a cache line that another core has written.
Machine typical_cluster();

/// The price of each batch of messages, of each message, and of each byte.
struct LinkPrice {
  double wait_seconds;
  double message_seconds;
  double seconds_per_byte;
};

/// The prices of a machine in one of the models.
struct Prices {
  LinkPrice inside;
  LinkPrice between;
  Host host;
};

/// Messages in flight together cost as much as messages one after another.
Prices hockney(const Machine& machine);

/// n messages in flight together take L + 2 o + (n - 1) max(g, 2 o), and their bytes. The factor 2 is
/// there because a rank also receives n messages. With g = L + 2 o = alpha and G = beta this is
/// Hockney's model.
Prices loggp(const Machine& machine);

}  // namespace rondo::model
