#include "tune/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tune/choices.hpp"
#include "tune/race.hpp"

namespace rondo::bench {

namespace {

using choice::OpenChoice;
using registry::Collective;

/// From one length to the next. If the winners of two lengths differ, their geometric mean is tried too.
constexpr std::int64_t kStep = 4;
constexpr std::int64_t kShortestBlock = 16;
constexpr std::int64_t kLongestBlock = std::int64_t{1} << 18;

/// The most that all ranks of a node send together.
constexpr std::int64_t kMostNodeBytes = std::int64_t{1} << 28;

/// The winner of the previous length stays unless another is faster by more than this: a difference
/// within the noise of a trial is no reason for another band.
constexpr double kWorthAChange = 1.03;

/// Passes over all lengths, as far as the budget allows, each with memory of its own. A disturbance of
/// one pass, such as another program on a core, which two ranks then share, does not disturb all.
constexpr int kMostPasses = 3;

constexpr std::uint64_t kSeed = 1;

Call call_of(Collective collective) {
  return collective == Collective::alltoall ? Call::alltoall : Call::alltoallv;
}

/// Even and skewed loads if lengths differ.
std::vector<std::string_view> distributions(Collective collective) {
  if (collective == Collective::alltoall) return {"constant"};
  return {"uniform", "power:0.99"};
}

/// Three digits, or all digits of a whole number: a trial shows no more.
std::string figures(double microseconds) {
  return microseconds < 100 ? fmt::format("{:.3g}", microseconds)
                            : fmt::format("{:.0f}", microseconds);
}

}  // namespace

Tuning::Tuning(const Communicator& comm, const support::Cluster& cluster,
               const model::Machine& machine, double budget_seconds, Tell tell)
    : comm_(comm),
      cluster_(cluster),
      place_{.layout = cluster.layout, .has_node = true},
      machine_(machine),
      disturbance_(comm),
      start_(MPI_Wtime()),
      budget_seconds_(budget_seconds),
      tell_(std::move(tell)) {}

double Tuning::seconds_left() const {
  return budget_seconds_ - (MPI_Wtime() - start_);
}

double Tuning::seconds_for_one() const {
  return std::max(pass_ends_ - MPI_Wtime(), 0.0) / std::max(races_left_, 1.0);
}

std::int64_t Tuning::longest_block() const {
  const std::int64_t ranks = comm_.ranks();
  std::int64_t longest = kLongestBlock;
  while (longest > kShortestBlock && longest * ranks * cluster_.largest_node > kMostNodeBytes)
    longest /= kStep;
  return longest;
}

select::Decisions Tuning::run() {
  for (int left = kMostPasses;; --left) {
    const double start = MPI_Wtime();
    pass_ends_ = start + seconds_left() / left;
    select::Decisions decisions = pass();
    if (left == 1 || !has_seconds(MPI_Wtime() - start)) return decisions;
  }
}

bool Tuning::has_seconds(double seconds) const {
  bool has = seconds <= seconds_left();
  support::broadcast(comm_, has);
  return has;
}

select::Decisions Tuning::pass() {
  // The lengths of both collectives, and about two between them.
  const double lengths = 1 + std::log2(static_cast<double>(longest_block()) / kShortestBlock) / 2;
  races_left_ = 2 * (lengths + 2);
  entered_.clear();
  select::Decisions decisions;
  // The collective that most programs use comes last, when the time that is left is known.
  decisions.alltoall = tune(Collective::alltoall);
  decisions.alltoallv = tune(Collective::alltoallv);
  return decisions;
}

select::Bands Tuning::tune(Collective collective) {
  std::vector<Winner> winners;
  const auto race = [&](std::int64_t block_bytes) {
    const OpenChoice* const favourite = winners.empty() ? nullptr : &winners.back().choice;
    return winner_at(collective, block_bytes, favourite);
  };
  for (std::int64_t bytes = kShortestBlock; bytes <= longest_block(); bytes *= kStep) {
    Winner next = race(bytes);
    const bool differs = !winners.empty() && winners.back().choice.text() != next.choice.text();
    if (differs) winners.push_back(race(bytes / 2));
    winners.push_back(std::move(next));
  }
  select::Bands bands;
  for (const Winner& winner : winners) {
    if (!bands.empty() && bands.back().choice.text() == winner.choice.text()) continue;
    // The last length of the previous band is known; the band ends half way to this one.
    if (!bands.empty()) bands.back().up_to = winner.block_bytes * 3 / 4;
    bands.push_back({.up_to = select::kNoEnd, .choice = winner.choice, .reason = winner.reason});
  }
  return bands;
}

Tuning::Winner Tuning::winner_at(Collective collective, std::int64_t block_bytes,
                                 const OpenChoice* favourite) {
  race_at(collective, block_bytes);
  const auto& [results, disturbed] = results_[{collective, block_bytes}];
  const Result* best = &*std::ranges::min_element(results, {}, &Result::microseconds);
  for (const Result& result : results) {
    const bool is_favourite = favourite != nullptr && result.choice.text() == favourite->text();
    if (is_favourite && result.microseconds <= kWorthAChange * best->microseconds) best = &result;
  }
  const auto mpi = std::ranges::find(results, &registry::library_call(collective),
                                     [](const Result& result) { return result.choice.algorithm; });
  std::string reason =
      fmt::format("measured: {} us at S = {}", figures(best->microseconds), block_bytes);
  if (mpi != results.end() && &*mpi != best)
    reason += fmt::format(", the MPI library's own {}", figures(mpi->microseconds));
  if (!disturbed.empty()) reason += fmt::format("; disturbed: {}", disturbed);
  return {.block_bytes = static_cast<std::size_t>(block_bytes),
          .choice = best->choice,
          .reason = reason};
}

void Tuning::race_at(Collective collective, std::int64_t block_bytes) {
  const auto choices = choices_to_race(collective, place_, machine_, block_bytes);
  std::vector<const Contender*> contenders;
  for (const OpenChoice& open : choices) contenders.push_back(&contender(collective, open));
  std::deque<Exchange> exchanges;
  support::collectively(comm_, [&] {
    for (const std::string_view distribution : distributions(collective)) {
      const Draws draws{
          .ranks = comm_.ranks(), .seed = kSeed, .bytes = static_cast<std::size_t>(block_bytes)};
      const BlockLengths lengths(Distribution::parse(distribution), draws);
      exchanges.emplace_back(call_of(collective), Self{comm_.rank(), comm_.ranks()}, lengths, kSeed,
                             false);
    }
  });
  const auto announce = [&](const Contender& contender) {
    tell_(1 - std::max(seconds_left(), 0.0) / budget_seconds_,
          fmt::format("{}, S = {}: {}", registry::to_string(collective), block_bytes,
                      contender.asked().text));
  };
  const Scores scores = race(comm_, contenders, exchanges,
                             {.seconds = seconds_for_one(), .seed = kSeed, .announce = announce});
  --races_left_;
  std::vector<Result> found;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (scores[i]) found.push_back({choices[i], *scores[i]});
  add(results_[{collective, block_bytes}], support::disturbance_text(disturbance_.taken()), found);
}

void Tuning::add(Results& results, const std::string& disturbed, const std::vector<Result>& more) {
  if (!results.all.empty() && !disturbed.empty() && results.disturbed.empty()) return;
  if (disturbed.empty() && !results.disturbed.empty()) results.all.clear();
  results.disturbed = disturbed;
  for (const Result& result : more) {
    const auto earlier = std::ranges::find(results.all, result.choice.text(),
                                           [](const Result& one) { return one.choice.text(); });
    if (earlier == results.all.end())
      results.all.push_back(result);
    else
      earlier->microseconds = std::min(earlier->microseconds, result.microseconds);
  }
}

int Tuning::disturbed_lengths() const {
  return static_cast<int>(std::ranges::count_if(
      results_, [](const auto& entry) { return !entry.second.disturbed.empty(); }));
}

const Contender& Tuning::contender(Collective collective, const OpenChoice& open) {
  const std::string text = open.text();
  for (const Entered& entered : entered_)
    if (entered.collective == collective && entered.text == text) return entered.contender;
  const Asked asked{.text = text};
  return entered_
      .emplace_back(collective, text, Contender(comm_, call_of(collective), asked, cluster_.layout))
      .contender;
}

}  // namespace rondo::bench
