// Predicted costs in Python.
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
#include "model/contest.hpp"
#include "model_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using model::Cost;
using model::Prediction;
using registry::Collective;

/// A block length from which another algorithm is the fastest, and why.
struct Crossover {
  std::int64_t block_bytes;
  Prediction before;  ///< both at block_bytes
  Prediction after;
  std::string reason;
};

model::Distribution distribution_of(std::string_view word, Collective collective) {
  if (word == "constant") return model::Distribution::constant;
  if (word != "uniform")
    throw Error(ErrorClass::argument,
                text("distribution is '", word, "', must be constant or uniform"));
  if (collective == Collective::alltoall)
    throw Error(ErrorClass::argument,
                "distribution is 'uniform', but all blocks of alltoall have the same length");
  return model::Distribution::uniform;
}

/// All algorithms of a collective, compared.
class Contest {
 public:
  Contest(const nb::int_& ranks, const nb::int_& per_node, std::string_view collective,
          std::string_view distribution, const model::Prices& prices,
          const std::optional<nb::int_>& partners)
      : name_(collective),
        collective_(predicted_call(collective).collective),
        contest_{.layout = full_nodes(ranks, "per_node", per_node, kMostRanks),
                 .distribution = distribution_of(distribution, collective_),
                 .prices = prices,
                 .partners = partners_of(collective_, partners),
                 .is_dynamic = predicted_call(collective).is_dynamic} {}

  Prediction predict(std::string_view algorithm, const nb::int_& bytes) const {
    const choice::OpenChoice open = choice::parse(collective_, algorithm);
    return contest_.predict(choice::resolve(open, contest_.layout), length(bytes));
  }

  Prediction best(std::string_view algorithm, const nb::int_& bytes) const {
    return best(choice::parse(collective_, algorithm), length(bytes));
  }

  std::vector<Prediction> ranking(const nb::int_& bytes) const { return ranking(length(bytes)); }

  std::string description() const {
    return text("Contest(ranks=", contest_.layout.ranks, ", per_node=", contest_.layout.per_node,
                ", collective='", name_, "')");
  }

  std::vector<Crossover> crossovers(const nb::int_& from, const nb::int_& to) const {
    const std::int64_t first = number_within("from_bytes", from, 0, kMostBytes);
    const model::Range range{first, number_within("to_bytes", to, first, kMostBytes)};
    // The crossovers name algorithms without values: another radix does not make another winner.
    const auto winner_at = [&](std::int64_t bytes) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();  // many ranks take many seconds
      return choice::Choice{.algorithm = ranking(bytes).front().choice.algorithm};
    };
    std::vector<Crossover> found;
    for (const model::Change& change : model::changes(range, winner_at)) {
      const std::int64_t bytes = change.block_bytes;
      const Prediction before = best({.algorithm = change.before.algorithm}, bytes);
      const Prediction after = best({.algorithm = change.after.algorithm}, bytes);
      found.push_back({bytes, before, after, model::why_faster(after, before)});
    }
    return found;
  }

 private:
  static std::int64_t length(const nb::int_& bytes) {
    return number_within("bytes", bytes, 0, kMostBytes);
  }

  Prediction best(const choice::OpenChoice& open, std::int64_t bytes) const {
    return contest_.predict(model::with_best_radices(open, contest_, bytes), bytes);
  }

  std::vector<Prediction> ranking(std::int64_t bytes) const {
    std::vector<choice::Choice> choices;
    for (const registry::Algorithm& row : registry::algorithms_of(collective_))
      if (row.collective == collective_ && is_known(row))
        choices.push_back(model::with_best_radices({.algorithm = &row}, contest_, bytes));
    return model::ranking(choices, contest_, bytes);
  }

  /// What the MPI library does is known where it is Rondo that calls it.
  static bool is_known(const registry::Algorithm& row) {
    return row.shape != registry::Shape::library ||
           row.handling.discovery != registry::Discovery::none;
  }

  std::string name_;
  Collective collective_;
  model::Contest contest_;
};

/// In the order in which they are printed.
nb::typed<nb::dict, std::string, std::int64_t> radices_of(const Prediction& prediction) {
  nb::dict radices;
  const choice::Choice& choice = prediction.choice;
  const auto list = choice.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].kind == registry::Parameter::Kind::radix)
      radices[nb::str(list[i].name.data(), list[i].name.size())] = choice.values[i];
  return radices;
}

