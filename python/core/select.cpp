// The choices of `auto`, and the profiles that it uses, in Python.
#include "select/profile.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind.hpp"
#include "schedule/node_map.hpp"
#include "select/decide.hpp"
#include "select_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using model::Machine;
using model::Prediction;
using registry::Collective;
using select::Band;
using select::Bands;
using select::Decision;
using select::Measured;
using select::Place;
using select::Profile;
using select::Signature;

/// The communicator as the library sees it, with the given number of ranks on each of its nodes.
Place place_of(const std::vector<nb::int_>& node_sizes, bool has_shared_memory) {
  std::vector<int> node_of_rank;
  for (std::size_t node = 0; node < node_sizes.size(); ++node) {
    const std::int64_t left = kMostRanks - static_cast<std::int64_t>(node_of_rank.size());
    const std::int64_t ranks = number_within("ranks of a node", node_sizes[node], 1, left);
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(ranks),
                        static_cast<int>(node));
  }
  if (node_of_rank.empty()) throw Error(ErrorClass::argument, "there is no node");
  return {.layout = choice::layout_of(schedule::NodeMap(node_of_rank)),
          .has_node = has_shared_memory};
}

/// What `auto` runs on one communicator, and why.
class Decided {
 public:
  Decided(const std::vector<nb::int_>& node_sizes, const Profile* profile, bool has_shared_memory,
          const Machine* machine)
      : place_(place_of(node_sizes, has_shared_memory)),
        machine_(machine != nullptr ? *machine : select::machine_of(profile)),
        decisions_(machine != nullptr ? select::predicted(place_, machine_)
                                      : select::decide(place_, profile)),
        is_measured_(machine == nullptr && select::measured_at(place_, profile) != nullptr) {}

  const Bands& of(std::string_view collective) const {
    return decisions_.of(collective_of_all_ranks(collective));
  }

  const Band& band(std::string_view collective, const nb::int_& bytes) const {
    return select::band_of(of(collective), length(bytes));
  }

  std::int64_t compared_at(const nb::int_& bytes) const {
    return select::compared_at(length(bytes));
  }

  std::vector<Prediction> ranking(std::string_view name, const nb::int_& bytes) const {
    std::vector<Prediction> predictions;
    for (const select::PredictedChoice& one :
         select::ranked(registry::Chooser::automatic, collective_of_all_ranks(name), place_,
                        machine_, compared_at(bytes)))
      predictions.push_back(one.prediction);
    return predictions;
  }

  /// Of an exchange with few partners, random ones.
  select::Decision decision(std::string_view name, const nb::int_& bytes,
                            const std::optional<nb::int_>& partners) const {
    const Collective collective = collective_of(name);
    if (collective == Collective::sparse_alltoallv) {
      if (partners)
        throw Error(ErrorClass::argument,
                    "partners are given, but no rank of sparse_alltoallv knows their number");
      return select::decide_sparse(place_);
    }
    if (collective != Collective::neighbor_alltoallv)
      throw Error(ErrorClass::argument, text("collective is '", name,
                                             "', must be neighbor_alltoallv or sparse_alltoallv"));
    const model::Contest contest{.layout = place_.layout,
                                 .prices = model::loggp(machine_),
                                 .partners = partners_of(collective, partners)};
    const choice::OpenChoice node_aware = choice::parse(collective, "node_aware");
    const auto threshold =
        static_cast<double>(choice::resolve(node_aware, place_.layout).threshold());
    return select::decide_on_edges(
        place_,
        model::random_edges(place_.layout, contest.load(static_cast<std::int64_t>(length(bytes))),
                            threshold),
        machine_);
  }

  bool is_measured() const { return is_measured_; }

  std::string description() const {
    return text("Decisions(ranks=", place_.layout.ranks, ", nodes=", place_.layout.real_nodes(),
                ", measured=", is_measured_ ? "True" : "False", ")");
  }

 private:
  static std::size_t length(const nb::int_& bytes) {
    return static_cast<std::size_t>(number_within("bytes", bytes, 0, kMostBytes));
  }

  Place place_;
  Machine machine_;
  select::Decisions decisions_;
  bool is_measured_;
};

Profile parse(const nb::bytes& content) {
  return select::parse_profile({content.c_str(), content.size()});
}

/// The layout's parts, named as in a profile's text.
nb::typed<nb::dict, std::string, int> layout_fields(const Measured& measured) {
  const choice::Layout& layout = measured.layout;
  nb::dict parts;
  parts["ranks"] = layout.ranks;
  parts["nodes"] = layout.nodes;
  parts["per_node"] = layout.per_node;
  parts["uneven_nodes"] = layout.uneven_nodes;
  return parts;
}

