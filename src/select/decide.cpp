#include "select/decide.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace rondo::select {

namespace {

using registry::Collective;

/// Longer blocks go straight on every machine.
constexpr std::int64_t kLongestBlock = std::int64_t{1} << 20;

/// Why the first is the fastest: compared with the next algorithm, not with the same one with other
/// parameters.
std::string reason_of(const std::vector<PredictedChoice>& found) {
  const model::Prediction& first = found.front().prediction;
  const auto other = std::ranges::find_if(found, [&](const PredictedChoice& one) {
    return one.prediction.choice.algorithm != first.choice.algorithm;
  });
  if (other == found.end()) return "the only one";
  return text("predicted: ", model::why_faster(first, other->prediction), " (",
              other->prediction.choice.algorithm->name, ")");
}

Bands bands_of(Collective collective, const Place& place, const model::Machine& machine) {
  Bands bands;
  for (std::int64_t bytes = 1; bytes <= kLongestBlock; bytes *= 2) {
    const auto found = ranked(registry::Chooser::automatic, collective, place, machine, bytes);
    const choice::OpenChoice& fastest = found.front().choice;
    if (bands.empty() || bands.back().choice.text() != fastest.text())
      bands.push_back({.choice = fastest, .reason = reason_of(found)});
    bands.back().up_to = static_cast<std::size_t>(bytes);
  }
  bands.back().up_to = kNoEnd;
  return bands;
}

/// Returns the first row of the registry that reports lengths. It serves a single rank, for which
/// variants() lists only algorithms that copy its block.
choice::OpenChoice first_reporting() {
  for (const registry::Algorithm& row : registry::algorithms()) {
    const choice::OpenChoice open{.algorithm = &row};
    if (row.collective == Collective::alltoallv && !row.needs_node() && reports_longest(open))
      return open;
  }
  throw Error(ErrorClass::other, "no algorithm reports lengths");
}

}  // namespace

Decisions predicted(const Place& place, const model::Machine& machine) {
  return {.alltoall = bands_of(Collective::alltoall, place, machine),
          .alltoallv = bands_of(Collective::alltoallv, place, machine)};
}

std::int64_t compared_at(std::size_t block_bytes) {
  constexpr auto kLongest = static_cast<std::size_t>(kLongestBlock);
  return static_cast<std::int64_t>(std::bit_ceil(std::min(block_bytes, kLongest)));
}

model::Machine machine_of(const Profile* profile) {
  return profile == nullptr ? model::typical_cluster() : profile->machine;
}

const Measured* measured_at(const Place& place, const Profile* profile) {
  // The measurements used the memory of the nodes.
  return profile == nullptr || !place.has_node ? nullptr : profile->find(place.layout);
}

Decisions decide(const Place& place, const Profile* profile) {
  const Measured* const measured = measured_at(place, profile);
  return measured != nullptr ? measured->decisions : predicted(place, machine_of(profile));
}

choice::OpenChoice reporting(const Place& place, const Profile* profile) {
  Place without_node = place;
  without_node.has_node = false;
  for (const PredictedChoice& one : ranked(registry::Chooser::automatic, Collective::alltoallv,
                                           without_node, machine_of(profile), kLongestBlock))
    if (reports_longest(one.choice)) return one.choice;
  return first_reporting();
}

}  // namespace rondo::select
