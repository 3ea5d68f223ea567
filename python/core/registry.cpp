// The table of algorithms in Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bind.hpp"
#include "buffers/form.hpp"
#include "choice/choice.hpp"
#include "registry/algorithm.hpp"
#include "registry_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using registry::Algorithm;
using registry::Parameter;
using AnySchedule = std::variant<schedule::Schedule, schedule::NodeSchedule>;

choice::Layout layout_of(int ranks, int nodes) {
  require_at_least("ranks", ranks, 1);
  require_at_least("nodes", nodes, 1);
  if (ranks % nodes != 0)
    throw Error(ErrorClass::argument, text(ranks, " ranks do not fill ", nodes, " equal nodes"));
  return {.ranks = ranks, .nodes = nodes, .per_node = ranks / nodes};
}

choice::Choice choose(std::string_view collective, std::string_view algorithm,
                      const choice::Layout& layout) {
  return resolve(choice::parse(collective_of(collective), algorithm), layout);
}

std::string resolved(std::string_view algorithm, int ranks, int nodes,
                     std::string_view collective) {
  return choose(collective, algorithm, layout_of(ranks, nodes)).text();
}

AnySchedule schedule_of(std::string_view algorithm, int ranks, int nodes,
                        std::string_view collective) {
  const choice::Layout layout = layout_of(ranks, nodes);
  const choice::Choice choice = choose(collective, algorithm, layout);
  if (has_flat_schedule(*choice.algorithm)) return choice::schedule_of(choice, layout);
  if (choice.algorithm->shape == registry::Shape::library)
    throw Error(ErrorClass::argument, text("the schedule of ", algorithm,
                                           " is unknown: it is the MPI library's own call"));
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < ranks; ++rank) node_of_rank.push_back(rank / layout.per_node);
  return choice::node_schedule_of(choice, schedule::NodeMap(node_of_rank));
}

std::optional<Algorithm> find(std::string_view collective, std::string_view name) {
  const Algorithm* const row = registry::find(collective_of(collective), name);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

std::string_view direction_of(const Algorithm& algorithm) {
  return algorithm.handling.direction == registry::Direction::upward ? "upward" : "downward";
}

std::string_view chooser_of(const Algorithm& algorithm) {
  switch (algorithm.chooser) {
    case registry::Chooser::automatic:
      return "automatic";
    case registry::Chooser::plan:
      return "plan";
    case registry::Chooser::tuning:
      return "tuning";
    case registry::Chooser::user:
      return "user";
  }
  return "";
}

/// Whether the MPI library carries out the rounds, with an algorithm of its choice.
bool uses_library(const Algorithm& algorithm) {
  using enum registry::Shape;
  return algorithm.shape == library || (algorithm.engine == "padded" && algorithm.shape == linear);
}

std::vector<Parameter> parameters_of(const Algorithm& algorithm) {
  const auto list = algorithm.parameters.list();
  return {list.begin(), list.end()};
}

}  // namespace

registry::Collective collective_of(std::string_view name) {
  return buffers::collective_of(buffers::parse_form(std::string(name).c_str()));
}

registry::Collective collective_of_all_ranks(std::string_view name) {
  const registry::Collective collective = collective_of(name);
  if (collective != registry::Collective::alltoall && collective != registry::Collective::alltoallv)
    throw Error(ErrorClass::argument,
                text("collective is '", name, "', must be alltoall, alltoallv or alltoallw"));
  return collective;
}

PredictedCall predicted_call(std::string_view name) {
  if (name == "alltoallv_dynamic") return {registry::Collective::alltoallv, true};
  return {collective_of(name), false};
}

void bind_registry(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter", docs::kParameter)
      .def_ro("name", &Parameter::name, "As it is written in an algorithm, before the `=`.")
      .def_ro("meaning", &Parameter::meaning, "What it changes.")
      .def_prop_ro("default", &choice::default_text, "A value, or the rule that determines it.")
      .def("__repr__", showing("name", "default"));
  nb::class_<Algorithm>(module, "Algorithm", docs::kAlgorithm)
      .def_prop_ro(
          "collective", [](const Algorithm& row) { return to_string(row.collective); },
          "alltoall; alltoallv, whose algorithms also serve alltoallw; sparse_alltoallv; or gpu, "
          "over NCCL.")
      .def_ro("name", &Algorithm::name, "The name, which selects it everywhere.")
      .def_prop_ro("parameters", &parameters_of, "Its parameters, in the order of their values.")
      .def_prop_ro(
          "direction", &direction_of,
          "upward if the block named i goes to the rank i above its source, or downward if "
          "it goes to the rank i below.")
      .def_prop_ro("chooser", &chooser_of,
                   "Who considers it if nobody names it: automatic (`auto`, what learns and "
                   "tuning), plan (what learns and tuning), tuning, or user (nobody).")
      .def_prop_ro(
          "uses_library", &uses_library,
          "Whether the MPI library's own call moves the blocks. Its schedule is unknown and "
          "assumed to be linear: every block straight to its rank.")
      .def_ro("idea", &Algorithm::idea, "What it does, in one line.")
      .def_ro("source", &Algorithm::source, "Where it was published, or Rondo.")
      .def_ro("cost", &Algorithm::cost, "The messages and bytes that a rank sends.")
      .def("__repr__", showing("collective", "name"));
  module.def(
      "algorithms",
      [] {
        const auto rows = registry::algorithms();
        return std::vector<Algorithm>(rows.begin(), rows.end());
      },
      docs::kAlgorithms);
  module.def(
      "gpu_algorithms",
      [] {
        const auto rows = registry::gpu_algorithms();
        return std::vector<Algorithm>(rows.begin(), rows.end());
      },
      docs::kGpuAlgorithms);
  module.def(
      "sparse_algorithms",
      [] {
        const auto rows = registry::sparse_algorithms();
        return std::vector<Algorithm>(rows.begin(), rows.end());
      },
      docs::kSparseAlgorithms);
  module.def("find", &find, "collective"_a, "name"_a, docs::kFind);
  module.def("resolved", &resolved, "algorithm"_a, "ranks"_a, "nodes"_a = 1,
             "collective"_a = "alltoallv", docs::kResolved);
  module.def("schedule_of", &schedule_of, "algorithm"_a, "ranks"_a, "nodes"_a = 1,
             "collective"_a = "alltoallv", docs::kScheduleOf);
}

}  // namespace rondo::python
