// Simulated exchanges in Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "bind.hpp"
#include "simulate/exchange.hpp"
#include "simulate_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using simulate::Adapter;
using simulate::Copying;
using simulate::Outcome;
using simulate::Path;
using simulate::Waiting;

void bind_parts(nb::module_& module) {
  nb::class_<Path>(module, "Path", "The cost of a message between two ranks, as in LogGP.")
      .def_rw("overhead_seconds", &Path::overhead_seconds, "o.")
      .def_rw("gap_seconds", &Path::gap_seconds, "g.")
      .def_rw("latency_seconds", &Path::latency_seconds, "L.")
      .def_rw("seconds_per_byte", &Path::seconds_per_byte, "G.")
      .def_rw("eager_bytes", &Path::eager_bytes,
              "Longer messages start with a handshake; with 0 none do.")
      .def("__repr__", showing("overhead_seconds", "gap_seconds", "latency_seconds",
                               "seconds_per_byte", "eager_bytes"));
  nb::class_<Adapter>(module, "Adapter", "The network adapters of a node.")
      .def_rw("per_node", &Adapter::per_node,
              "The number of adapters; ranks are dealt out over them.")
      .def_rw("seconds_per_message", &Adapter::seconds_per_message, "For each message.")
      .def_rw("seconds_per_byte", &Adapter::seconds_per_byte, "For each byte.")
      .def_rw("short_bytes", &Adapter::short_bytes,
              "How many first bytes of each message cost more.")
      .def_rw("short_seconds_per_byte", &Adapter::short_seconds_per_byte,
              "The additional cost of each of these bytes.")
      .def("__repr__", showing("per_node", "seconds_per_message", "seconds_per_byte", "short_bytes",
                               "short_seconds_per_byte"));
  nb::class_<Copying>(module, "Copying",
                      "The cost of copies inside a rank or through the memory of its node.")
      .def_rw("seconds_per_byte", &Copying::seconds_per_byte, "For each byte.")
      .def_rw("cache_bytes", &Copying::cache_bytes,
              "The cache of a rank; 0 means that everything fits.")
      .def_rw("far_seconds_per_byte", &Copying::far_seconds_per_byte,
              "The additional cost of bytes that are not in the cache.")
      .def_rw("seconds_per_block", &Copying::seconds_per_block, "For each block.")
      .def_rw("typed_seconds_per_block", &Copying::typed_seconds_per_block,
              "The additional cost if the MPI library copies by datatype.")
      .def_rw("seconds_per_size", &Copying::seconds_per_size,
              "To read or write a size that travels with a block.")
      .def("__repr__", showing("seconds_per_byte", "cache_bytes", "far_seconds_per_byte",
                               "seconds_per_block", "typed_seconds_per_block", "seconds_per_size"));
  nb::class_<Waiting>(module, "Waiting", "Other costs of a rank.")
      .def_rw("match_seconds", &Waiting::match_seconds,
              "For comparing one posted receive with an arriving message.")
      .def_rw("arrival_seconds", &Waiting::arrival_seconds,
              "To write a cache line for another rank of the node and read one from it.")
      .def_rw("switch_seconds", &Waiting::switch_seconds,
              "To switch from one rank to the next on a shared core.")
      .def_rw("noise_seconds", &Waiting::noise_seconds,
              "The mean delay at the end of a wait, exponentially distributed.")
      .def("__repr__",
           showing("match_seconds", "arrival_seconds", "switch_seconds", "noise_seconds"));
}

void bind_simulated_machine(nb::module_& module) {
  nb::class_<simulate::Machine>(module, "SimulatedMachine", docs::kSimulatedMachine)
      .def(nb::init<>())
      .def_rw("inside", &simulate::Machine::inside, "Between two ranks of a node.")
      .def_rw("between", &simulate::Machine::between, "Between two ranks of different nodes.")
      .def_rw("adapter", &simulate::Machine::adapter, "The network adapters of a node.")
      .def_rw("copying", &simulate::Machine::copying, "The cost of copies.")
      .def_rw("waiting", &simulate::Machine::waiting, "Other costs of a rank.")
      .def_rw("cores", &simulate::Machine::cores,
              "The cores of a node. If there are more ranks, they share cores.")
      .def_rw("mpi_alltoall", &simulate::Machine::mpi_alltoall,
              "The algorithm assumed for MPI_Alltoall.")
      .def_rw("mpi_alltoallv", &simulate::Machine::mpi_alltoallv,
              "The algorithm assumed for MPI_Alltoallv.")
      .def("__repr__", showing("inside", "between", "adapter", "copying", "waiting", "cores",
                               "mpi_alltoall", "mpi_alltoallv"));
  module.def("simulated_machine", &simulate::from_model, "machine"_a, docs::kFromModel);
  module.def("modelled_machine", &simulate::to_model, "machine"_a, docs::kToModel);
}

