// Simulated exchanges as Python sees them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <string_view>

#include "bind.hpp"
#include "simulate/exchange.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using simulate::Adapter;
using simulate::Copying;
using simulate::Outcome;
using simulate::Path;
using simulate::Waiting;

/// Of 8192 nodes of 128 ranks, and as many again.
constexpr std::int64_t kMostSimulated = std::int64_t{1} << 21;

void bind_parts(nb::module_& module) {
  nb::class_<Path>(module, "Path", "A message between two ranks, as in LogGP.")
      .def_rw("overhead_seconds", &Path::overhead_seconds, "o.")
      .def_rw("gap_seconds", &Path::gap_seconds, "g.")
      .def_rw("latency_seconds", &Path::latency_seconds, "L.")
      .def_rw("seconds_per_byte", &Path::seconds_per_byte, "G.")
      .def_rw("eager_bytes", &Path::eager_bytes,
              "Longer messages ask first, and wait for the answer; with 0 none do.");
  nb::class_<Adapter>(module, "Adapter", "What connects the ranks of a node to the network.")
      .def_rw("per_node", &Adapter::per_node, "Ranks are dealt out over them.")
      .def_rw("seconds_per_message", &Adapter::seconds_per_message)
      .def_rw("seconds_per_byte", &Adapter::seconds_per_byte)
      .def_rw("short_bytes", &Adapter::short_bytes, "The first ones of each message, which cost")
      .def_rw("short_seconds_per_byte", &Adapter::short_seconds_per_byte, "that much more.");
  nb::class_<Copying>(module, "Copying", "Inside a rank or through the memory of its node.")
      .def_rw("seconds_per_byte", &Copying::seconds_per_byte)
      .def_rw("cache_bytes", &Copying::cache_bytes, "Of a rank; with 0 it holds all.")
      .def_rw("far_seconds_per_byte", &Copying::far_seconds_per_byte,
              "In addition, for what is not in the cache.")
      .def_rw("seconds_per_block", &Copying::seconds_per_block)
      .def_rw("typed_seconds_per_block", &Copying::typed_seconds_per_block,
              "In addition, where the MPI library copies by datatype.")
      .def_rw("seconds_per_size", &Copying::seconds_per_size,
              "To read or write the size of a block that travels with it.");
  nb::class_<Waiting>(module, "Waiting", "What else takes a rank's time.")
      .def_rw("match_seconds", &Waiting::match_seconds,
              "For each receive that is compared with an arriving message.")
      .def_rw("arrival_seconds", &Waiting::arrival_seconds,
              "To write a cache line for a rank of the node and read one of its.")
      .def_rw("switch_seconds", &Waiting::switch_seconds,
              "From one rank to the next on a core that they share.")
      .def_rw("noise_seconds", &Waiting::noise_seconds,
              "By which a wait ends late, on average; exponentially distributed.");
}

void bind_simulated_machine(nb::module_& module) {
  nb::class_<simulate::Machine>(module, "SimulatedMachine",
                                "A machine on which exchanges are simulated.")
      .def(nb::init<>())
      .def_rw("inside", &simulate::Machine::inside, "Two ranks of a node.")
      .def_rw("between", &simulate::Machine::between, "Two ranks of different nodes.")
      .def_rw("adapter", &simulate::Machine::adapter)
      .def_rw("copying", &simulate::Machine::copying)
      .def_rw("waiting", &simulate::Machine::waiting)
      .def_rw("cores", &simulate::Machine::cores, "Of a node; more ranks share them.")
      .def_rw("mpi_alltoall", &simulate::Machine::mpi_alltoall,
              "What MPI_Alltoall does, as far as known.")
      .def_rw("mpi_alltoallv", &simulate::Machine::mpi_alltoallv, "What MPI_Alltoallv does.");
  module.def("simulated_machine", &simulate::from_model, "machine"_a,
             "What a machine of the model is to the simulation: without noise and matching.");
}

struct Question {
  std::string_view collective;
  std::string_view distribution;
  std::uint64_t seed;
  std::int64_t slot_bytes;
  bool every_rank;
};

Outcome simulated(std::string_view algorithm, const choice::Layout& layout, double bytes,
                  const Question& question, const simulate::Machine& machine) {
  const auto collective = collective_of(question.collective);
  const auto distribution = simulate::Distribution::parse(question.distribution);
  const simulate::Exchange exchange{
      .choice = choice::resolve(choice::parse(collective, algorithm), layout),
      .layout = layout,
      .load = {.block_bytes = bytes, .distribution = distribution},
      .seed = question.seed,
      .slot_bytes = question.slot_bytes,
      .every_rank = question.every_rank};
  const nb::gil_scoped_release others_may_run;
  return simulate::simulate(exchange, machine);
}

}  // namespace

void bind_simulate(nb::module_& module) {
  bind_parts(module);
  bind_simulated_machine(module);
  nb::class_<Outcome>(module, "Outcome", "What came out of a simulation.")
      .def_ro("seconds", &Outcome::seconds, "To the end of the slowest rank.")
      .def_ro("messages", &Outcome::messages, "That were simulated.")
      .def_ro("ranks", &Outcome::ranks, "That were simulated; one may stand for all.");
  module.def(
      "simulate",
      [](std::string_view algorithm, const nb::int_& ranks, const nb::int_& ranks_per_node,
         const nb::int_& bytes, const simulate::Machine& machine, std::string_view collective,
         std::string_view distribution, std::uint64_t seed, const nb::int_& slot_bytes,
         bool every_rank) {
        return simulated(algorithm,
                         full_nodes(ranks, "ranks_per_node", ranks_per_node, kMostSimulated),
                         static_cast<double>(number_within("bytes", bytes, 0, kMostBytes)),
                         {collective, distribution, seed,
                          number_within("slot_bytes", slot_bytes, 1, kMostBytes), every_rank},
                         machine);
      },
      "algorithm"_a, "ranks"_a, "ranks_per_node"_a, "bytes"_a, "machine"_a,
      "collective"_a = "alltoallv", "distribution"_a = "uniform", "seed"_a = 1,
      "slot_bytes"_a = registry::Settings{}.slot_bytes, "every_rank"_a = false,
      "The time of one exchange on nodes of `ranks_per_node` ranks, with blocks of up to `bytes` "
      "bytes. Where all nodes do the same, one stands for all unless `every_rank` is asked for.");
}

}  // namespace rondo::python
