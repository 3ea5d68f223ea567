// What an algorithm costs on a machine: its work, priced.
//
// Bytes are the bytes that a rank sends. The ranks of a node share its adapter and its cores. The network
// between the adapters has room for all.
#pragma once

#include <string>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "model/work.hpp"

namespace rondo::model {

/// How long blocks are.
enum class Distribution {
  constant,  ///< all S bytes
  uniform,   ///< all lengths from 0 to S are equally likely
};

struct Load {
  double block_bytes = 0;  ///< S
  Distribution distribution = Distribution::constant;
  double share = 1;         ///< of the blocks for other ranks that are not empty
  bool is_dynamic = false;  ///< no rank knows what it will receive
};

/// A load with a threshold. Longer blocks go straight to their ranks. For the other steps they count as
/// empty.
struct SplitLoad {
  double largest_bytes;    ///< the longest short block
  double mean_bytes;       ///< of all blocks, with long ones as empty
  double long_share;       ///< of long blocks among all, 0 to 1
  double long_mean_bytes;  ///< of the long blocks
};

SplitLoad split(const Load& load, double threshold_bytes);

/// Seconds by cause.
struct Cost {
  double latency = 0;    ///< messages, whatever their lengths
  double bandwidth = 0;  ///< bytes of messages, including sizes and headers
  double copies = 0;     ///< inside a rank or through the memory of its node
  double arrivals = 0;   ///< of ranks in the memory of their node
  double switches = 0;   ///< between ranks that share a core
  double agreement = 0;  ///< on the largest block, by an allreduce

  double total() const { return latency + bandwidth + copies + arrivals + switches + agreement; }
};

/// What the busiest rank does. Ranks are placed node after node. If nodes differ in size, flat schedules
/// count equal parts of them, as in choice::Layout, and Shape::node counts nodes of the mean size. The
/// MPI library's own call counts as spread_out. All blocks of alltoall have S bytes, whatever the
/// distribution. In sparse and neighbourhood exchanges the partners of a rank are random. Settings have
/// their defaults. With `copies_long` Shape::node copies long blocks inside a node through pipes of
/// the slots; otherwise they are messages.
Work work_of(const choice::Choice& choice, const choice::Layout& layout, const Load& load,
             bool copies_long = true);

Cost price(const Work& work, const choice::Layout& layout, const Prices& prices);

struct Prediction {
  choice::Choice choice;
  Work work;
  Cost cost;
};

/// In a dynamic exchange an algorithm whose messages carry no lengths begins with an alltoall of lengths,
/// by the algorithm that is fastest for it.
Prediction predict(const choice::Choice& choice, const choice::Layout& layout, const Load& load,
                   const Prices& prices);

/// Why `better` is predicted to be faster than `other` for the same exchange. The reason is from the part
/// of the cost with the largest saving, as in "34 messages instead of 299". It is "equally fast" if no
/// part has a saving.
std::string why_faster(const Prediction& better, const Prediction& other);

/// Blocks of one rank. Blocks sent and blocks received count half each, and so do their bytes. Rondo joins
/// all blocks from one rank to another into one. The MPI library sends a message along every edge.
struct EdgeBlocks {
  double edges = 0;
  double blocks = 0;
  double bytes = 0;
  double long_blocks = 0;  ///< among `blocks`: those longer than node_aware's threshold
  double long_bytes = 0;   ///< in long blocks
};

/// What an exchange moves. On a mesh most blocks are short, so the longest one says little.
struct EdgeLoad {
  double own_edges = 0;       ///< from the busiest rank to itself; Rondo copies their blocks
  EdgeBlocks inside{};        ///< the most of any rank with its node, each number by itself
  EdgeBlocks between{};       ///< the most of any rank with other nodes, likewise
  EdgeBlocks mean_between{};  ///< the mean over all ranks
  double messages = 0;        ///< that the busiest leader of node_aware sends or receives
  double carried = 0;         ///< blocks in these messages
};

/// The work of an algorithm of Collective::neighbor_alltoallv.
model::Work work_on_edges(const choice::Choice& choice, const choice::Layout& layout,
                          const EdgeLoad& load);

/// The load of a random topology. Every rank has edges to `load.share` of the others. Blocks longer than
/// `short_bytes` are long.
EdgeLoad random_edges(const choice::Layout& layout, const Load& load, double short_bytes);

}  // namespace rondo::model
