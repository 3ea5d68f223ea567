// The rule by which `auto` learns, on times of simulated ranks and on recorded ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>

#include "learning_program.hpp"
#include "prices.hpp"
#include "seed.hpp"
#include "simulate/exchange.hpp"

namespace rondo::select {
namespace {

/// What calls take, in nanoseconds, by choice. Those at the same place were taken under the same conditions.
using Recording = std::vector<std::vector<std::int64_t>>;

std::int64_t sum(const std::vector<std::int64_t>& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

/// Calls of blocks of the recording, drawn with replacement. Returns the time of all calls, over that of as many calls
/// of the choice whose mean is the least.
double run(Learning& learning, const Recording& recording, std::uint64_t calls,
           std::uint64_t seed) {
  constexpr std::size_t kBlock = 8;
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> totals(recording.size());
  std::int64_t total = 0;
  std::size_t place = 0;
  std::uint64_t call = 0;
  while (call < calls) {
    const Learning::Turn turn = learning.next();
    for (std::uint64_t i = 0; i < turn.calls; ++i, ++call) {
      if (call % kBlock == 0) place = random() % recording[0].size();
      for (std::size_t c = 0; c < recording.size(); ++c) totals[c] += recording[c][place];
      const std::int64_t time = recording[turn.choice][place];
      total += time;
      if (turn.is_timed) learning.record(time);
      place = (place + 1) % recording[0].size();
    }
    if (!learning.is_trial_over()) continue;
    // An agreement as long as the shortest call.
    const std::int64_t agreement = std::ranges::min(recording[0]);
    total += agreement;
    learning.record_agreement(agreement);
    learning.learn();
  }
  return static_cast<double>(total) / static_cast<double>(std::ranges::min(totals));
}

std::size_t fastest(const Recording& recording) {
  return static_cast<std::size_t>(std::ranges::min_element(recording, {}, sum) - recording.begin());
}

struct Simulated {
  const char* name;
  double bytes;
};

void PrintTo(const Simulated& row, std::ostream* out) {
  *out << row.name;
}

class SimulatedTimes : public ::testing::TestWithParam<Simulated> {};

TEST_P(SimulatedTimes, OfAThousandRanksLetTheFastestWin) {
  constexpr int kCalls = 4;
  const choice::Layout layout{.ranks = 1000, .nodes = 40, .per_node = 25};
  simulate::Machine machine = simulate::from_model(model::typical_cluster());
  machine.waiting.noise_seconds = 1e-6;
  Recording recording;
  for (const char* name : {"spread_out", "pairwise", "tunable_bruck", "node_aware"}) {
    std::vector<std::int64_t>& times = recording.emplace_back();
    for (std::uint64_t seed = 0; seed < kCalls; ++seed)
      times.push_back(static_cast<std::int64_t>(
          1e9 * layout.ranks *
          simulate::simulate({.choice = model::chosen(model::kAlltoall, name, layout),
                              .layout = layout,
                              .load = {.block_bytes = GetParam().bytes,
                                       .distribution = simulate::Distribution::parse("constant")},
                              .seed = seed},
                             machine)
              .seconds));
  }
  const std::uint64_t seed = test::seed();
  Learning learning(recording.size(), seed);
  run(learning, recording, 5000, seed);
  const double ratio = static_cast<double>(sum(recording[learning.best()])) /
                       static_cast<double>(sum(recording[fastest(recording)]));
  EXPECT_LE(ratio, 1.03) << learning.best();
}

INSTANTIATE_TEST_SUITE_P(Learning, SimulatedTimes,
                         ::testing::Values(Simulated{"short", 16}, Simulated{"middle", 1024},
                                           Simulated{"long", 32768}));

struct Recorded {
  int ranks;
  int bytes;
  double regret;  ///< at most, besides what the first choice costs until it is left
};

void PrintTo(const Recorded& row, std::ostream* out) {
  *out << row.ranks << " ranks " << row.bytes << " bytes";
}

class RecordedTimes : public ::testing::TestWithParam<Recorded> {
 protected:
  Recording recording() const {
    Recording all;
#define RONDO_RECORDED(ranks_of, bytes_of, algorithm, ...) \
  if (ranks_of == GetParam().ranks && bytes_of == GetParam().bytes) all.push_back({__VA_ARGS__});
#include "data/recorded_times.def"
#undef RONDO_RECORDED
    return all;
  }
};

/// Whichever is the first choice.
TEST_P(RecordedTimes, LoseLittleAgainstTheBestChoice) {
  Recording recording = this->recording();
  ASSERT_EQ(recording.size(), 3U);
  const std::uint64_t first = test::seed();
  for (std::size_t turn = 0; turn < recording.size(); ++turn) {
    double ratio = 0;
    for (std::uint64_t seed = first; seed < first + 20; ++seed) {
      Learning learning(recording.size(), seed);
      ratio += run(learning, recording, 10000, seed) / 20;
    }
    const double first_ratio = static_cast<double>(sum(recording[0])) /
                               static_cast<double>(sum(recording[fastest(recording)]));
    EXPECT_LE(ratio - 1, GetParam().regret + 0.02 * (first_ratio - 1)) << turn;
    std::ranges::rotate(recording, recording.begin() + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Learning, RecordedTimes,
                         ::testing::Values(Recorded{2, 64, 0.1}, Recorded{8, 64, 0.05},
                                           Recorded{8, 65536, 0.05},
                                           // One call in 32 takes node_aware four times as long,
                                           // otherwise it is the fastest.
                                           Recorded{2, 65536, 0.1}));

}  // namespace
}  // namespace rondo::select
