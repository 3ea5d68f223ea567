// Flat schedules in Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "bind.hpp"
#include "model/work.hpp"
#include "schedule/check.hpp"
#include "schedule/schedule.hpp"
#include "schedule_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using schedule::Report;
using schedule::Round;
using schedule::Schedule;
using Names = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>>;

Names names_of(const schedule::BlockSet& blocks) {
  auto names = std::make_unique<std::vector<std::int32_t>>();
  blocks.for_each([&](int name) { names->push_back(name); });
  const std::int32_t* data = names->data();
  const std::size_t size = names->size();
  nb::capsule owner(names.release(), [](void* vector) noexcept {
    delete static_cast<std::vector<std::int32_t>*>(vector);
  });
  return Names(data, {size}, owner);
}

std::vector<std::vector<Round>> phases_of(const Schedule& schedule) {
  std::vector<std::vector<Round>> phases;
  for (int index = 0; index < schedule.phases(); ++index) {
    const auto rounds = schedule.phase(index);
    phases.emplace_back(rounds.begin(), rounds.end());
  }
  return phases;
}

void require_rank(const Schedule& schedule, std::string_view what, int number) {
  if (number < 0 || number >= schedule.ranks())
    throw Error(ErrorClass::argument,
                text(what, " is ", number, ", must be in 0..", schedule.ranks() - 1));
}

Schedule linear(int ranks, int window) {
  require_at_least("ranks", ranks, 1);
  require_at_least("window", window, 1);
  return schedule::linear(ranks, window);
}

Schedule pairwise(int ranks) {
  require_at_least("ranks", ranks, 1);
  return schedule::pairwise(ranks);
}

Schedule bruck(int ranks, int radix) {
  require_at_least("ranks", ranks, 1);
  require_at_least("radix", radix, 2);
  return schedule::bruck(ranks, radix);
}

Schedule two_layer(int nodes, int per_node, int intra, int inter) {
  require_at_least("nodes", nodes, 1);
  require_at_least("per_node", per_node, 1);
  require_at_least("intra", intra, 2);
  require_at_least("inter", inter, 2);
  if (per_node > std::numeric_limits<int>::max() / nodes)
    throw Error(ErrorClass::argument, text(nodes, " x ", per_node, " are too many ranks"));
  return schedule::two_layer(nodes, per_node, intra, inter);
}

void bind_round(nb::module_& module) {
  nb::class_<Round>(module, "Round", docs::kRound)
      .def_ro("hop", &Round::hop, "How far the blocks move, as a name like those of blocks.")
      .def_prop_ro(
          "blocks", [](const Round& round) { return names_of(round.blocks); },
          nb::rv_policy::automatic,
          "The names of the blocks that travel, ascending. A new array each time.")
      .def("__repr__", [](const Round& round) {
        return text("Round(hop=", round.hop, ", ", round.blocks.size(), " blocks)");
      });
  nb::class_<Report>(module, "Report", docs::kReport)
      .def_prop_ro("ok", &Report::ok, "Whether the schedule is an all-to-all exchange.")
      .def_ro("violation", &Report::violation, "The first violation; empty if ok.")
      .def_ro("rounds", &Report::rounds, "K, counted.")
      .def_ro("blocks", &Report::blocks, "D, counted.")
      .def_ro("in_transit", &Report::in_transit,
              "The most blocks of other ranks that a rank holds at the end of a phase.")
      .def("__repr__", showing("ok", "violation", "rounds", "blocks", "in_transit"));
}

/// One of the ways in which a rank and a name, or two ranks, combine; `first` and `second` are the
/// arguments' names in errors.
auto combination(int (schedule::Group::*combine)(int, int) const, const char* first,
                 const char* second) {
  return [=](const Schedule& schedule, int one, int other) {
    require_rank(schedule, first, one);
    require_rank(schedule, second, other);
    return (schedule.group().*combine)(one, other);
  };
}

void bind_schedule_class(nb::module_& module) {
  using schedule::Group;
  nb::class_<Schedule>(module, "Schedule", docs::kSchedule)
      .def_prop_ro("ranks", &Schedule::ranks, "P.")
      .def_prop_ro("phases", &phases_of, "The rounds, grouped by phase.")
      .def_prop_ro("rounds", &Schedule::rounds, "All rounds, in order.")
      .def_prop_ro("K", &model::rounds, "Messages that a rank sends.")
      .def_prop_ro("D", &model::blocks, "Blocks that a rank sends over all rounds.")
      .def("add", combination(&Group::add, "rank", "name"), "rank"_a, "name"_a, docs::kAdd)
      .def("subtract", combination(&Group::subtract, "rank", "name"), "rank"_a, "name"_a,
           docs::kSubtract)
      .def("difference", combination(&Group::difference, "destination", "source"), "destination"_a,
           "source"_a, docs::kDifference)
      .def("check", &schedule::check, docs::kCheck)
      .def("__repr__", [](const Schedule& schedule) {
        return text("Schedule(ranks=", schedule.ranks(), ", K=", model::rounds(schedule),
                    ", D=", model::blocks(schedule), ")");
      });
}

}  // namespace

void bind_schedule(nb::module_& module) {
  bind_round(module);
  bind_schedule_class(module);
  module.def("linear", &linear, "ranks"_a, "window"_a = 1, docs::kLinear);
  module.def("pairwise", &pairwise, "ranks"_a, docs::kPairwise);
  module.def("bruck", &bruck, "ranks"_a, "radix"_a = 2, docs::kBruck);
  module.def("two_layer", &two_layer, "nodes"_a, "per_node"_a, "intra"_a = 2, "inter"_a = 2,
             docs::kTwoLayer);
}

}  // namespace rondo::python
