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

/// With three digits: "512 bytes", "9.04 MB".
std::string size(double bytes) {
  constexpr double kFourDigits = 999.5;  // when rounded
  if (bytes < kFourDigits) return text(count(bytes), " bytes");
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= kFourDigits && unit + 1 < std::size(units); bytes /= 1000) ++unit;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

/// A number that can make one algorithm faster than another.
struct Figure {
  double Cost::*seconds;  ///< the part of the cost that it belongs to
  double (*of)(const Work& work);
  const char* noun;  ///< null for bytes
  const char* rest;
};

/// The reason is the first figure of its part that is smaller, or else the last one.
constexpr Figure kFigures[] = {
    {&Cost::latency, [](const Work& work) { return work.messages(); }, "message", ""},
    {&Cost::latency, [](const Work& work) { return work.between.messages; }, "message",
     " between nodes"},
    {&Cost::latency, [](const Work& work) { return work.waits(); }, "wait", " for messages"},
    {&Cost::bandwidth, [](const Work& work) { return work.bytes(); }, nullptr, " sent"},
    {&Cost::bandwidth, [](const Work& work) { return work.between.bytes; }, nullptr,
     " sent to other nodes"},
    {&Cost::bandwidth, [](const Work& work) { return work.node_bytes; }, nullptr,
     " sent by each node"},
    {&Cost::bandwidth, [](const Work& work) { return work.inside.bytes; }, nullptr,
     " sent inside the node"},
    {&Cost::copies, [](const Work& work) { return work.copied_bytes; }, nullptr, " copied"},
    {&Cost::copies, [](const Work& work) { return work.copied_blocks; }, "piece", " copied"},
    {&Cost::copies, [](const Work& work) { return work.typed_blocks; }, "block",
     " packed by datatype"},
    {&Cost::arrivals, [](const Work& work) { return work.cells; }, "cache line",
     " handed round the node"},
    {&Cost::switches, [](const Work& work) { return work.waits(); }, "wait",
     " for ranks that share cores"},
    {&Cost::agreement, [](const Work& work) { return work.agreements; }, "allreduce",
     " of the largest block"},
};

}  // namespace

/// "34 messages instead of 299".
std::string why_faster(const Prediction& better, const Prediction& other) {
  const auto saved = [&](const Figure& figure) {
    return other.cost.*figure.seconds - better.cost.*figure.seconds;
  };
  const Figure* reason = std::ranges::max_element(kFigures, {}, saved);
  if (saved(*reason) <= 0) return "equally fast";
  const auto is_last = [&] {
    return reason + 1 == std::end(kFigures) || reason[1].seconds != reason->seconds;
  };
  while (reason->of(better.work) >= reason->of(other.work) && !is_last()) ++reason;
  const double less = reason->of(better.work);
  const double more = reason->of(other.work);
  if (reason->noun == nullptr) return text(size(less), reason->rest, " instead of ", size(more));
  const char* const plural = std::llround(less) == 1 ? "" : "s";
  return text(count(less), " ", reason->noun, plural, reason->rest, " instead of ", count(more));
}

}  // namespace rondo::model
