// Schedules between nodes in Python.
#include "schedule/node_schedule.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bind.hpp"
#include "node_schedule_docs.hpp"
#include "registry/algorithm.hpp"
#include "schedule/check_node.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using schedule::Between;
using schedule::NodeReport;
using schedule::NodeSchedule;

Between between_of(const std::string& word) {
  const auto& words = registry::kBetweenWords;
  const auto at = std::ranges::find(words, word);
  if (at == words.end())
    throw Error(ErrorClass::argument, text("between is '", word, "', must be direct or bruck"));
  return static_cast<Between>(at - words.begin());
}

NodeSchedule node_schedule(const std::vector<int>& node_of_rank, const std::string& between,
                           int radix, int parts) {
  if (node_of_rank.empty()) throw Error(ErrorClass::argument, "there are no ranks");
  require_at_least("radix", radix, 2);
  require_at_least("parts", parts, 1);
  return NodeSchedule(schedule::NodeMap(node_of_rank), between_of(between), radix, parts);
}

void require_below(std::string_view what, int number, std::size_t end) {
  if (number < 0 || static_cast<std::size_t>(number) >= end)
    throw Error(ErrorClass::argument, text(what, " ", number, " does not exist; there are ", end));
}

void require_place(const NodeSchedule& schedule, int node, int lane) {
  require_below("node", node, static_cast<std::size_t>(schedule.map().nodes()));
  require_below("lane", lane, static_cast<std::size_t>(schedule.lanes()));
}

int leader(const NodeSchedule& schedule, int node, int round, int lane) {
  require_place(schedule, node, lane);
  require_below("round", round, schedule.between().rounds().size());
  return schedule.leader(node, round, lane);
}

/// The ranks of a node with the local numbers [begin, end).
std::vector<int> by_position(const NodeSchedule& schedule, int node, int begin, int end) {
  const auto ranks =
      schedule.map().by_position().subspan(static_cast<std::size_t>(schedule.map().first(node)));
  return {ranks.begin() + begin, ranks.begin() + end};
}

std::vector<int> senders(const NodeSchedule& schedule, int node, int lane) {
  require_place(schedule, node, lane);
  const auto [begin, end] = schedule.share(node, lane);
  return by_position(schedule, node, begin, end);
}

std::vector<int> ranks_of(const NodeSchedule& schedule, int node) {
  require_below("node", node, static_cast<std::size_t>(schedule.map().nodes()));
  return by_position(schedule, node, 0, schedule.map().size(node));
}

void bind_node_report(nb::module_& module) {
  nb::class_<NodeReport>(module, "NodeReport", docs::kNodeReport)
      .def_prop_ro("ok", &NodeReport::ok, "Whether every block reaches the node of its rank.")
      .def_ro("violation", &NodeReport::violation, "The first violation; empty if ok.")
      .def_ro("rounds", &NodeReport::rounds, "K, of every lane.")
      .def_ro("messages", &NodeReport::messages, "The total number of messages between nodes.")
      .def_ro(
          "blocks", &NodeReport::blocks,
          "The total D: blocks between ranks, counted once for every message that contains them.")
      .def("__repr__", showing("ok", "violation", "rounds", "messages", "blocks"));
}

}  // namespace

void bind_node_schedule(nb::module_& module) {
  bind_node_report(module);
  nb::class_<NodeSchedule>(module, "NodeSchedule", docs::kNodeSchedule)
      .def_prop_ro(
          "ranks", [](const NodeSchedule& schedule) { return schedule.map().ranks(); }, "P.")
      .def_prop_ro(
          "nodes", [](const NodeSchedule& schedule) { return schedule.map().nodes(); }, "N.")
      .def_prop_ro("lanes", &NodeSchedule::lanes,
                   "The number of messages for each pair of nodes and round.")
      .def_prop_ro("between", &NodeSchedule::between,
                   "The rounds, phases, K and D as a Schedule whose ranks are the nodes.")
      .def("ranks_of", &ranks_of, "node"_a, docs::kRanksOf)
      .def("senders", &senders, "node"_a, "lane"_a, docs::kSenders)
      .def("leader", &leader, "node"_a, "round"_a, "lane"_a = 0, docs::kLeader)
      .def(
          "check", [](const NodeSchedule& schedule) { return check_node(schedule); },
          docs::kCheckNode)
      .def("__repr__", [](const NodeSchedule& schedule) {
        return text("NodeSchedule(ranks=", schedule.map().ranks(),
                    ", nodes=", schedule.map().nodes(), ", lanes=", schedule.lanes(), ")");
      });
  module.def("node_schedule", &node_schedule, "node_of_rank"_a, "between"_a = "direct",
             "radix"_a = 2, "parts"_a = 1, docs::kMakeNodeSchedule);
}

}  // namespace rondo::python
