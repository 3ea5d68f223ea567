// What was learned, as bands of decisions and as moves.
#include "select/learned.hpp"

#include <gtest/gtest.h>

#include "profiles.hpp"

namespace rondo::select {
namespace {

constexpr choice::Layout kEight{.ranks = 8, .nodes = 1, .per_node = 8};

struct LearnedRow {
  const char* name;
  Bands decided;
  std::vector<LearnedBand> learned;
  Bands expected;
};

LearnedBand learned(std::size_t from, std::size_t up_to, const char* name,
                    const char* reason = "learned") {
  return {.from = from, .band = band(kVariable, up_to, name, reason)};
}

Bands bands(std::initializer_list<std::pair<std::size_t, const char*>> rows) {
  Bands all;
  for (const auto& [up_to, name] : rows) all.push_back(band(kVariable, up_to, name));
  return all;
}

const LearnedRow kLearnedRows[] = {
    {"nothing",
     bands({{63, "node_aware"}, {kNoEnd, "mpi"}}),
     {},
     bands({{63, "node_aware"}, {kNoEnd, "mpi"}})},
    {"the beginning",
     bands({{kNoEnd, "mpi"}}),
     {learned(0, 127, "node_aware")},
     bands({{127, "node_aware"}, {kNoEnd, "mpi"}})},
    {"the middle",
     bands({{kNoEnd, "mpi"}}),
     {learned(128, 511, "node_aware")},
     bands({{127, "mpi"}, {511, "node_aware"}, {kNoEnd, "mpi"}})},
    {"the end",
     bands({{kNoEnd, "mpi"}}),
     {learned(8388608, kNoEnd, "spread_out")},
     bands({{8388607, "mpi"}, {kNoEnd, "spread_out"}})},
    {"all lengths",
     bands({{kNoEnd, "mpi"}}),
     {learned(0, kNoEnd, "spread_out")},
     bands({{kNoEnd, "spread_out"}})},
    {"exactly a band",
     bands({{63, "sloav"}, {127, "mpi"}, {kNoEnd, "spread_out"}}),
     {learned(64, 127, "node_aware")},
     bands({{63, "sloav"}, {127, "node_aware"}, {kNoEnd, "spread_out"}})},
    {"both sides of an end, in any order",
     bands({{100, "mpi"}, {kNoEnd, "spread_out"}}),
     {learned(101, 127, "sloav"), learned(64, 100, "node_aware")},
     bands({{63, "mpi"}, {100, "node_aware"}, {127, "sloav"}, {kNoEnd, "spread_out"}})},
    {"the same on both sides of an end",
     bands({{100, "mpi"}, {kNoEnd, "spread_out"}}),
     {learned(64, 100, "node_aware"), learned(101, 127, "node_aware")},
     bands({{63, "mpi"}, {127, "node_aware"}, {kNoEnd, "spread_out"}})},
    {"what the band above has",
     bands({{63, "mpi"}, {kNoEnd, "spread_out"}}),
     {learned(32, 63, "spread_out")},
     bands({{31, "mpi"}, {kNoEnd, "spread_out"}})},
    {"what the band below has",
     bands({{63, "mpi"}, {kNoEnd, "spread_out"}}),
     {learned(64, 127, "mpi")},
     bands({{127, "mpi"}, {kNoEnd, "spread_out"}})},
    {"a default that is written out",
     bands({{63, "fused_bruck"}, {kNoEnd, "mpi"}}),
     {learned(64, 127,
              choice::resolve(choice::parse(kVariable, "fused_bruck"), kEight).text().c_str())},
     bands({{127, "fused_bruck"}, {kNoEnd, "mpi"}})},
    {"other parameters",
     bands({{63, "fused_bruck:radix=2"}, {kNoEnd, "mpi"}}),
     {learned(64, 127, "fused_bruck:radix=8")},
     bands({{63, "fused_bruck:radix=2"}, {127, "fused_bruck:radix=8"}, {kNoEnd, "mpi"}})},
};

TEST(Learned, TakesThePlaceOfDecisions) {
  for (const LearnedRow& row : kLearnedRows) {
    const Bands found = with_learned(row.decided, row.learned, kEight);
    EXPECT_EQ(to_text({.alltoall = {}, .alltoallv = found}),
              to_text({.alltoall = {}, .alltoallv = row.expected}))
        << row.name;
  }
}

/// The choice for every length is what was learned there, and else what was decided.
TEST(Learned, ChangesNoOtherLength) {
  for (const LearnedRow& row : kLearnedRows) {
    const Bands found = with_learned(row.decided, row.learned, kEight);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{63}, std::size_t{64},
          std::size_t{100}, std::size_t{101}, std::size_t{127}, std::size_t{128}, std::size_t{511},
          std::size_t{512}, std::size_t{8388608}, kNoEnd}) {
      const Band* expected = &band_of(row.decided, bytes);
      for (const LearnedBand& one : row.learned)
        if (one.from <= bytes && bytes <= one.band.up_to) expected = &one.band;
      EXPECT_EQ(choice::resolve(band_of(found, bytes).choice, kEight),
                choice::resolve(expected->choice, kEight))
          << row.name << ", " << bytes;
    }
  }
}

