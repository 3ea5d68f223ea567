// The model and the simulator count the same messages, bytes and waits, for every row of the registry.
#include <gtest/gtest.h>

#include "model/steps.hpp"
#include "model/work.hpp"
#include "prices.hpp"
#include "simulate/exchange.hpp"

namespace rondo::simulate {
namespace {

using choice::Layout;
using registry::Collective;

constexpr Collective kCountedCollectives[] = {Collective::alltoall, Collective::alltoallv,
                                              Collective::sparse_alltoallv,
                                              Collective::neighbor_alltoallv};

/// On several nodes every rank leads as many messages as any other.
constexpr Layout kCountedLayouts[] = {{.ranks = 8, .nodes = 1, .per_node = 8},
                                      {.ranks = 9, .nodes = 9, .per_node = 1},
                                      {.ranks = 20, .nodes = 5, .per_node = 4}};

/// Short, in pieces inside a node, long between nodes, too long for slots, and too long to pad.
constexpr double kCountedLengths[] = {40, 5000, 20000, 70000, 2e8};

Exchange counted(const choice::Choice& choice, const Layout& layout, double bytes,
                 std::string_view distribution) {
  return {.choice = choice,
          .layout = layout,
          .load = {.block_bytes = bytes, .distribution = Distribution::parse(distribution)},
          .seed = 7,
          .every_rank = true};
}

/// A choice with its defaults or a threshold, with direct messages between nodes.
std::vector<choice::Choice> counted_choices(const registry::Algorithm& row, const Layout& layout) {
  std::vector<choice::Choice> choices;
  for (const bool is_default : {true, false}) {
    choice::Choice choice = choice::resolve({.algorithm = &row}, layout);
    const auto set = [&](registry::Key key, std::int64_t value) {
      const int place = registry::place_of(key, row.parameters);
      if (place >= 0) choice.values[static_cast<std::size_t>(place)] = value;
    };
    set(registry::Key::between, static_cast<std::int64_t>(schedule::Between::direct));
    if (!is_default) set(registry::Key::threshold, 1000);
    choices.push_back(choice);
  }
  return choices;
}

/// The lengths for `mpi` of sparse exchanges go by the MPI library's MPI_Alltoall, which is unknown.
bool has_known_messages(const registry::Algorithm& row) {
  return row.handling.discovery != registry::Discovery::lengths;
}

/// Calls visit(choice, layout, bytes) for all of them.
template <class Visit>
void for_each_count(Visit&& visit) {
  for (const Collective collective : kCountedCollectives)
    for (const registry::Algorithm& row : registry::algorithms_of(collective)) {
      if (row.collective != collective || !has_known_messages(row)) continue;
      for (const Layout& layout : kCountedLayouts)
        for (const choice::Choice& choice : counted_choices(row, layout))
          for (const double bytes : kCountedLengths) {
            SCOPED_TRACE(testing::Message()
                         << registry::to_string(collective) << " " << choice.text()
                         << " N=" << layout.nodes << " Q=" << layout.per_node << " S=" << bytes);
            visit(choice, layout, bytes);
          }
    }
}

/// A message inside a node by the MPI library counts as several, as measured.
bool counts_measured_messages(const choice::Choice& choice, const Layout& layout) {
  return choice.algorithm->collective == Collective::neighbor_alltoallv &&
         choice.algorithm->shape != registry::Shape::node && layout.per_node > 1;
}

TEST(SimulatedCounts, MessagesAndBytesAreTheModels) {
  for_each_count([](const choice::Choice& choice, const Layout& layout, double bytes) {
    model::Work work = model::work_of(choice, layout, {bytes});
    if (work.agreements > 0)
      work += model::work_of_doubling({layout.nodes, layout.per_node}, model::kAgreementBytes);
    const Outcome made = simulate(counted(choice, layout, bytes, "constant"), Machine());
    const double ranks = layout.ranks;
    EXPECT_NEAR(made.bytes / ranks, work.bytes(), 1e-9 * work.bytes());
    if (counts_measured_messages(choice, layout)) return;
    EXPECT_NEAR(static_cast<double>(made.messages) / ranks, work.messages(), 1e-9);
  });
}

/// With a price for one thing, the time of a simulated exchange is its number.
TEST(SimulatedCounts, CopiesAndArrivalsAreTheModels) {
  const auto free = [] {
    model::Machine machine{};
    machine.host.cores = 1 << 20;
    return machine;
  };
  struct Price {
    const char* name;
    double model::Host::*seconds;
  };
  constexpr Price kPrices[] = {{"byte", &model::Host::copy_seconds_per_byte},
                               {"block", &model::Host::copy_seconds_per_block},
                               {"typed", &model::Host::typed_seconds_per_block},
                               {"arrival", &model::Host::arrival_seconds}};
  for_each_count([&](const choice::Choice& choice, const Layout& layout, double bytes) {
    for (const Price& price : kPrices) {
      model::Machine machine = free();
      machine.host.*price.seconds = 1;
      const double predicted =
          model::predict(choice, layout, {bytes}, model::loggp(machine)).cost.total();
      const Outcome made =
          simulate(counted(choice, layout, bytes, "constant"), from_model(machine));
      EXPECT_NEAR(made.seconds, predicted, 1e-9 * predicted) << price.name;
    }
  });
}

/// Neither counts a block twice if short ones are too long to pad and long ones go straight as well.
TEST(SimulatedCounts, ShortBlocksThatAreTooLongToPadAreABatchOfTheirOwn) {
  const Layout layout{.ranks = 20, .nodes = 20, .per_node = 1};
  Machine machine;
  machine.between.latency_seconds = 1;
  constexpr double kLongest = 4e8;
  for (const char* const name : {"padded_bruck", "two_phase_bruck"}) {
    const auto choice =
        model::chosen(model::kAlltoallv, std::string(name) + ":threshold=100000000", layout);
    const Outcome made = simulate(counted(choice, layout, kLongest, "uniform"), machine);
    const model::Work work =
        model::work_of(choice, layout, {kLongest, model::Distribution::uniform});
    const int agreement = 5;  // by doubling distances
    EXPECT_DOUBLE_EQ(made.seconds, agreement + 2) << name;
    EXPECT_EQ(made.messages, 20 * (19 + agreement)) << name;
    EXPECT_NEAR(work.messages(), 19, 1e-9) << name;
    EXPECT_NEAR(made.bytes / 20, work.bytes(), 0.05 * work.bytes()) << name;
  }
}

/// The lengths of blocks along edges are drawn, too.
TEST(SimulatedCounts, RandomBlocksAlongEdgesAreTheModels) {
  const Layout layout{.ranks = 40, .nodes = 8, .per_node = 5};
  for (const char* const name : {"node_aware", "node_aware:threshold=1000", "spread_out"}) {
    const auto choice = model::chosen(Collective::neighbor_alltoallv, name, layout);
    for (const double bytes : {4000.0, 40000.0}) {
      const Outcome made = simulate(counted(choice, layout, bytes, "uniform"), Machine());
      const model::Work work =
          model::work_of(choice, layout, {bytes, model::Distribution::uniform});
      EXPECT_NEAR(made.bytes, 8 * work.node_bytes + 40 * work.inside.bytes, 0.05 * made.bytes)
          << name << " " << bytes;
    }
  }
}

}  // namespace
}  // namespace rondo::simulate
