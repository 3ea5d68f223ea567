// Machines and their prices in Python.
#include "model/machine.hpp"

#include <cmath>
#include <initializer_list>

#include "bind.hpp"
#include "machine_docs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

namespace {

using model::Hockney;
using model::Host;
using model::Link;
using model::LogGp;
using model::Machine;
using model::Prices;

/// NaNs have no order, so they are rejected.
void require_prices(std::initializer_list<double> prices) {
  for (const double price : prices)
    if (!std::isfinite(price) || price < 0)
      throw Error(ErrorClass::argument,
                  text("the machine has a price of ", price, ", must be 0 or more and finite"));
}

const Machine& checked(const Machine& machine) {
  for (const Link& link : {machine.inside, machine.between}) {
    require_prices({link.hockney.alpha_seconds, link.hockney.beta_seconds_per_byte});
    require_prices({link.loggp.latency_seconds, link.loggp.overhead_seconds, link.loggp.gap_seconds,
                    link.loggp.gap_seconds_per_byte});
  }
  const Host& host = machine.host;
  require_prices({host.adapter_seconds_per_byte, host.copy_seconds_per_byte,
                  host.copy_seconds_per_block, host.typed_seconds_per_block, host.arrival_seconds,
                  host.switch_seconds});
  require_at_least("cores", host.cores, 1);
  return machine;
}

void bind_link(nb::module_& module) {
  nb::class_<Hockney>(module, "Hockney", docs::kHockney)
      .def_rw("alpha_seconds", &Hockney::alpha_seconds, "Alpha, for a message.")
      .def_rw("beta_seconds_per_byte", &Hockney::beta_seconds_per_byte, "Beta, for a byte.")
      .def("__repr__", showing("alpha_seconds", "beta_seconds_per_byte"));
  nb::class_<LogGp>(module, "LogGP", docs::kLogGp)
      .def_rw("latency_seconds", &LogGp::latency_seconds, "L.")
      .def_rw("overhead_seconds", &LogGp::overhead_seconds, "o.")
      .def_rw("gap_seconds", &LogGp::gap_seconds, "g.")
      .def_rw("gap_seconds_per_byte", &LogGp::gap_seconds_per_byte, "G.")
      .def("__repr__",
           showing("latency_seconds", "overhead_seconds", "gap_seconds", "gap_seconds_per_byte"));
  nb::class_<Link>(module, "Link", docs::kLink)
      .def_rw("hockney", &Link::hockney, "In Hockney's model.")
      .def_rw("loggp", &Link::loggp, "In LogGP.")
      .def("__repr__", showing("hockney", "loggp"));
}

void bind_host(nb::module_& module) {
  nb::class_<Host>(module, "Host", docs::kHost)
      .def_rw("adapter_seconds_per_byte", &Host::adapter_seconds_per_byte,
              "For a byte that any rank of a node sends to another node.")
      .def_rw("copy_seconds_per_byte", &Host::copy_seconds_per_byte,
              "For a byte that is copied inside a rank or through the memory of its node.")
      .def_rw("copy_seconds_per_block", &Host::copy_seconds_per_block,
              "For a block that is copied, whatever its length.")
      .def_rw("typed_seconds_per_block", &Host::typed_seconds_per_block,
              "The additional cost if the MPI library copies by datatype.")
      .def_rw("arrival_seconds", &Host::arrival_seconds,
              "To write a cache line for another rank of the node and read one from it.")
      .def_rw("switch_seconds", &Host::switch_seconds,
              "To switch from one rank to the next on a shared core.")
      .def_rw("cores", &Host::cores,
              "The cores of a node. If there are more ranks, they share cores.")
      .def("__repr__",
           showing("adapter_seconds_per_byte", "copy_seconds_per_byte", "copy_seconds_per_block",
                   "typed_seconds_per_block", "arrival_seconds", "switch_seconds", "cores"));
}

}  // namespace

void bind_machine(nb::module_& module) {
  bind_link(module);
  bind_host(module);
  nb::class_<Machine>(module, "Machine", docs::kMachine)
      .def_rw("inside", &Machine::inside, "Between two ranks of a node.")
      .def_rw("between", &Machine::between, "Between two ranks of different nodes.")
      .def_rw("host", &Machine::host, "Costs that are the same in both models.")
      .def("__repr__", showing("inside", "between", "host"));
  nb::class_<Prices>(module, "Prices", docs::kPrices);
  module.def("typical_cluster", &model::typical_cluster, docs::kTypicalCluster);
  module.def(
      "hockney", [](const Machine& machine) { return model::hockney(checked(machine)); },
      "machine"_a, docs::kHockneyPrices);
  module.def(
      "loggp", [](const Machine& machine) { return model::loggp(checked(machine)); }, "machine"_a,
      docs::kLogGpPrices);
}

}  // namespace rondo::python
