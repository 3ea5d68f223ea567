// A simulated machine from a modelled one, and what makes a machine valid.
#include "simulate/machine.hpp"

#include <cmath>
#include <initializer_list>

#include "base/error.hpp"
#include "choice/choice.hpp"

namespace rondo::simulate {

namespace {

Path path_of(const model::LogGp& link) {
  return {.overhead_seconds = link.overhead_seconds,
          .gap_seconds = link.gap_seconds,
          .latency_seconds = link.latency_seconds,
          .seconds_per_byte = link.gap_seconds_per_byte};
}

model::Link link_of(const Path& path) {
  return {.hockney = {.alpha_seconds = path.latency_seconds + 2 * path.overhead_seconds,
                      .beta_seconds_per_byte = path.seconds_per_byte},
          .loggp = {.latency_seconds = path.latency_seconds,
                    .overhead_seconds = path.overhead_seconds,
                    .gap_seconds = path.gap_seconds,
                    .gap_seconds_per_byte = path.seconds_per_byte}};
}

void require_prices(std::initializer_list<double> prices) {
  for (const double price : prices)
    if (!std::isfinite(price) || price < 0)
      throw Error(ErrorClass::argument,
                  text("the machine has a price of ", price, ", must be 0 or more and finite"));
}

void require_known(registry::Collective collective, const std::string& request) {
  if (choice::parse(collective, request).algorithm->is_library())
    throw Error(ErrorClass::argument, "the MPI library's own call cannot stand for itself");
}

}  // namespace

Machine from_model(const model::Machine& machine) {
  const model::Host& host = machine.host;
  return {
      .inside = path_of(machine.inside.loggp),
      .between = path_of(machine.between.loggp),
      .adapter = {.seconds_per_byte = host.adapter_seconds_per_byte},
      .copying = {.seconds_per_byte = host.copy_seconds_per_byte,
                  .seconds_per_block = host.copy_seconds_per_block,
                  .typed_seconds_per_block = host.typed_seconds_per_block},
      .waiting = {.arrival_seconds = host.arrival_seconds, .switch_seconds = host.switch_seconds},
      .cores = host.cores};
}

model::Machine to_model(const Machine& machine) {
  const Copying& copying = machine.copying;
  return {.inside = link_of(machine.inside),
          .between = link_of(machine.between),
          .host = {.adapter_seconds_per_byte =
                       machine.adapter.seconds_per_byte / machine.adapter.per_node,
                   .copy_seconds_per_byte = copying.seconds_per_byte,
                   .copy_seconds_per_block = copying.seconds_per_block,
                   .typed_seconds_per_block = copying.typed_seconds_per_block,
                   .arrival_seconds = machine.waiting.arrival_seconds,
                   .switch_seconds = machine.waiting.switch_seconds,
                   .cores = machine.cores}};
}

void require_valid(const Machine& machine) {
  for (const Path& path : {machine.inside, machine.between})
    require_prices({path.overhead_seconds, path.gap_seconds, path.latency_seconds,
                    path.seconds_per_byte, path.eager_bytes});
  const Adapter& adapter = machine.adapter;
  require_prices({adapter.seconds_per_message, adapter.seconds_per_byte, adapter.short_bytes,
                  adapter.short_seconds_per_byte});
  const Copying& copying = machine.copying;
  require_prices({copying.seconds_per_byte, copying.cache_bytes, copying.far_seconds_per_byte,
                  copying.seconds_per_block, copying.typed_seconds_per_block,
                  copying.seconds_per_size});
  const Waiting& waiting = machine.waiting;
  require_prices({waiting.match_seconds, waiting.arrival_seconds, waiting.switch_seconds,
                  waiting.noise_seconds});
  if (adapter.per_node < 1 || machine.cores < 1)
    throw Error(ErrorClass::argument, text("the machine has ", adapter.per_node, " adapters and ",
                                           machine.cores, " cores in a node, must be 1 or more"));
  require_known(registry::Collective::alltoall, machine.mpi_alltoall);
  require_known(registry::Collective::alltoallv, machine.mpi_alltoallv);
}

}  // namespace rondo::simulate
