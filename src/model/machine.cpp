// The typical cluster, and prices in the two message models.
#include "model/machine.hpp"

#include <algorithm>

namespace rondo::model {

namespace {

LinkPrice price(const Hockney& link) {
  return {.wait_seconds = 0,
          .message_seconds = link.alpha_seconds,
          .seconds_per_byte = link.beta_seconds_per_byte};
}

LinkPrice price(const LogGp& link) {
  const double alone = link.latency_seconds + 2 * link.overhead_seconds;
  const double next = std::max(link.gap_seconds, 2 * link.overhead_seconds);
  return {.wait_seconds = alone - next,
          .message_seconds = next,
          .seconds_per_byte = link.gap_seconds_per_byte};
}

}  // namespace

Machine typical_cluster() {
  return {
      .inside = {.hockney = {.alpha_seconds = 0.5e-6, .beta_seconds_per_byte = 1e-10},
                 .loggp = {.latency_seconds = 0.25e-6,
                           .overhead_seconds = 0.125e-6,
                           .gap_seconds = 0.25e-6,
                           .gap_seconds_per_byte = 1e-10}},
      .between = {.hockney = {.alpha_seconds = 1.3e-6, .beta_seconds_per_byte = 0.8e-10},
                  .loggp = {.latency_seconds = 0.9e-6,
                            .overhead_seconds = 0.2e-6,
                            .gap_seconds = 0.4e-6,
                            .gap_seconds_per_byte = 0.8e-10}},
      .host = {.adapter_seconds_per_byte = 0.8e-10,
               .copy_seconds_per_byte = 0.25e-10,
               .copy_seconds_per_block = 5e-9,
               .typed_seconds_per_block = 7e-9,
               .arrival_seconds = 0.05e-6,
               .switch_seconds = 2.5e-6,
               .cores = 64},
  };
}

Prices hockney(const Machine& machine) {
  return {price(machine.inside.hockney), price(machine.between.hockney), machine.host};
}

Prices loggp(const Machine& machine) {
  return {price(machine.inside.loggp), price(machine.between.loggp), machine.host};
}

}  // namespace rondo::model
