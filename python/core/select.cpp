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

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using model::Machine;
using model::Prediction;
using select::Band;
using select::Bands;
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
  Decided(const std::vector<nb::int_>& node_sizes, const Profile* profile, bool has_shared_memory)
      : place_(place_of(node_sizes, has_shared_memory)),
        machine_(select::machine_of(profile)),
        decisions_(select::decide(place_, profile)),
        is_measured_(select::measured_at(place_, profile) != nullptr) {}

  const Bands& of(std::string_view collective) const {
    return decisions_.of(collective_of(collective));
  }

  const Band& band(std::string_view collective, const nb::int_& bytes) const {
    return select::band_of(of(collective), length(bytes));
  }

  std::int64_t compared_at(const nb::int_& bytes) const {
    return select::compared_at(length(bytes));
  }

  std::vector<Prediction> ranking(std::string_view name, const nb::int_& bytes) const {
    std::vector<Prediction> predictions;
    for (const select::Ranked& one :
         select::ranked(registry::Chooser::automatic, collective_of(name), place_, machine_,
                        compared_at(bytes)))
      predictions.push_back(one.prediction);
    return predictions;
  }

  bool is_measured() const { return is_measured_; }

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
  nb::class_<Band>(
      module, "Band",
      "A range of block lengths, from the end of the previous band up to `up_to` bytes.")
      .def_prop_ro(
          "up_to",
          [](const Band& band) -> std::optional<std::size_t> {
            if (band.up_to == select::kNoEnd) return std::nullopt;
            return band.up_to;
          },
          "None for the last band.")
      .def_prop_ro(
          "algorithm", [](const Band& band) { return band.request.text(); },
          "The algorithm, with the parameters that are not at their defaults.")
      .def_ro("reason", &Band::reason);
}

void bind_profile(nb::module_& module) {
  nb::class_<Signature>(module, "Signature",
                        "The machine and MPI library that a profile is valid for.")
      .def(nb::init<std::string, std::string, int>(), "mpi"_a, "processor"_a, "cores"_a)
      .def_ro("mpi", &Signature::mpi, "The MPI library's version text, up to the first comma.")
      .def_ro("processor", &Signature::processor, "The processor's name, as the system gives it.")
      .def_ro("cores", &Signature::cores, "The cores of a node, whether or not they are in use.");
  nb::class_<Measured>(module, "Measured",
                       "The layout of a communicator, and the best algorithms on it.")
      .def_prop_ro("ranks", [](const Measured& measured) { return measured.layout.ranks; })
      .def_prop_ro("nodes", [](const Measured& measured) { return measured.layout.real_nodes(); })
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
            return measured.decisions.of(collective_of(collective));
          },
          "collective"_a, "The bands of a collective, ascending.");
  nb::class_<Profile>(module, "Profile",
                      "What tuning has measured on a machine with its MPI library.")
      .def_ro("rondo", &Profile::rondo, "The version of Rondo that wrote the profile.")
      .def_ro("signature", &Profile::signature)
      .def_ro("machine", &Profile::machine)
      .def_ro("layouts", &Profile::layouts)
      .def(
          "text", [](const Profile& profile) { return select::to_text(profile); },
          "The text of the profile's file.")
      .def("refusal", &select::refusal, "here"_a,
           "Why the profile is not valid for that signature and this Rondo; empty if it is.");
  module.attr("longest_profile") = select::kLongestProfile;
  module.def("parse_profile", &parse, "content"_a,
             "Parse a profile. Raises ValueError if it is invalid.");
  module.def("signature_here", &select::signature_here, "mpi_library"_a,
             "The signature of this machine with an MPI library of that version text.");
}

}  // namespace

void bind_select(nb::module_& module) {
  bind_band(module);
  bind_profile(module);
  nb::class_<Decided>(
      module, "Decisions",
      "What `auto` runs on a communicator whose nodes have `node_sizes` ranks.\n\n"
      "The decisions are the library's own. They are measured if the profile has such "
      "a communicator, and predicted otherwise: for the profile's machine, or for a "
      "typical cluster without a profile. Blocks have S bytes in alltoall, and any "
      "number up to S in alltoallv and alltoallw.")
      .def(nb::init<const std::vector<nb::int_>&, const Profile*, bool>(), "node_sizes"_a,
           "profile"_a.none() = nb::none(), "shared_memory"_a = true)
      .def("of", &Decided::of, "collective"_a, "The bands of a collective, ascending.")
      .def("band", &Decided::band, "collective"_a, "bytes"_a, "The band that contains S = bytes.")
      .def("compared_at", &Decided::compared_at, "bytes"_a,
           "The S at which the prediction for S = bytes was made.")
      .def(
          "ranking", &Decided::ranking, "collective"_a, "bytes"_a,
          "The candidates of `auto`, as predicted at compared_at(bytes), the fastest first. `mpi`, "
          "whose algorithm is unknown, counts as spread_out.")
      .def_prop_ro("measured", &Decided::is_measured,
                   "Whether the decisions are measured rather than predicted.");
}

}  // namespace rondo::python
