#include "select/predicted.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "model/best_radix.hpp"
#include "model/reason.hpp"

namespace rondo::select {

namespace {

using choice::Request;
using registry::Collective;

/// From here on all bytes go straight, whatever the machine.
constexpr std::int64_t kLongestBlock = std::int64_t{1} << 20;

/// What serves where every block goes straight: the library's own call where all are of one length,
/// since it knows its network; else ours, since libraries do it one pair after the other.
const char* straight(Collective collective) {
  return collective == Collective::alltoall ? "mpi" : "spread_out";
}

/// The fastest of `asked` at one length, and why.
Band fastest(const std::vector<Request>& asked, const model::Contest& contest,
             std::int64_t block_bytes) {
  std::vector<Request> requests;
  std::vector<choice::Choice> choices;
  for (const Request& request : asked) {
    requests.push_back(with_best_radices(request, contest, block_bytes));
    choices.push_back(choice::resolve(requests.back(), contest.layout));
  }
  const auto ranked = model::ranking(choices, contest, block_bytes);
  const auto at = std::ranges::find(choices, ranked.front().choice) - choices.begin();
  const std::string reason = ranked.size() == 1
                                 ? "the only one"
                                 : text("predicted: ", model::why_faster(ranked[0], ranked[1]),
                                        " (", ranked[1].choice.algorithm->name, ")");
  return {.up_to = static_cast<std::size_t>(block_bytes),
          .request = requests[static_cast<std::size_t>(at)],
          .reason = reason};
}

Bands bands_of(Collective collective, const Place& place, const model::Machine& machine) {
  const auto asked = candidates(collective, place);
  const model::Contest contest = contest_of(collective, place, machine);
  Bands bands;
  for (std::int64_t bytes = 1; bytes <= kLongestBlock; bytes *= 2) {
    Band band = fastest(asked, contest, bytes);
    if (!bands.empty() && bands.back().request.text() == band.request.text())
      bands.back().up_to = band.up_to;
    else
      bands.push_back(std::move(band));
  }
  bands.back().up_to = kNoEnd;
  return bands;
}

}  // namespace

std::vector<Request> candidates(Collective collective, const Place& place) {
  const int nodes = place.layout.real_nodes();
  std::vector<Request> found = {choice::parse(collective, straight(collective))};
  const auto add = [&](const char* name) { found.push_back(choice::parse(collective, name)); };
  if (place.layout.ranks == 1) return {choice::parse(collective, "spread_out")};
  add(collective == Collective::alltoall ? "tunable_bruck" : "fused_bruck");
  if (place.has_node && nodes < place.layout.ranks) add("node_aware");
  return found;
}

model::Contest contest_of(Collective collective, const Place& place,
                          const model::Machine& machine) {
  const bool is_uniform = collective == Collective::alltoall;
  return {.layout = place.layout,
          .distribution = is_uniform ? model::Distribution::constant : model::Distribution::uniform,
          .prices = model::loggp(machine)};
}

Request with_best_radices(const Request& asked, const model::Contest& contest,
                          std::int64_t block_bytes) {
  Request request = asked;
  if (asked.algorithm->shape == registry::Shape::node) return request;
  const choice::Choice choice =
      model::with_best_radices(asked, contest.layout, contest.load(block_bytes), contest.prices);
  const auto list = asked.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].kind == registry::Parameter::Kind::radix) request.values[i] = choice.values[i];
  return request;
}

std::int64_t compared_at(std::size_t block_bytes) {
  constexpr auto kLongest = static_cast<std::size_t>(kLongestBlock);
  return static_cast<std::int64_t>(std::bit_ceil(std::min(block_bytes, kLongest)));
}

Decisions predicted(const Place& place, const model::Machine& machine) {
  return {.alltoall = bands_of(Collective::alltoall, place, machine),
          .alltoallv = bands_of(Collective::alltoallv, place, machine)};
}

}  // namespace rondo::select
