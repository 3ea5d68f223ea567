// What a machine does in how much time, and what the two message models make of it.
#pragma once

namespace rondo::model {

/// A message of n bytes takes alpha + n beta, whatever else is in flight.
struct Hockney {
  double alpha_seconds;
  double beta_seconds_per_byte;
};

/// Alexandrov et al. 1995. A message of n bytes takes o at its sender, n G + L on the way (the
/// authors count n - 1), and o at its receiver; messages of one rank follow each other at least g
/// apart.
struct LogGp {
  double latency_seconds;       ///< L
  double overhead_seconds;      ///< o
  double gap_seconds;           ///< g
  double gap_seconds_per_byte;  ///< G
};

/// A message between two ranks, by either model.
struct Link {
  Hockney hockney;
  LogGp loggp;
};

/// What costs the same by either model.
struct Host {
  double adapter_seconds_per_byte;  ///< what all ranks of a node send to other nodes together
  double copy_seconds_per_byte;
  double copy_seconds_per_block;
  double typed_seconds_per_block;  ///< in addition, where the MPI library copies by datatype
  double arrival_seconds;   ///< to write a cache line for a rank of the node and read one of its
  double switch_seconds;    ///< from one rank to the next on a core that they share
  int cores;                ///< of a node; more ranks share them
  bool copies_long = true;  ///< whether long blocks of a node are copied, without messages
};

struct Machine {
  Link inside;   ///< two ranks of a node
  Link between;  ///< two ranks of different nodes
  Host host;
};

/// A common kind of cluster, for where nothing was measured. Between nodes: one port of 100 Gb/s
/// (12.5 GB/s, whatever a node's ranks send together) and messages in 1.3 microseconds, the order
/// of what InfiniBand's vendors state. Inside a node: half a microsecond, half of it spent by the two
/// ranks, and 10 GB/s. LogGP's o and g divide the same times, so that one message alone takes as
/// long by either model. Copies are rounded from a short trial on the machine of docs/results.md, in
/// cache, by memcpy and by Open MPI's MPI_Pack; so are switches. An arrival is a cache line that
/// another core has written.
Machine typical_cluster();

/// What batches of messages cost: wait for each batch, message for each message, byte for each byte.
struct LinkPrice {
  double wait_seconds;
  double message_seconds;
  double seconds_per_byte;
};

/// A machine by one of the models.
struct Prices {
  LinkPrice inside;
  LinkPrice between;
  Host host;
};

/// Messages in flight together cost as much as one after another.
Prices hockney(const Machine& machine);

/// n messages in flight together take L + 2 o + (n - 1) max(g, 2 o) and their bytes: a rank also
/// receives n and spends o on each. With g = L + 2 o = alpha and G = beta this is Hockney's.
Prices loggp(const Machine& machine);

}  // namespace rondo::model
