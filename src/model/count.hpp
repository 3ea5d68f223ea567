// The fold that counts what the busiest rank does.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model/cost.hpp"
#include "model/trace.hpp"
#include "model/work.hpp"

namespace rondo::model {

class Count {
 public:
  /// `parts` is `load`, split at short_limit().
  Count(const Task& task, const Load& load, const SplitLoad& parts)
      : ranks_(task.layout.ranks),
        nodes_{task.layout.nodes, task.layout.per_node},
        load_(load),
        parts_(parts) {
    if (task.choice.algorithm->shape == registry::Shape::node)
      nodes_.per_node = ranks_of_largest_node(task.layout);
  }

  /// The work so far. Between nodes it is that of the leader that sends most.
  Work work() const {
    const auto sent = [](const Work& leader) {
      return std::pair(leader.between.bytes, leader.copied_blocks);
    };
    Work work = work_;
    work += rounds_;
    if (!leaders_.empty()) work += *std::ranges::max_element(leaders_, {}, sent);
    return work;
  }

  void agree() { work_.agreements += 1; }
  void double_distances(double bytes) { work_ += work_of_doubling(nodes_, bytes); }
  /// As in basic Bruck: half of the lengths in each round.
  void learn_lengths() { double_distances(kSizeBytes * ranks_ / 2); }
  void copy(double blocks, std::uint64_t /*draw*/) { work_.copy(blocks, parts_.mean_bytes); }

  void exchange(const Batch& batch) {
    const Copies packing = batch.packing();
    const Copies unpacking = batch.unpacking();
    const double block_bytes = batch.handling.pads ? parts_.largest_bytes : parts_.mean_bytes;
    Sum sum;
    for (std::size_t i = 0; i < batch.rounds.size(); ++i) {
      const double blocks = batch.blocks(i);
      const Message message = batch.message(i);
      const double bytes = message.header_bytes + blocks * block_bytes;
      const int messages = message.holds(blocks * block_bytes) ? 1 : 2;
      const int leaving = crossing(batch.group, nodes_, batch.rounds[i].hop);
      sum.messages += messages;
      sum.bytes += bytes;
      sum.leaving += std::int64_t{messages} * leaving;
      sum.leaving_bytes += leaving * bytes;
      sum.waits = std::max<double>(sum.waits, messages);
      rounds_.copy(blocks * (packing.times + unpacking.times), block_bytes);
      rounds_.typed_blocks += blocks * (packing.typed + unpacking.typed);
    }
    close(sum);
  }

  void arrive(double cells) {
    work_.arrivals += 1;
    work_.cells += cells;
  }

  void send_between(const std::vector<NodeMessage>& messages) {
    leaders_.resize(static_cast<std::size_t>(nodes_.per_node));
    std::vector<double> waits(leaders_.size());
    for (const NodeMessage& message : messages) {
      const auto at = static_cast<std::size_t>(message.leader);
      const double data_bytes = message.blocks * parts_.mean_bytes;
      leaders_[at].copied_blocks += message.pieces;
      leaders_[at].copied_bytes += message.times * data_bytes;
      if (message.hop == 0) continue;
      const double bytes = message.message.header_bytes + data_bytes;
      const double parts = message.message.holds(data_bytes) ? 1 : 2;
      leaders_[at].between += {.waits = 0, .messages = parts, .bytes = bytes};
      waits[at] = std::max(waits[at], parts);
      work_.node_bytes += bytes;
    }
    for (std::size_t i = 0; i < waits.size(); ++i) leaders_[i].between.waits += waits[i];
  }

  void copy_long_inside() {
    work_.copy(2 * parts_.long_share * (nodes_.per_node - 1), parts_.long_mean_bytes);
  }

  void send(Sent sent, const Straight& straight) {
    const SentBlocks blocks = blocks_of(sent);
    send_to_partners(sent, straight);
    work_.copy(blocks.share, blocks.bytes);
  }

  void send_to_partners(Sent sent, const Straight& straight) {
    const SentBlocks blocks = blocks_of(sent);
    Work work = work_of_straight(ranks_, nodes_.per_node, blocks.share, blocks.bytes);
    if (!straight.reaches_inside) work.inside = {};
    work_ += work;
  }

  void copy_for_partners(bool /*arrived*/) {
    work_.copy(load_.share * (ranks_ - 1), mean_of(load_.share, parts_.mean_bytes));
  }

 private:
  /// The messages of a batch: all that one rank sends, and all that leave its node.
  struct Sum {
    std::int64_t messages = 0;
    double bytes = 0;
    std::int64_t leaving = 0;
    double leaving_bytes = 0;
    double waits = 0;

    /// The bytes of `between` of the messages. Divided like this, whole numbers stay whole, and equal
    /// work costs exactly the same.
    double bytes_of(std::int64_t between) const {
      if (between == 0) return 0;
      if (between == messages) return bytes;
      const double for_one = static_cast<double>(leaving) / static_cast<double>(between);
      return std::min(leaving_bytes / for_one, bytes);
    }
  };

  /// As many of a rank's messages leave its node as do on average over the ranks, rounded up. The
  /// slowest rank has no fewer.
  void close(const Sum& sum) {
    const std::int64_t between = (sum.leaving + nodes_.per_node - 1) / nodes_.per_node;
    const double between_bytes = sum.bytes_of(between);
    rounds_.node_bytes += sum.leaving_bytes;
    rounds_.between += {.waits = between > 0 ? sum.waits : 0,
                        .messages = static_cast<double>(between),
                        .bytes = between_bytes};
    rounds_.inside += {.waits = between > 0 ? 0 : sum.waits,
                       .messages = static_cast<double>(sum.messages - between),
                       .bytes = sum.bytes - between_bytes};
  }

  /// A message for a share of a rank's blocks, and its bytes.
  struct SentBlocks {
    double share;
    double bytes;
  };

  SentBlocks blocks_of(Sent sent) const {
    const double short_share = load_.share - parts_.long_share;
    switch (sent) {
      case Sent::whole:
        return {short_share, mean_of(short_share, parts_.mean_bytes)};
      case Sent::start:
        return {load_.share, kSizeBytes + mean_of(load_.share, parts_.mean_bytes)};
      case Sent::rest:
        return {parts_.long_share, parts_.long_mean_bytes};
      case Sent::answer:
        break;
    }
    return {load_.share, 0};
  }

  /// Turns a mean of all blocks into the mean of a share of them, without which the others are empty.
  static double mean_of(double share, double mean_bytes) {
    return share > 0 ? mean_bytes / share : 0;
  }

  int ranks_;
  Nodes nodes_;
  Load load_;
  SplitLoad parts_;
  Work work_;
  Work rounds_;                ///< the work of exchange()
  std::vector<Work> leaders_;  ///< the work between nodes, by local number
};

}  // namespace rondo::model
