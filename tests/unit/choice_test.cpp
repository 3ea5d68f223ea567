// From the text of a choice to values, to a schedule, and back to text.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "choice/choice.hpp"
#include "closed_form.hpp"
#include "communicator/last_choice.hpp"
#include "model/work.hpp"
#include "refusal.hpp"
#include "schedule/check.hpp"

namespace rondo::choice {
namespace {

using namespace registry;  // NOLINT: the tables are tested with what reads them

constexpr auto kAlltoall = Collective::alltoall;
constexpr auto kAlltoallv = Collective::alltoallv;

const Layout kLayouts[] = {{1, 1, 1},  {2, 1, 2},   {2, 2, 1},   {7, 1, 7},
                           {12, 3, 4}, {13, 13, 1}, {64, 4, 16}, {100, 10, 10}};

std::string print(const Layout& layout) {
  return text("P=", layout.ranks, " N=", layout.nodes, " Q=", layout.per_node);
}

TEST(Registry, NamesAreFoundInTheirCollectiveOnly) {
  std::set<std::pair<Collective, std::string_view>> seen;
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_TRUE(seen.emplace(algorithm.collective, algorithm.name).second) << algorithm.name;
    EXPECT_EQ(find(algorithm.collective, algorithm.name), &algorithm);
  }
  for (const Algorithm& algorithm : gpu_algorithms()) {
    EXPECT_TRUE(seen.emplace(algorithm.collective, algorithm.name).second) << algorithm.name;
    EXPECT_EQ(find(Collective::gpu, algorithm.name), &algorithm);
  }
  EXPECT_EQ(find(kAlltoall, "direct"), nullptr);
  EXPECT_EQ(find(Collective::gpu, "basic_bruck"), nullptr);
  EXPECT_EQ(find(kAlltoall, "fused_bruck"), nullptr);
  EXPECT_EQ(find(kAlltoallv, "basic_bruck"), nullptr);
  EXPECT_EQ(find(kAlltoall, ""), nullptr);
}

struct GoodText {
  Collective collective;
  const char* given;
  const char* printed;
};

TEST(Parse, GoodTextsArePrintedInTheOrderOfTheTable) {
  const GoodText rows[] = {
      {kAlltoall, "mpi", "mpi"},
      {kAlltoall, "basic_bruck", "basic_bruck"},
      {kAlltoall, "tunable_bruck", "tunable_bruck"},
      {kAlltoall, "tunable_bruck:radix=4", "tunable_bruck:radix=4"},
      {kAlltoall, "tunable_bruck:radix=2:ports=1", "tunable_bruck:radix=2:ports=1"},
      {kAlltoall, "tunable_bruck:ports=3:radix=8", "tunable_bruck:radix=8:ports=3"},
      {kAlltoall, "tunable_bruck:radix=0016", "tunable_bruck:radix=16"},
      {kAlltoall, "spread_out:window=32", "spread_out:window=32"},
      {kAlltoall, "two_layer_bruck:inter=8:intra=4", "two_layer_bruck:intra=4:inter=8"},
      {Collective::gpu, "nccl_bruck:radix=4", "nccl_bruck:radix=4"},
      {Collective::gpu, "direct:blocks=4", "direct:blocks=4"},
      {Collective::gpu, "mpi_staged:inner=basic_bruck", "mpi_staged:inner=basic_bruck"},
      {Collective::gpu, "mpi_staged:inner=two_phase_bruck", "mpi_staged:inner=two_phase_bruck"},
      {kAlltoallv, "fused_bruck:radix=2147483647", "fused_bruck:radix=2147483647"},
      {kAlltoallv, "fused_bruck:threshold=8KiB", "fused_bruck:threshold=8192"},
  };
  for (const GoodText& row : rows) {
    SCOPED_TRACE(row.given);
    const OpenChoice request = parse(row.collective, row.given);
    EXPECT_EQ(request.text(), row.printed);
    EXPECT_EQ(parse(row.collective, request.text()).values, request.values);
  }
}

struct BadText {
  const char* given;
  const char* said;
};

TEST(Parse, BadTextsAreRefusedWithTheReason) {
  const BadText rows[] = {
      {"", "no alltoallv algorithm ''; there are: mpi, spread_out"},
      {"fast", "no alltoallv algorithm 'fast'; there are: mpi, spread_out"},
      {"fuzed_bruk",
       "no alltoallv algorithm 'fuzed_bruk' (did you mean fused_bruck?); there are: mpi"},
      {"basic_bruck", "no alltoallv algorithm 'basic_bruck'"},
      {"Fused_Bruck",
       "no alltoallv algorithm 'Fused_Bruck' (did you mean fused_bruck?); there are"},
      {" fused_bruck", "no alltoallv algorithm ' fused_bruck'"},
      {":radix=4", "no alltoallv algorithm ''"},
      {"fused_bruck:", "fused_bruck has no parameter ''; it has: radix, ports"},
      {"fused_bruck:radix=4:", "fused_bruck has no parameter ''"},
      {"fused_bruck::radix=4", "fused_bruck has no parameter ''"},
      {"fused_bruck:window=4", "fused_bruck has no parameter 'window'"},
      {"fused_bruck:=4", "fused_bruck has no parameter ''"},
      {"mpi:radix=4", "mpi has no parameter 'radix'; it has: none"},
      {"fused_bruck:radix", "radix needs a value, as in radix=4"},
      {"fused_bruck:radix=", "radix is '', not a whole number"},
      {"fused_bruck:radix=x", "radix is 'x', not a whole number"},
      {"fused_bruck:radix=4x", "radix is '4x', not a whole number"},
      {"fused_bruck:radix= 4", "radix is ' 4', not a whole number"},
      {"fused_bruck:radix=+4", "radix is '+4', not a whole number"},
      {"fused_bruck:radix=4.5", "radix is '4.5', not a whole number"},
      {"fused_bruck:radix==4", "radix is '=4', not a whole number"},
      {"fused_bruck:radix=1", "radix is 1, must be in 2..2147483647"},
      {"fused_bruck:radix=0", "radix is 0, must be in 2..2147483647"},
      {"fused_bruck:radix=-3", "radix is -3, must be in 2..2147483647"},
      {"fused_bruck:ports=0", "ports is 0, must be in 1..2147483647"},
      {"fused_bruck:radix=1k", "radix is '1k', not a whole number"},
      {"fused_bruck:threshold=1q", "threshold is '1q', not a whole number"},
      {"fused_bruck:threshold=-1", "threshold is -1, must be 0 or more, or off"},
      {"node_aware:inter=tree", "inter is 'tree', must be direct or bruck"},
      {"node_aware:parts=0", "parts is 0, must be in 1..2147483647"},
      {"fused_bruck:radix=9223372036854775808", "radix is 9223372036854775808, must be in 2.."},
      {"fused_bruck:radix=4:radix=4", "fused_bruck: radix is given twice"},
      {"fused_bruck:radix=4:ports=2:radix=8", "fused_bruck: radix is given twice"},
  };
  for (const BadText& row : rows)
    EXPECT_TRUE(test::says(test::refusal([&] { parse(kAlltoallv, row.given); }), row.said))
        << row.given;
}

/// The bounds of each parameter of each algorithm are accepted, and values past them are refused.
TEST(Parse, EveryParameterHasItsRange) {
  for (const std::span<const Algorithm> table : {algorithms(), gpu_algorithms()})
    for (const Algorithm& algorithm : table)
      for (const Parameter& parameter : algorithm.parameters.list()) {
        if (parameter.kind == Parameter::Kind::between || parameter.kind == Parameter::Kind::inner)
          continue;
        const std::string name = text(algorithm.name, ":", parameter.name, "=");
        SCOPED_TRACE(name);
        const auto parsed = [&](const auto& value) {
          return parse(algorithm.collective, text(name, value)).text();
        };
        EXPECT_EQ(parsed(parameter.least), text(name, value_text(parameter, parameter.least)));
        EXPECT_EQ(parsed(parameter.most), text(name, value_text(parameter, parameter.most)));
        const std::string range = text(", must be ", range_text(parameter));
        std::vector<std::string> refused = {"9223372036854775808", "-9223372036854775809"};
        refused.push_back(std::to_string(parameter.least - 1));
        if (parameter.most != kUnbounded)
          refused.insert(refused.end(), {"2147483648", "4294967296"});
        for (const std::string& value : refused)
          EXPECT_EQ(test::refusal([&] { parsed(value); }),
                    text(algorithm.name, ": ", parameter.name, " is ", value, range));
      }
}

TEST(Keys, ParametersOfAnAlgorithmDifferInNameAndKey) {
  for (const std::span<const Algorithm> table : {algorithms(), gpu_algorithms()})
    for (const Algorithm& algorithm : table) {
      std::set<Key> keys;
      std::set<std::string_view> names;
      for (const Parameter& parameter : algorithm.parameters.list()) {
        EXPECT_TRUE(keys.insert(parameter.key).second) << algorithm.name << " " << parameter.name;
        EXPECT_TRUE(names.insert(parameter.name).second) << algorithm.name << " " << parameter.name;
      }
    }
}

/// select::variants() makes requests from these values.
TEST(Keys, ValuesWorthTryingAreAcceptedAndStandBehindWhatTheyNeed) {
  for (const Algorithm& algorithm : algorithms()) {
    std::set<Key> before;
    for (const Parameter& parameter : algorithm.parameters.list()) {
      SCOPED_TRACE(text(algorithm.name, " ", parameter.name));
      EXPECT_TRUE(parameter.needs != Needs::bruck_between_nodes || before.contains(Key::between));
      before.insert(parameter.key);
      for (const Layout& layout : kLayouts)
        for (const Value& value : parameter.worth_trying.list()) {
          EXPECT_GE(value_on(value, layout), parameter.least);
          EXPECT_LE(value_on(value, layout), parameter.most);
        }
    }
  }
}

/// Two parameters are called "inter" and two "radix": each key finds only its own.
TEST(Keys, FindTheirOwnParameter) {
  const Layout layout{64, 4, 16};
  const Choice layers = resolve(parse(kAlltoall, "two_layer_bruck:inter=3"), layout);
  EXPECT_EQ(layers.value(Key::inter_radix, -1), 3);
  EXPECT_EQ(layers.value(Key::between, -1), -1);
  const Choice nodes = resolve(parse(kAlltoall, "node_aware:inter=bruck:radix=3"), layout);
  EXPECT_EQ(nodes.value(Key::between, -1), 1);
  EXPECT_EQ(nodes.value(Key::node_radix, -1), 3);
  EXPECT_EQ(nodes.value(Key::radix, -1), -1);
  EXPECT_EQ(nodes.threshold(), 16384u);
  EXPECT_EQ(layers.value(Key::threshold, 0), kMostInt);
}

struct Resolved {
  Collective collective;
  const char* given;
  Layout layout;
  std::string_view text;  ///< where it begins with a colon, behind the name that was given
};

TEST(Resolve, OpenParametersFollowTheLayout) {
  const Resolved rows[] = {
      // The radix is the first whose square reaches P.
      {kAlltoall, "tunable_bruck", {16, 1, 16}, ":radix=4:ports=3:threshold=off"},
      {kAlltoall, "tunable_bruck", {17, 1, 17}, ":radix=5:ports=4:threshold=off"},
      {kAlltoall, "tunable_bruck", {16384, 256, 64}, ":radix=128:ports=127:threshold=off"},
      {kAlltoall, "tunable_bruck", {1, 1, 1}, ":radix=2:ports=1:threshold=off"},
      {kAlltoallv, "two_phase_bruck", {1000, 1, 1000}, ":radix=2:ports=1:threshold=off"},
      {kAlltoallv, "fused_bruck:ports=2", {100, 1, 100}, ":radix=10:ports=2:threshold=8192"},
      // What is too large acts as the largest that makes sense.
      {kAlltoallv, "fused_bruck:radix=100", {7, 1, 7}, ":radix=7:ports=6:threshold=8192"},
      {kAlltoallv, "fused_bruck:radix=2147483647", {7, 1, 7}, ":radix=7:ports=6:threshold=8192"},
      {kAlltoallv, "fused_bruck:radix=4:ports=100", {64, 1, 64}, ":radix=4:ports=3:threshold=8192"},
      {kAlltoallv, "fused_bruck:radix=4", {1, 1, 1}, ":radix=2:ports=1:threshold=8192"},
      {kAlltoall, "spread_out", {8, 1, 8}, ":window=7"},
      {kAlltoall, "spread_out:window=3", {8, 1, 8}, ":window=3"},
      {kAlltoall, "spread_out:window=99", {8, 1, 8}, ":window=7"},
      {kAlltoall, "spread_out", {1, 1, 1}, ":window=1"},
      // Near the root of Q inside, N between (TRA paper, section V-B).
      {kAlltoall, "two_layer_bruck", {32, 4, 8}, ":intra=3:inter=4:ports=3:threshold=off"},
      {kAlltoall, "two_layer_bruck", {8, 1, 8}, ":intra=3:inter=2:ports=2:threshold=off"},
      {kAlltoall, "two_layer_bruck", {8, 8, 1}, ":intra=2:inter=8:ports=7:threshold=off"},
      {kAlltoall,
       "two_layer_bruck:intra=50:inter=50",
       {32, 4, 8},
       ":intra=8:inter=4:ports=7:threshold=off"},
      {kAlltoall, "basic_bruck", {32, 4, 8}, ":threshold=off"},
      {kAlltoall, "mpi", {32, 4, 8}, "mpi"},
      // Few nodes for their ranks: direct; many with few ranks: log-time.
      {kAlltoallv, "node_aware", {32, 4, 8}, ":threshold=16384:inter=direct:radix=2:parts=1"},
      {kAlltoallv, "node_aware", {200, 100, 2}, ":threshold=16384:inter=bruck:radix=10:parts=1"},
      // Nodes of 1, 8, 8 ranks: the common divisor is 1, but there are three.
      {kAlltoallv,
       "node_aware:inter=bruck:radix=9",
       {17, 17, 1, 3},
       ":threshold=16384:inter=bruck:radix=3:parts=1"},
      // Blocks between nodes are packed once more, so shorter ones already go straight.
      {kAlltoallv, "node_aware", {8, 1, 8}, ":threshold=65536:inter=direct:radix=2:parts=1"},
      // The old names, for one node and for several.
      {kAlltoallv,
       "shared_memory:threshold=off",
       {8, 1, 8},
       "node_aware:threshold=off:inter=direct:radix=2:parts=1"},
      {kAlltoall,
       "hierarchical:parts=2",
       {32, 4, 8},
       "node_aware:threshold=16384:inter=direct:radix=2:parts=2"},
      {kAlltoallv, "fused_bruck:threshold=0", {9, 1, 9}, ":radix=3:ports=2:threshold=0"},
  };
  for (const Resolved& row : rows) {
    SCOPED_TRACE(text(row.given, " ", print(row.layout)));
    const std::string_view given(row.given);
    const bool is_rest = row.text.starts_with(':');
    EXPECT_EQ(resolve(parse(row.collective, given), row.layout).text(),
              text(is_rest ? given.substr(0, given.find(':')) : "", row.text));
  }
}

int longest_phase(const schedule::Schedule& schedule) {
  int longest = 1;
  for (int phase = 0; phase < schedule.phases(); ++phase)
    longest = std::max(longest, static_cast<int>(schedule.phase(phase).size()));
  return longest;
}

/// For every algorithm and layout, the defaults print, parse back to the same, and give a right schedule.
TEST(Resolve, EveryAlgorithmOnEveryLayout) {
  for (const Algorithm& algorithm : algorithms())
    for (const Layout& layout : kLayouts) {
      SCOPED_TRACE(text(to_string(algorithm.collective), " ", algorithm.name, " ", print(layout)));
      const Choice choice = resolve({.algorithm = &algorithm}, layout);
      EXPECT_EQ(resolve(parse(algorithm.collective, choice.text()), layout), choice);
      if (!has_flat_schedule(algorithm)) {
        EXPECT_THROW(schedule_of(choice, layout), Error);
        continue;
      }
      const auto schedule = schedule_of(choice, layout);
      EXPECT_EQ(schedule::check(schedule).violation, "");
      EXPECT_EQ(schedule.ranks(), layout.ranks);
      const int longest = longest_phase(schedule);
      EXPECT_EQ(choice.value(Key::ports, longest), longest);
      EXPECT_EQ(choice.value(Key::window, longest), longest);
    }
}

TEST(ScheduleOf, FollowsTheParameters) {
  const Layout layout{64, 4, 16};
  const auto rounds = [&](Collective collective, const char* given) {
    return model::rounds(schedule_of(resolve(parse(collective, given), layout), layout));
  };
  EXPECT_EQ(rounds(kAlltoall, "basic_bruck"), 6);
  EXPECT_EQ(rounds(kAlltoallv, "fused_bruck:radix=4"), 9);
  EXPECT_EQ(rounds(kAlltoall, "two_layer_bruck:intra=4:inter=2"),
            model::rounds_of_two_layer(4, 16, {4, 2}));
  EXPECT_EQ(rounds(kAlltoall, "pairwise"), 63);
  const Choice window = resolve(parse(kAlltoall, "spread_out:window=10"), layout);
  EXPECT_EQ(schedule_of(window, layout).phases(), 7);
}

/// As when a watched call begins while another thread notes what a nonblocking exchange runs.
TEST(LastChoice, MayBeReplacedByNoneBeforeItIsNoted) {
  communicator::LastChoice last;
  last.replace(resolve(parse(kAlltoall, "pairwise"), {64, 4, 16}));
  last.replace({});
  last.note();
  EXPECT_FALSE(last.get());
}

}  // namespace
}  // namespace rondo::choice