TEST(Learned, KeepsReasons) {
  const Bands decided = {band(kVariable, 63, "sloav", "measured"),
                         band(kVariable, kNoEnd, "mpi", "predicted")};
  const std::vector<LearnedBand> both = {learned(64, 127, "node_aware", "learned first"),
                                         learned(128, 511, "node_aware", "learned second")};
  const Bands found = with_learned(decided, both, kEight);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].reason, "measured");
  EXPECT_EQ(found[1].reason, "learned first");
  EXPECT_EQ(found[2].reason, "predicted");
}

Move move(std::size_t from, std::uint64_t calls, double saved) {
  return {.exchange = "alltoallv",
          .ranks = 8,
          .from = from,
          .up_to = 127,
          .before = "mpi",
          .after = "node_aware:inter=direct",
          .calls = calls,
          .saved_nanoseconds = saved};
}

TEST(Moves, OfManyCommunicatorsAreOne) {
  Moves moves;
  moves.add(move(64, 124, 1.5e9));
  moves.add(move(0, 200, 7));
  moves.add(move(64, 130, -0.5e9));
  moves.add(move(64, 110, 0));
  ASSERT_EQ(moves.all().size(), 2U);
  EXPECT_EQ(moves.all()[0].calls, 130U);
  EXPECT_EQ(moves.all()[0].saved_nanoseconds, 1e9);
  EXPECT_EQ(moves.all()[1].calls, 200U);
}

TEST(Moves, TravelAsText) {
  const std::vector<Move> sent = {move(64, 124, 1.25e17), move(0, 1, -0.1)};
  EXPECT_EQ(moves_from(to_text(sent)), sent);
  EXPECT_EQ(moves_from(""), std::vector<Move>());
}

TEST(Moves, AreReportedByLength) {
  const std::string head = "learned: alltoallv on 8 ranks";
  const std::string tail =
      ": from mpi to node_aware:inter=direct after 124 calls, 0.125000 s saved per rank";
  Move one = move(64, 124, 2e9);
  EXPECT_EQ(report_line(one, 16), head + ", blocks of 64 to 127 bytes" + tail);
  one.from = 0;
  EXPECT_EQ(report_line(one, 16), head + ", blocks of up to 127 bytes" + tail);
  one.up_to = kNoEnd;
  EXPECT_EQ(report_line(one, 16), head + tail);
  one.from = 8388608;
  EXPECT_EQ(report_line(one, 16), head + ", blocks of 8388608 bytes or more" + tail);
}

}  // namespace
}  // namespace rondo::select
