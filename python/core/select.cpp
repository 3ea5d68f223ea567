// What `auto` stands for, and the profiles that it goes by, as Python sees them.
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

/// As the library sees a communicator with so many ranks on each of its nodes.
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

/// What `auto` runs on one communicator, and from what.
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

/// As a profile's text names its parts.
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
  nb::class_<Band>(module, "Band", "Blocks of up to so many bytes, from where the one before ends.")
      .def_prop_ro(
          "up_to",
          [](const Band& band) -> std::optional<std::size_t> {
            if (band.up_to == select::kNoEnd) return std::nullopt;
            return band.up_to;
          },
          "None for the last one.")
      .def_prop_ro(
          "algorithm", [](const Band& band) { return band.request.text(); },
          "With the parameters that are not at their defaults.")
      .def_ro("reason", &Band::reason);
}

void bind_profile(nb::module_& module) {
  nb::class_<Signature>(module, "Signature", "Where a profile holds.")
      .def(nb::init<std::string, std::string, int>(), "mpi"_a, "processor"_a, "cores"_a)
      .def_ro("mpi", &Signature::mpi, "How the MPI library calls itself, up to a comma.")
      .def_ro("processor", &Signature::processor, "As the system calls it.")
      .def_ro("cores", &Signature::cores, "Of a node, in use or not.");
  nb::class_<Measured>(module, "Measured", "A communicator's shape, and what was the best there.")
      .def_prop_ro("ranks", [](const Measured& measured) { return measured.layout.ranks; })
      .def_prop_ro("nodes", [](const Measured& measured) { return measured.layout.real_nodes(); })
      .def_prop_ro(
          "per_node",
          [](const Measured& measured) {
            return measured.layout.uneven_nodes != 0 ? 0 : measured.layout.per_node;
          },
          "Ranks of every node; 0 where not all have as many.")
      .def_prop_ro("layout", &layout_fields,
                   "As in the profile's text: nodes of unequal size count as equal ones.")
      .def(
          "of",
          [](const Measured& measured, std::string_view collective) {
            return measured.decisions.of(collective_of(collective));
          },
          "collective"_a, "Its bands, ascending.");
  nb::class_<Profile>(module, "Profile", "What tuning found out about a machine and its MPI.")
      .def_ro("rondo", &Profile::rondo, "The version that wrote it.")
      .def_ro("signature", &Profile::signature)
      .def_ro("machine", &Profile::machine)
      .def_ro("layouts", &Profile::layouts)
      .def(
          "text", [](const Profile& profile) { return select::to_text(profile); },
          "As it stands in a file.")
      .def("refusal", &select::refusal, "here"_a,
           "Why it does not hold for that signature and this Rondo; empty where it does.");
  module.attr("longest_profile") = select::kLongestProfile;
  module.def("parse_profile", &parse, "content"_a, "Raises ValueError where it is no profile.");
  module.def("signature_here", &select::signature_here, "mpi_library"_a,
             "Of this machine, with an MPI library that says that of itself.");
}

}  // namespace

void bind_select(nb::module_& module) {
  bind_band(module);
  bind_profile(module);
  nb::class_<Decided>(module, "Decisions",
                      "What `auto` runs on a communicator with `node_sizes` ranks on its nodes.\n\n"
                      "It is the library's own decision: measured where the profile has such a "
                      "communicator, else predicted for the profile's machine, or for a typical "
                      "cluster without a profile. Blocks have S bytes, or any number up to that "
                      "in alltoallv and alltoallw.")
      .def(nb::init<const std::vector<nb::int_>&, const Profile*, bool>(), "node_sizes"_a,
           "profile"_a.none() = nb::none(), "shared_memory"_a = true)
      .def("of", &Decided::of, "collective"_a, "Its bands, ascending.")
      .def("band", &Decided::band, "collective"_a, "bytes"_a, "The one that holds for S = bytes.")
      .def("compared_at", &Decided::compared_at, "bytes"_a,
           "The S at which was predicted what holds for S = bytes.")
      .def(
          "ranking", &Decided::ranking, "collective"_a, "bytes"_a,
          "What `auto` chooses from, as predicted at compared_at(bytes), the fastest first. `mpi`, "
          "which nobody knows, counts as spread_out.")
      .def_prop_ro("measured", &Decided::is_measured, "Not predicted.");
}

}  // namespace rondo::python