void bind_band(nb::module_& module) {
  nb::class_<Band>(module, "Band", docs::kBand)
      .def_prop_ro(
          "up_to",
          [](const Band& band) -> std::optional<std::size_t> {
            if (band.up_to == select::kNoEnd) return std::nullopt;
            return band.up_to;
          },
          "None for the last band.")
      .def_prop_ro(
          "algorithm", [](const Band& band) { return band.choice.text(); },
          "The algorithm, with the parameters that are not at their defaults.")
      .def_ro("reason", &Band::reason, "Why it is the fastest there.")
      .def("__repr__", showing("up_to", "algorithm"));
}

void bind_decision(nb::module_& module) {
  nb::class_<Decision>(module, "Decision", docs::kDecision)
      .def_prop_ro(
          "algorithm", [](const Decision& one) { return one.choice.algorithm->name; },
          "The algorithm, whose parameters are at their defaults.")
      .def_ro("reason", &Decision::reason, "Why it is chosen.")
      .def("__repr__", showing("algorithm", "reason"));
}

void bind_profile(nb::module_& module) {
  nb::class_<Signature>(module, "Signature", docs::kSignature)
      .def(nb::init<std::string, std::string, int>(), "mpi"_a, "processor"_a, "cores"_a)
      .def_ro("mpi", &Signature::mpi, "The MPI library's version text, up to the first comma.")
      .def_ro("processor", &Signature::processor, "The processor's name, as the system gives it.")
      .def_ro("cores", &Signature::cores, "The cores of a node, whether or not they are in use.")
      .def("__repr__", showing("mpi", "processor", "cores"));
  nb::class_<Measured>(module, "Measured", docs::kMeasured)
      .def_prop_ro(
          "ranks", [](const Measured& measured) { return measured.layout.ranks; }, "P.")
      .def_prop_ro(
          "nodes", [](const Measured& measured) { return measured.layout.real_nodes(); }, "N.")
      .def_prop_ro(
          "per_node",
          [](const Measured& measured) {
            return measured.layout.uneven_nodes != 0 ? 0 : measured.layout.per_node;
          },
          "Ranks of every node; 0 if nodes have different numbers.")
      .def_prop_ro("layout", &layout_fields,
                   "The layout as in the profile's text, where unequal nodes count as equal ones.")
      .def(
          "of",
          [](const Measured& measured, std::string_view collective) {
            return measured.decisions.of(collective_of_all_ranks(collective));
          },
          "collective"_a, docs::kMeasuredOf)
      .def("__repr__", showing("ranks", "nodes", "per_node"));
  nb::class_<Profile>(module, "Profile", docs::kProfile)
      .def_ro("rondo", &Profile::rondo, "The version of Rondo that wrote the profile.")
      .def_ro("signature", &Profile::signature, "The machine that it was measured on.")
      .def_ro("machine", &Profile::machine, "What messages and copies cost there.")
      .def_ro("layouts", &Profile::layouts, "The communicators that were measured.")
      .def(
          "text", [](const Profile& profile) { return select::to_text(profile); }, docs::kText)
      .def("refusal", &select::refusal, "here"_a, docs::kRefusal)
      .def("__repr__", showing("rondo", "signature", "layouts"));
  module.attr("longest_profile") = select::kLongestProfile;
  module.def("parse_profile", &parse, "content"_a, docs::kParseProfile);
  module.def("signature_here", &select::signature_here, "mpi_library"_a, docs::kSignatureHere);
}

}  // namespace

void bind_select(nb::module_& module) {
  bind_band(module);
  bind_decision(module);
  bind_profile(module);
  nb::class_<Decided>(module, "Decisions", docs::kDecisions)
      .def(nb::init<const std::vector<nb::int_>&, const Profile*, bool, const Machine*>(),
           "node_sizes"_a, "profile"_a.none() = nb::none(), "shared_memory"_a = true,
           "machine"_a.none() = nb::none())
      .def("of", &Decided::of, "collective"_a, docs::kOf)
      .def("band", &Decided::band, "collective"_a, "bytes"_a, docs::kBandOf)
      .def("decision", &Decided::decision, "collective"_a, "bytes"_a = 0, "partners"_a = nb::none(),
           docs::kDecisionOf)
      .def("compared_at", &Decided::compared_at, "bytes"_a, docs::kComparedAt)
      .def("ranking", &Decided::ranking, "collective"_a, "bytes"_a, docs::kCandidates)
      .def_prop_ro("measured", &Decided::is_measured,
                   "Whether the decisions are measured rather than predicted.")
      .def("__repr__", &Decided::description);
}

}  // namespace rondo::python
