// Why one algorithm is predicted to be faster than another, in a few words.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "model/cost.hpp"

namespace rondo::model {

namespace {

std::string count(double number) {
  const auto whole = std::llround(number);
  return whole == 0 ? "no" : text(whole);
}

/// "34 messages instead of 299".
std::string instead(double better, double other, const char* noun, const char* rest = "") {
  const char* const plural = std::llround(better) == 1 ? "" : "s";
  return text(count(better), " ", noun, plural, rest, " instead of ", count(other));
}

/// With three digits: "512 bytes", "9.04 MB".
std::string size(double bytes) {
  constexpr double kFourDigits = 999.5;  // when rounded
  if (bytes < kFourDigits) return text(count(bytes), " bytes");
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= kFourDigits && unit + 1 < std::size(units); bytes /= 1000) ++unit;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string size_instead(double better, double other, const char* what) {
  return text(size(better), " ", what, " instead of ", size(other));
}

/// Fewer messages, or fewer of the most expensive ones, or as many in fewer batches.
std::string of_latency(const Work& better, const Work& other) {
  if (better.messages() < other.messages())
    return instead(better.messages(), other.messages(), "message");
  if (better.between.messages < other.between.messages)
    return instead(better.between.messages, other.between.messages, "message", " between nodes");
  return instead(better.waits(), other.waits(), "wait", " for messages");
}

std::string of_bandwidth(const Work& better, const Work& other) {
  if (better.bytes() < other.bytes()) return size_instead(better.bytes(), other.bytes(), "sent");
  if (better.between.bytes < other.between.bytes)
    return size_instead(better.between.bytes, other.between.bytes, "sent to other nodes");
  if (better.node_bytes < other.node_bytes)
    return size_instead(better.node_bytes, other.node_bytes, "sent by each node");
  return size_instead(better.inside.bytes, other.inside.bytes, "sent inside the node");
}

std::string of_copies(const Work& better, const Work& other) {
  if (better.copied_bytes < other.copied_bytes)
    return size_instead(better.copied_bytes, other.copied_bytes, "copied");
  if (better.copied_blocks < other.copied_blocks)
    return instead(better.copied_blocks, other.copied_blocks, "piece", " copied");
  return instead(better.typed_blocks, other.typed_blocks, "block", " packed by datatype");
}

std::string of_arrivals(const Work& better, const Work& other) {
  return instead(better.cells, other.cells, "cache line", " handed round the node");
}

std::string of_switches(const Work& better, const Work& other) {
  return instead(better.waits(), other.waits(), "wait", " for ranks that share cores");
}

std::string of_agreement(const Work& better, const Work& other) {
  return instead(better.agreements, other.agreements, "allreduce", " of the largest block");
}

struct Part {
  double Cost::*seconds;
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
