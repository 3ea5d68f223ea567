#include "listing.hpp"

#include <fmt/format.h>

#include <iterator>

#include "choice/choice.hpp"

namespace rondo::bench {

namespace {

void append_algorithm(std::string& out, const registry::Algorithm& algorithm) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "\n  {}\n      {}\n", algorithm.name, algorithm.idea);
  for (const registry::Parameter& parameter : algorithm.parameters.list())
    fmt::format_to(to, "      {:7} {}-..., default {}: {}\n", parameter.name,
                   choice::value_text(parameter, parameter.least), choice::default_text(parameter),
                   parameter.meaning);
  fmt::format_to(to, "      cost    {}\n      source  {}\n", algorithm.cost, algorithm.source);
}

void append_collective(std::string& out, registry::Collective collective, std::string_view title) {
  fmt::format_to(std::back_inserter(out), "{}\n", title);
  for (const registry::Algorithm& algorithm : registry::algorithms_of(collective))
    if (algorithm.collective == collective) append_algorithm(out, algorithm);
}

constexpr const char* kWords =
    "P ranks, N nodes of Q ranks each; S bytes the largest block; K rounds; D blocks that a "
    "rank\n"
    "sends in all. Parameters go behind the name: ";

}  // namespace

std::string list_algorithms() {
  std::string out = fmt::format("{}two_layer_bruck:intra=4:inter=8\n\n", kWords);
  append_collective(out, registry::Collective::alltoall, "alltoall");
  out += '\n';
  append_collective(out, registry::Collective::alltoallv, "alltoallv and alltoallw");
  return out;
}

std::string list_gpu_algorithms() {
  std::string out = fmt::format("{}nccl_bruck:radix=4; graph: before it captures it\n\n", kWords);
  append_collective(out, registry::Collective::gpu, "alltoall of GPU memory");
  return out;
}

}  // namespace rondo::bench
