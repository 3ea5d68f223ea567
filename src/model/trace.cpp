// The limits and schedules that decide about the steps of an exchange.
#include "model/trace.hpp"

#include <bit>
#include <limits>

#include "registry/settings.hpp"

namespace rondo::model {

namespace {

// As in engines/node/node_layout.hpp.
constexpr std::int64_t kLimitUnit = 16;
constexpr std::int64_t kPipes = std::int64_t{2} << 20;  ///< of a rank, together
constexpr std::int64_t kLongestSlot = std::numeric_limits<std::uint32_t>::max();  ///< of a node

/// The longest block that fits into a slot.
std::int64_t slot_limit(const choice::Layout& layout, std::int64_t slot_bytes) {
  const std::int64_t most = std::min(slot_bytes, kLongestSlot / ranks_of_largest_node(layout));
  return std::min(most / layout.ranks, registry::kLongestSharedBlock) / kLimitUnit * kLimitUnit;
}

}  // namespace

bool has_partners(const choice::Choice& choice) {
  return choice.algorithm->handling.discovery != registry::Discovery::none ||
         choice.algorithm->collective == registry::Collective::neighbor_alltoallv;
}

double short_limit(const choice::Choice& choice, const choice::Layout& layout,
                   std::int64_t slot_bytes) {
  const auto threshold = static_cast<double>(choice.threshold());
  if (choice.algorithm->shape != registry::Shape::node) return threshold;
  const auto limit = static_cast<double>(slot_limit(layout, slot_bytes));
  return std::min(threshold, layout.real_nodes() > 1 ? limit - kMostNodeLengthBytes : limit);
}

bool has_pipes(const choice::Layout& layout, std::int64_t slot_bytes) {
  const int neighbours = std::max(ranks_of_largest_node(layout) - 1, 1);
  const std::int64_t pipe = std::min(slot_bytes / 2, kPipes) / neighbours;
  return std::max(pipe, slot_limit(layout, slot_bytes)) >= registry::kShortestPipe;
}

bool exceeds_padding(const Task& task) {
  const auto padding_bytes = static_cast<double>(registry::Settings{}.padding_bytes);
  return task.handling().agrees && task.layout.ranks * task.largest_bytes > padding_bytes;
}

schedule::Schedule flat_schedule(const Task& task) {
  if (task.choice.algorithm->shape == registry::Shape::library)
    return schedule::linear(task.layout.ranks, task.layout.ranks);
  return choice::schedule_of(task.choice, task.layout);
}

schedule::NodeSchedule node_schedule(const Task& task) {
  const std::int64_t nodes = task.layout.real_nodes();
  std::vector<int> node_of_rank;
  for (std::int64_t rank = 0; rank < task.layout.ranks; ++rank)
    node_of_rank.push_back(static_cast<int>(rank * nodes / task.layout.ranks));
  return choice::node_schedule_of(task.choice, schedule::NodeMap(node_of_rank));
}

int ranks_of_largest_node(const choice::Layout& layout) {
  return (layout.ranks + layout.real_nodes() - 1) / layout.real_nodes();
}

int doublings(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

}  // namespace rondo::model