struct Question {
  std::string_view collective;
  std::string_view distribution;
  std::uint64_t seed;
  std::int64_t slot_bytes;
  bool every_rank;
  std::optional<double> most_visits;
};

simulate::Exchange exchange_of(std::string_view algorithm, const choice::Layout& layout,
                               double bytes, const Question& question) {
  const auto [collective, is_dynamic] = predicted_call(question.collective);
  const auto distribution = simulate::Distribution::parse(question.distribution);
  return {.choice = choice::resolve(choice::parse(collective, algorithm), layout),
          .layout = layout,
          .load = {.block_bytes = bytes, .distribution = distribution},
          .seed = question.seed,
          .slot_bytes = question.slot_bytes,
          .every_rank = question.every_rank,
          .most_visits = question.most_visits,
          .is_dynamic = is_dynamic};
}

/// Ctrl-C ends a simulation, which may take hours.
Outcome simulated(const simulate::Exchange& exchange, const simulate::Machine& machine,
                  const std::optional<nb::callable>& told) {
  const auto watch = [&told](std::int64_t messages) {
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (told) (*told)(messages);
  };
  const nb::gil_scoped_release others_may_run;
  return simulate::simulate(exchange, machine, watch);
}

choice::Layout nodes_of(const nb::int_& ranks, const nb::int_& ranks_per_node) {
  return full_nodes(ranks, "ranks_per_node", ranks_per_node, kMostRanks);
}

double length_of(const nb::int_& bytes) {
  return static_cast<double>(number_within("bytes", bytes, 0, kMostBytes));
}

}  // namespace

void bind_simulate(nb::module_& module) {
  bind_parts(module);
  bind_simulated_machine(module);
  nb::class_<Outcome>(module, "Outcome", docs::kOutcome)
      .def_ro("seconds", &Outcome::seconds, "The time until the slowest rank ends.")
      .def_ro("low_seconds", &Outcome::low_seconds,
              "The lower end of the interval of `seconds`; equal to it if all was simulated.")
      .def_ro("high_seconds", &Outcome::high_seconds, "The upper end.")
      .def_ro("messages", &Outcome::messages, "The number of simulated messages.")
      .def_ro("ranks", &Outcome::ranks,
              "The number of simulated ranks; one, or a sample, may represent all.")
      .def("__repr__", showing("seconds", "low_seconds", "high_seconds", "messages", "ranks"));
  module.def(
      "simulate",
      [](std::string_view algorithm, const nb::int_& ranks, const nb::int_& ranks_per_node,
         const nb::int_& bytes, const simulate::Machine& machine, std::string_view collective,
         std::string_view distribution, std::uint64_t seed, const nb::int_& slot_bytes,
         bool every_rank, std::optional<double> most_visits,
         const std::optional<nb::typed<nb::callable, void(std::int64_t)>>& told) {
        const Question question{collective, distribution,
                                seed,       number_within("slot_bytes", slot_bytes, 1, kMostBytes),
                                every_rank, most_visits};
        return simulated(
            exchange_of(algorithm, nodes_of(ranks, ranks_per_node), length_of(bytes), question),
            machine, told);
      },
      "algorithm"_a, "ranks"_a, "ranks_per_node"_a, "bytes"_a, "machine"_a,
      "collective"_a = "alltoallv", "distribution"_a = "uniform", "seed"_a = 1,
      "slot_bytes"_a = registry::Settings{}.slot_bytes, "every_rank"_a = false,
      "most_visits"_a = nb::none(), "told"_a = nb::none(), docs::kSimulate);
}

}  // namespace rondo::python
