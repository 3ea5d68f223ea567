// What an algorithm costs on a machine: the work of its schedule, priced.
//
// Bytes are those that a rank sends. What sharing costs is counted where a node's ranks share its
// adapter and its cores; the network between the adapters is taken to have room for all.
#pragma once

#include <string>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "model/work.hpp"

namespace rondo::model {

/// Of the lengths of blocks.
enum class Distribution {
  constant,  ///< all S bytes
  uniform,   ///< every length from 0 to S alike, S / 2 on average
};

struct Load {
  double block_bytes = 0;  ///< S
  Distribution distribution = Distribution::constant;
  double share = 1;         ///< of the blocks for other ranks; the rest are empty
  bool is_dynamic = false;  ///< no rank knows what it receives
};

/// A load where blocks longer than a threshold go straight to their ranks and count as empty on the
/// way of the others.
struct SplitLoad {
  double largest_bytes;    ///< of those that do not
  double mean_bytes;       ///< of all blocks, the long ones as empty
  double long_share;       ///< long blocks among all, 0 to 1
  double long_mean_bytes;  ///< of these
};

SplitLoad split(const Load& load, double threshold_bytes);

/// Seconds, in parts that say what for.
struct Cost {
  double latency = 0;    ///< messages, whatever is in them
  double bandwidth = 0;  ///< their bytes, sizes and headers among them
  double copies = 0;     ///< inside a rank or through the memory of its node
  double arrivals = 0;   ///< of the ranks of a node in its memory
  double switches = 0;   ///< between ranks that share a core
  double agreement = 0;  ///< on the largest block, by an allreduce

  double total() const { return latency + bandwidth + copies + arrivals + switches + agreement; }
};

/// What the busiest rank does. Ranks are placed node after node; nodes of unequal size count as
/// equal parts of them for flat schedules, as in choice::Layout, and as nodes of the mean size
/// for those of Shape::node. The MPI library's own call counts as spread_out. Blocks of alltoall
/// all have S bytes, whatever the distribution. A rank's partners in sparse and neighbourhood exchanges
/// are drawn at random from all others. Settings are at their defaults. With
/// `copies_long`, as is usual, Shape::node copies long blocks inside a node through windows of the
/// slots; else they are messages.
Work work_of(const choice::Choice& choice, const choice::Layout& layout, const Load& load,
             bool copies_long = true);

Cost price(const Work& work, const choice::Layout& layout, const Prices& prices);

struct Prediction {
  choice::Choice choice;
  Work work;
  Cost cost;
};

/// In a dynamic exchange an algorithm whose messages carry no lengths comes after an alltoall of
/// lengths, by the fastest algorithm for that.
Prediction predict(const choice::Choice& choice, const choice::Layout& layout, const Load& load,
                   const Prices& prices);

/// Why `better` is predicted to be faster than `other`, for the same exchange: what it saves in the
/// part of the cost in which it saves most, as in "34 messages instead of 299"; "equally fast" where
/// it saves in none.
std::string why_faster(const Prediction& better, const Prediction& other);

}  // namespace rondo::model
