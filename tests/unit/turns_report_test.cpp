// What `--ab` prints, from known numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "interpose/ab/report.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// So many pairs of 2 seconds of the library's and 1 of Rondo's, on so many ranks.
Compared compared(api::Form form, std::int64_t ranks, std::size_t pairs) {
  return {.form = form,
          .ranks = ranks,
          .seed = 3,
          .calls = static_cast<std::int64_t>(pairs) * kPairCalls,
          .pairs = std::vector<Pair>(pairs, Pair{2, 1})};
}

TEST(TurnsReport, SecondsAreThoseOfEitherArm) {
  const std::string report =
      report_text({.ranks = 4, .wall_seconds = 100, .exchange_seconds = 40},
                  {compared(api::Form::alltoall, 4, 6), compared(api::Form::alltoallv, 4, 4)});
  EXPECT_TRUE(has(report, "RONDO_AB_SEED=3\n")) << report;
  EXPECT_TRUE(has(report, "      48    12.000000     6.000000    2.000  2.000 .. 2.000\n"))
      << report;
  EXPECT_TRUE(has(report, "      32     8.000000     4.000000    2.000  too few pairs\n"))
      << report;
  EXPECT_TRUE(has(report, "      80    20.000000    10.000000    2.000  2.000 .. 2.000\n"))
      << report;
  EXPECT_TRUE(has(report, "an interval takes 5 pairs")) << report;
  EXPECT_FALSE(has(report, "left out")) << report;
}

TEST(TurnsReport, TheRunIsThatOfTheAverageRank) {
  // 10 pairs cost the library 10 seconds more: on half of the ranks, 5 on average over all.
  const WholeRun run{.ranks = 8, .wall_seconds = 100, .exchange_seconds = 40};
  const std::string report = report_text(run, {compared(api::Form::alltoall, 4, 10)});
  EXPECT_TRUE(has(report, "took 100.000 s until MPI_Finalize, 40.000 s of it (40 %)")) << report;
  EXPECT_TRUE(has(report, "95.000 s with Rondo alone and 105.000 s with the MPI")) << report;
}

TEST(TurnsReport, CallsWithoutAPairCountForTheRun) {
  // As many calls again, whose durations nobody kept.
  Compared half_kept = compared(api::Form::alltoall, 8, 10);
  half_kept.calls *= 2;
  const WholeRun run{.ranks = 8, .wall_seconds = 100, .exchange_seconds = 40};
  const std::string report = report_text(run, {half_kept});
  EXPECT_TRUE(has(report, "left out: 160 calls")) << report;
  EXPECT_TRUE(has(report, "80.000 s with Rondo alone and 120.000 s with the MPI")) << report;
}

TEST(TurnsReport, NothingIsMadeUp) {
  const WholeRun run{.ranks = 2, .wall_seconds = 1, .exchange_seconds = 0};
  for (const auto& all : {std::vector<Compared>{}, {compared(api::Form::alltoallw, 2, 0)}}) {
    const std::string report = report_text(run, all);
    EXPECT_TRUE(report.starts_with("rondo: nothing is compared")) << report;
    EXPECT_EQ(std::ranges::count(report, '\n'), 1) << report;
  }
  const WholeRun timeless{
      .ranks = 2, .wall_seconds = std::numeric_limits<double>::quiet_NaN(), .exchange_seconds = 1};
  EXPECT_FALSE(has(report_text(timeless, {compared(api::Form::alltoall, 2, 5)}), "the run"));
}

TEST(TurnsReport, SeveralSeedsAreNotGivenAsOne) {
  Compared other = compared(api::Form::alltoall, 2, 5);
  other.seed = 4;
  const WholeRun run{.ranks = 2, .wall_seconds = 1, .exchange_seconds = 0};
  const std::string report = report_text(run, {compared(api::Form::alltoall, 2, 5), other});
  EXPECT_FALSE(has(report, "RONDO_AB_SEED=")) << report;
  EXPECT_TRUE(has(report, "each communicator's rank 0")) << report;
}

}  // namespace
}  // namespace rondo::interpose::ab
