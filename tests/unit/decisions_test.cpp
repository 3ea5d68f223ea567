// Decisions as bands: which band holds for a length, which algorithms report lengths, and the text that
// rank 0 sends to the others.
#include "select/decisions.hpp"

#include <gtest/gtest.h>

#include <locale>

#include "profiles.hpp"
#include "select/decide.hpp"

namespace rondo::select {
namespace {

TEST(Bands, HoldUpToTheirEnds) {
  const Bands bands = sample_profile().layouts[0].decisions.alltoallv;
  const std::pair<std::size_t, std::size_t> rows[] = {{0, 0},    {1, 1},    {100, 1},   {101, 2},
                                                      {8192, 2}, {8193, 3}, {kNoEnd, 3}};
  for (const auto& [bytes, at] : rows) EXPECT_EQ(&band_of(bands, bytes), &bands[at]) << bytes;
}

TEST(Bands, TellWhereTheAlgorithmDoes) {
  EXPECT_TRUE(reports_longest(choice::parse(kVariable, "fused_bruck")));
  EXPECT_TRUE(reports_longest(choice::parse(kVariable, "node_aware")));
  EXPECT_FALSE(reports_longest(choice::parse(kVariable, "sloav")));
  EXPECT_FALSE(reports_longest(choice::parse(kVariable, "spread_out")));
}

TEST(Bands, TheNearestBelowThatTells) {
  const Bands bands = {band(kVariable, 10, "node_aware"), band(kVariable, 20, "fused_bruck"),
                       band(kVariable, 30, "sloav"), band(kVariable, kNoEnd, "spread_out")};
  EXPECT_EQ(&reporting_band_of(bands, 5), &bands[0]);
  EXPECT_EQ(&reporting_band_of(bands, 15), &bands[1]);
  EXPECT_EQ(&reporting_band_of(bands, 25), &bands[1]);
  EXPECT_EQ(&reporting_band_of(bands, 1000), &bands[1]);
}

TEST(Bands, WhereNoneBelowTellsTheNearestAboveDoes) {
  const Bands bands = {band(kVariable, 20, "sloav"), band(kVariable, 30, "spread_out"),
                       band(kVariable, 40, "fused_bruck"), band(kVariable, kNoEnd, "mpi")};
  EXPECT_EQ(&reporting_band_of(bands, 5), &bands[2]);
  EXPECT_EQ(&reporting_band_of(bands, 25), &bands[2]);
  EXPECT_EQ(&reporting_band_of(bands, 41), &bands[2]);
}

TEST(Bands, WhereNoneTellsItIsTheOwn) {
  const Bands bands = {band(kVariable, 20, "sloav"), band(kVariable, kNoEnd, "spread_out")};
  EXPECT_EQ(&reporting_band_of(bands, 5), &bands[0]);
  EXPECT_EQ(&reporting_band_of(bands, 25), &bands[1]);
}

TEST(Decisions, TravelAsText) {
  const Decisions decisions = sample_profile().layouts[0].decisions;
  const Decisions arrived = decisions_from(to_text(decisions));
  for (const auto collective : {kUniform, kVariable}) {
    const Bands& sent = decisions.of(collective);
    const Bands& bands = arrived.of(collective);
    ASSERT_EQ(bands.size(), sent.size());
    for (std::size_t i = 0; i < bands.size(); ++i) {
      EXPECT_EQ(bands[i].up_to, sent[i].up_to);
      EXPECT_EQ(bands[i].choice.text(), sent[i].choice.text());
      EXPECT_EQ(bands[i].reason, "") << "reasons stay with rank 0";
    }
  }
}

/// The numbers of a program with grouped digits.
class Grouped : public std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Decisions, TravelWhateverTheLocale) {
  const Decisions decisions = sample_profile().layouts[0].decisions;
  const std::string plain = to_text(decisions);
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouped));
  const std::string grouped = to_text(decisions);
  const std::string again = to_text(decisions_from(grouped));
  std::locale::global(before);
  EXPECT_EQ(grouped, plain);
  EXPECT_EQ(again, plain);
}

TEST(Decide, TakesWhatWasMeasuredWhereMemoryIsShared) {
  const Profile profile = sample_profile();
  const Measured& measured = profile.layouts[0];
  const Place there{.layout = measured.layout, .has_node = true};
  EXPECT_EQ(measured_at(there, &profile), &measured);
  EXPECT_EQ(to_text(decide(there, &profile)), to_text(measured.decisions));
  for (const Place& place :
       {Place{.layout = measured.layout, .has_node = false},
        Place{.layout = {.ranks = 32, .nodes = 2, .per_node = 16}, .has_node = true}}) {
    EXPECT_EQ(measured_at(place, &profile), nullptr);
    EXPECT_EQ(to_text(decide(place, &profile)), to_text(predicted(place, profile.machine)));
  }
  EXPECT_EQ(measured_at(there, nullptr), nullptr);
  EXPECT_EQ(to_text(decide(there, nullptr)), to_text(predicted(there, model::typical_cluster())));
}

/// The model is asked for some of them only.
TEST(Predicted, TakesTheFastestAtEveryPowerOfTwo) {
  model::Machine slow_copies = model::typical_cluster();
  slow_copies.host.copy_seconds_per_byte *= 20;
  for (const model::Machine& machine : {model::typical_cluster(), slow_copies})
    for (const choice::Layout& layout : {choice::Layout{.ranks = 1, .nodes = 1, .per_node = 1},
                                         {2, 1, 2},
                                         {7, 1, 7},
                                         {32, 1, 32},
                                         {2, 2, 1},
                                         {16, 16, 1},
                                         {61, 61, 1},
                                         {8, 4, 2},
                                         {32, 4, 8},
                                         {96, 3, 32},
                                         {256, 16, 16}})
      for (const bool has_node : {true, false}) {
        const Place place{.layout = layout, .has_node = has_node};
        const Decisions decisions = predicted(place, machine);
        for (const auto collective : {kUniform, kVariable})
          for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2)
            EXPECT_EQ(
                band_of(decisions.of(collective), static_cast<std::size_t>(bytes)).choice.text(),
                ranked(registry::Chooser::automatic, collective, place, machine, bytes)
                    .front()
                    .choice.text())
                << layout.ranks << " ranks, " << layout.nodes << " nodes, S = " << bytes;
      }
}

}  // namespace
}  // namespace rondo::select