void bind_prediction(nb::module_& module) {
  nb::class_<Cost>(module, "Cost", docs::kCost)
      .def_ro("latency", &Cost::latency, "For messages, whatever their lengths.")
      .def_ro("bandwidth", &Cost::bandwidth, "For their bytes, including sizes and headers.")
      .def_ro("copies", &Cost::copies,
              "For copies inside a rank or through the memory of its node.")
      .def_ro("arrivals", &Cost::arrivals,
              "For the arrivals of ranks in their node's shared memory.")
      .def_ro("switches", &Cost::switches, "For switches between ranks that share a core.")
      .def_ro("agreement", &Cost::agreement, "For agreement on the largest block, by an allreduce.")
      .def_prop_ro("total", &Cost::total, "The sum of all parts.")
      .def("__repr__",
           showing("total", "latency", "bandwidth", "copies", "arrivals", "switches", "agreement"));
  nb::class_<Prediction>(module, "Prediction", docs::kPrediction)
      .def_prop_ro(
          "name", [](const Prediction& one) { return one.choice.algorithm->name; },
          "The name of the algorithm.")
      .def_prop_ro(
          "algorithm", [](const Prediction& one) { return one.choice.text(); },
          "The algorithm with the values of all parameters.")
      .def_prop_ro("radices", &radices_of, "The parameters that are radices, by name.")
      .def_ro("cost", &Prediction::cost, "The predicted time of the busiest rank.")
      .def_prop_ro(
          "messages", [](const Prediction& one) { return one.work.messages(); },
          "Messages that a rank sends. For random lengths an expected value, not always whole.")
      .def_prop_ro(
          "waits", [](const Prediction& one) { return one.work.waits(); },
          "Waits for messages in flight together or for ranks of the node.")
      .def_prop_ro(
          "bytes", [](const Prediction& one) { return one.work.bytes(); },
          "Bytes in the messages of a rank.")
      .def("__repr__", [](const Prediction& one) {
        return text("Prediction(", one.choice.text(), ", ", one.cost.total(), " s)");
      });
  nb::class_<Crossover>(module, "Crossover", docs::kCrossover)
      .def_ro("bytes", &Crossover::block_bytes, "S.")
      .def_ro("before", &Crossover::before,
              "The prediction at S for the algorithm that is the fastest below S.")
      .def_ro("after", &Crossover::after,
              "The prediction at S for the algorithm that is the fastest from S on.")
      .def_ro("reason", &Crossover::reason, "The result of why_faster(after, before).")
      .def("__repr__", showing("bytes", "before", "after", "reason"));
}

}  // namespace

double partners_of(Collective collective, const std::optional<nb::int_>& given) {
  constexpr double kUsualPartners = 4;  // as rondo-bench's sparse:4
  if (given) {
    if (collective == Collective::alltoall)
      throw Error(ErrorClass::argument,
                  "partners are given, but every rank of alltoall sends to all");
    return static_cast<double>(number_within("partners", *given, 1, kMostRanks));
  }
  const bool is_few =
      collective == Collective::sparse_alltoallv || collective == Collective::neighbor_alltoallv;
  return is_few ? kUsualPartners : 0;
}

std::int64_t number_within(std::string_view what, const nb::int_& number, std::int64_t least,
                           std::int64_t most) {
  std::int64_t value = 0;
  if (!nb::try_cast(number, value) || value < least || value > most)
    throw Error(ErrorClass::argument,
                text(what, " is ", nb::str(number).c_str(), ", must be in ", least, "..", most));
  return value;
}

choice::Layout full_nodes(const nb::int_& ranks, std::string_view per_node_name,
                          const nb::int_& per_node, std::int64_t most) {
  const auto all = static_cast<int>(number_within("ranks", ranks, 1, most));
  const auto of_node = static_cast<int>(number_within(per_node_name, per_node, 1, all));
  if (all % of_node != 0)
    throw Error(ErrorClass::argument,
                text(all, " ranks do not fill nodes of ", of_node, " ranks each"));
  return {.ranks = all, .nodes = all / of_node, .per_node = of_node};
}

void bind_model(nb::module_& module) {
  bind_prediction(module);
  nb::class_<Contest>(module, "Contest", docs::kContest)
      .def(nb::init<const nb::int_&, const nb::int_&, std::string_view, std::string_view,
                    const model::Prices&, const std::optional<nb::int_>&>(),
           "ranks"_a, "per_node"_a = 1, "collective"_a = "alltoallv", "distribution"_a = "constant",
           "prices"_a = model::hockney(model::typical_cluster()), "partners"_a = nb::none())
      .def("predict", &Contest::predict, "algorithm"_a, "bytes"_a, docs::kPredict)
      .def("best", nb::overload_cast<std::string_view, const nb::int_&>(&Contest::best, nb::const_),
           "algorithm"_a, "bytes"_a, docs::kBest)
      .def("ranking", nb::overload_cast<const nb::int_&>(&Contest::ranking, nb::const_), "bytes"_a,
           docs::kRanking)
      .def("crossovers", &Contest::crossovers, "from_bytes"_a = 1, "to_bytes"_a = 1 << 20,
           docs::kCrossovers)
      .def("__repr__", &Contest::description);
  module.def("why_faster", &model::why_faster, "better"_a, "other"_a, docs::kWhyFaster);
}

}  // namespace rondo::python
