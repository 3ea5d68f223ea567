#include "model/reason.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"

namespace rondo::model {

namespace {

std::string count(double number) {
  const auto whole = std::llround(number);
  return whole == 0 ? "no" : text(whole);
}

/// "34 messages instead of 299".
std::string instead(double better, double other, const char* unit) {
  return text(count(better), " ", unit, " instead of ", count(other));
}

/// Fewer messages; or fewer of those that cost most; or as many in fewer batches.
std::string of_latency(const Work& better, const Work& other) {
  if (better.messages() < other.messages())
    return instead(better.messages(), other.messages(), "messages");
  if (better.between.messages < other.between.messages)
    return instead(better.between.messages, other.between.messages, "messages between nodes");
  return instead(better.waits(), other.waits(), "waits for messages");
}

std::string of_bandwidth(const Work& better, const Work& other) {
  if (better.bytes() < other.bytes()) return instead(better.bytes(), other.bytes(), "bytes sent");
  if (better.between.bytes < other.between.bytes)
    return instead(better.between.bytes, other.between.bytes, "bytes sent to other nodes");
  return instead(better.node_bytes, other.node_bytes, "bytes sent by each node");
}

std::string of_copies(const Work& better, const Work& other) {
  if (better.copied_bytes < other.copied_bytes)
    return instead(better.copied_bytes, other.copied_bytes, "bytes copied");
  if (better.copied_blocks < other.copied_blocks)
    return instead(better.copied_blocks, other.copied_blocks, "pieces copied");
  return instead(better.typed_blocks, other.typed_blocks, "blocks packed by datatype");
}

std::string of_arrivals(const Work& better, const Work& other) {
  return instead(better.cells, other.cells, "cache lines handed to ranks of the node");
}

std::string of_switches(const Work& better, const Work& other) {
  return instead(better.waits(), other.waits(), "waits for ranks that share cores");
}

std::string of_agreement(const Work& better, const Work& other) {
  return instead(better.agreements, other.agreements, "allreduces of the largest block");
}

struct Part {
  double Cost::* seconds;
  std::string (*reason)(const Work& better, const Work& other);
};

constexpr Part kParts[] = {
    {&Cost::latency, of_latency},   {&Cost::bandwidth, of_bandwidth},
    {&Cost::copies, of_copies},     {&Cost::arrivals, of_arrivals},
    {&Cost::switches, of_switches}, {&Cost::agreement, of_agreement},
};

}  // namespace

std::string why_faster(const Prediction& better, const Prediction& other) {
  const auto saved = [&](const Part& part) {
    return other.cost.*part.seconds - better.cost.*part.seconds;
  };
  const Part& most = *std::ranges::max_element(kParts, {}, saved);
  return saved(most) > 0 ? most.reason(better.work, other.work) : "equally fast";
}

}  // namespace rondo::model
