#include "select/decide.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"

namespace rondo::select {

namespace {

using registry::Collective;

/// Longer blocks go straight on every machine.
constexpr std::int64_t kLongestBlock = std::int64_t{1} << 20;

std::string reason_of(const model::Prediction& first, const model::Prediction& second) {
  return text("predicted: ", model::why_faster(first, second), " (", second.choice.algorithm->name,
              ")");
}

/// Why the first is the fastest: compared with the next algorithm, not with the same one with other
/// parameters.
std::string reason_of(const std::vector<PredictedChoice>& found) {
  const model::Prediction& first = found.front().prediction;
  const auto other = std::ranges::find_if(found, [&](const PredictedChoice& one) {
    return one.prediction.choice.algorithm != first.choice.algorithm;
  });
  if (other == found.end()) return "no other algorithm applies";
  return reason_of(first, other->prediction);
}

/// What the model finds at a power of two.
struct Found {
  std::int64_t bytes;
  choice::OpenChoice fastest;
  std::string reason;
};

/// Compares at 1, 16, 256, ..., and between two of these where the fastest differ: a comparison takes microseconds, and a
/// program waits for it in a call. A change and its reversal between two of these are not found.
class Comparisons {
 public:
  Comparisons(Collective collective, const Place& place, const model::Machine& machine)
      : collective_(collective), place_(place), machine_(machine) {
    constexpr std::int64_t kStep = 16;
    static_assert(kLongestBlock == kStep * kStep * kStep * kStep * kStep);
    found_.push_back(found_at(1));
    for (std::int64_t bytes = kStep; bytes <= kLongestBlock; bytes *= kStep) {
      const std::int64_t before = found_.back().bytes;
      add_between(before, found_at(bytes));
    }
  }

  /// In ascending order. Where a band begins, the power of two below is there, too.
  const std::vector<Found>& found() const { return found_; }

 private:
  Found found_at(std::int64_t bytes) const {
    const auto all = ranked(registry::Chooser::automatic, collective_, place_, machine_, bytes);
    return {bytes, all.front().choice, reason_of(all)};
  }

  /// Adds `last`, and what is needed between it and `before`, which is the last one so far.
  void add_between(std::int64_t before, Found last) {
    if (2 * before < last.bytes && !same(found_.back(), last)) {
      std::int64_t middle = before;
      for (std::int64_t end = last.bytes; middle * 2 < end; end /= 2) middle *= 2;
      add_between(before, found_at(middle));
      add_between(middle, std::move(last));
      return;
    }
    found_.push_back(std::move(last));
  }

  static bool same(const Found& one, const Found& other) {
    return one.fastest.text() == other.fastest.text();
  }

  Collective collective_;
  const Place& place_;
  const model::Machine& machine_;
  std::vector<Found> found_;
};

Bands bands_of(Collective collective, const Place& place, const model::Machine& machine) {
  const Comparisons comparisons(collective, place, machine);
  Bands bands;
  for (const Found& one : comparisons.found()) {
    if (bands.empty() || bands.back().choice.text() != one.fastest.text())
      bands.push_back({.choice = one.fastest, .reason = one.reason});
    bands.back().up_to = static_cast<std::size_t>(one.bytes);
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

/// An algorithm with its defaults.
choice::Choice default_of(Collective collective, std::string_view name,
                          const choice::Layout& layout) {
  return choice::resolve({.algorithm = registry::find(collective, name)}, layout);
}

/// On several nodes, fused_bruck was measured to be faster than node_aware with 4 and 8 nodes of 2 ranks. It
/// was not faster with 4 nodes of 4 ranks or with 16 nodes of 2.
constexpr int kVeryFewRanks = 8;
constexpr int kVeryFewRanksInPairs = 16;

/// On several nodes, node_aware handles all P blocks of a rank and sends N - 1 messages a node, even if most
/// are empty. It was simulated with 4 partners on theta, slingshot and ethernet-cluster, with 2, 8
/// and 32 ranks a node. On average node_aware is faster up to 1024 ranks, and nbx from 2048 ranks.
constexpr int kManyRanks = 1024;

/// Few ranks exchange with all others. That takes fewer messages one after another than an agreement on who
/// sends.
constexpr int kFewRanks = 32;

struct SparseRule {
  std::string_view name;
  std::string_view reason;
};

SparseRule rule_for(const Place& place) {
  constexpr SparseRule kInNodes{"node_aware", "a fixed rule: ranks of a node share memory"};
  const choice::Layout& layout = place.layout;
  const bool has_neighbours =
      applicable(*registry::find(Collective::sparse_alltoallv, kInNodes.name), place);
  if (has_neighbours && layout.real_nodes() == 1) return kInNodes;
  const bool has_pairs = layout.ranks <= 2 * layout.real_nodes();
  const int very_few = has_pairs ? kVeryFewRanksInPairs : kVeryFewRanks;
  if (has_neighbours && layout.ranks > very_few && layout.ranks <= kManyRanks) return kInNodes;
  if (layout.ranks <= kFewRanks)
    return {"fused_bruck", "a fixed rule: a message to all in few rounds"};
  return {"nbx", "simulated: no message where nothing is sent"};
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

choice::OpenChoice reporting(const Bands& bands, const Place& place, const Profile* profile) {
  for (const Band& band : bands)
    if (reports_longest(band.choice)) return band.choice;
  Place without_node = place;
  without_node.has_node = false;
  for (const PredictedChoice& one : ranked(registry::Chooser::automatic, Collective::alltoallv,
                                           without_node, machine_of(profile), kLongestBlock))
    if (reports_longest(one.choice)) return one.choice;
  return first_reporting();
}

Decision decide_on_edges(const Place& place, const EdgeLoad& load, const model::Machine& machine) {
  constexpr Collective kOnEdges = Collective::neighbor_alltoallv;
  const choice::Choice straight =
      default_of(kOnEdges, place.may_forward ? "mpi" : "spread_out", place.layout);
  const choice::Choice nodes = default_of(kOnEdges, "node_aware", place.layout);
  if (!applicable(*nodes.algorithm, place)) return {straight, "no other algorithm applies"};
  const model::Prices prices = model::loggp(machine);
  const auto predict = [&](const choice::Choice& choice) {
    const model::Work work = work_on_edges(choice, place.layout, load);
    return model::Prediction{choice, work, model::price(work, place.layout, prices)};
  };
  model::Prediction first = predict(straight);
  model::Prediction second = predict(nodes);
  if (second.cost.total() < first.cost.total()) std::swap(first, second);
  return {first.choice, reason_of(first, second)};
}

Decision decide_sparse(const Place& place) {
  const SparseRule rule = rule_for(place);
  return {default_of(Collective::sparse_alltoallv, rule.name, place.layout),
          std::string(rule.reason)};
}

}  // namespace rondo::select
