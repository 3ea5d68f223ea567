#include "algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "support/text.hpp"

namespace rondo::bench {

namespace {

void add(std::vector<Asked>& asked, const Asked& one) {
  if (std::ranges::find(asked, one.text, &Asked::text) == asked.end()) asked.push_back(one);
}

void add_all(std::vector<Asked>& asked, registry::Collective collective) {
  for (const registry::Algorithm& algorithm : registry::algorithms_of(collective))
    if (algorithm.collective == collective)
      add(asked, {.text = std::string(algorithm.name), .from_all = true});
  add(asked, {.text = std::string(kAuto), .from_all = true});
}

void validate(registry::Collective collective, std::string_view entry) {
  if (entry == kAuto) return;
  try {
    choice::parse(collective, entry);
  } catch (const Error& error) {
    throw Error(error.error_class(), text("--algorithm: ", error.what()));
  }
}

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

/// Appends a row for programs, and before the first one the names of the columns.
void append_row(std::string& out, Format format, const registry::Algorithm& algorithm) {
  std::string parameters;
  for (const registry::Parameter& parameter : algorithm.parameters.list())
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ":", parameter.name,
                              choice::default_text(parameter));
  const support::Json row = {{"collective", registry::to_string(algorithm.collective)},
                             {"algorithm", algorithm.name},
                             {"parameters", parameters},
                             {"idea", algorithm.idea},
                             {"cost", algorithm.cost},
                             {"source", algorithm.source}};
  out += support::record_text(format, row, out.empty());
}

std::string list_of(Format format, std::string (*describe)(),
                    std::initializer_list<registry::Collective> collectives) {
  if (format == Format::table) return describe();
  std::string out;
  for (const registry::Collective collective : collectives)
    for (const registry::Algorithm& algorithm : registry::algorithms_of(collective))
      if (algorithm.collective == collective) append_row(out, format, algorithm);
  return out;
}

std::string describe_algorithms() {
  std::string out = fmt::format("{}two_layer_bruck:intra=4:inter=8\n\n", kWords);
  append_collective(out, registry::Collective::alltoall, "alltoall");
  out += '\n';
  append_collective(out, registry::Collective::alltoallv, "alltoallv and alltoallw");
  out += '\n';
  append_collective(out, registry::Collective::sparse_alltoallv, "sparse_alltoallv");
  out += '\n';
  append_collective(out, registry::Collective::neighbor_alltoallv,
                    "neighbor_alltoall, neighbor_alltoallv and neighbor_alltoallw");
  return out;
}

std::string describe_gpu_algorithms() {
  std::string out = fmt::format("{}nccl_bruck:radix=4; graph: before it captures it\n\n", kWords);
  append_collective(out, registry::Collective::gpu, "alltoall of GPU memory");
  return out;
}

}  // namespace

std::string_view to_string(Call call) {
  constexpr std::string_view kNames[] = {
      "alltoall",         "alltoallv",         "alltoallw",          "alltoallv_dynamic",
      "sparse_alltoallv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
      "ialltoall",        "ialltoallv",        "ialltoallw"};
  return kNames[static_cast<std::size_t>(call)];
}

bool is_started(Call call) {
  return blocking(call) != call;
}

Call blocking(Call call) {
  if (call == Call::ialltoall) return Call::alltoall;
  if (call == Call::ialltoallv) return Call::alltoallv;
  return call == Call::ialltoallw ? Call::alltoallw : call;
}

std::string_view chosen_for(Call call) {
  if (is_on_edges(call)) return to_string(Call::neighbor_alltoallv);
  return to_string(call == Call::alltoallv_dynamic ? Call::alltoallv : blocking(call));
}

registry::Collective collective_of(Call call) {
  if (call == Call::sparse_alltoallv) return registry::Collective::sparse_alltoallv;
  if (is_on_edges(call)) return registry::Collective::neighbor_alltoallv;
  return blocking(call) == Call::alltoall ? registry::Collective::alltoall
                                          : registry::Collective::alltoallv;
}

std::vector<Asked> select_algorithms(registry::Collective collective, std::string_view list) {
  std::vector<Asked> asked;
  for (const std::string& entry : support::split_at_commas(list)) {
    if (entry == "all") {
      add_all(asked, collective);
      continue;
    }
    validate(collective, entry);
    add(asked, {.text = entry});
  }
  add(asked, {.text = std::string(kMpi)});
  return asked;
}

std::string list_algorithms(Format format) {
  return list_of(
      format, describe_algorithms,
      {registry::Collective::alltoall, registry::Collective::alltoallv,
       registry::Collective::sparse_alltoallv, registry::Collective::neighbor_alltoallv});
}

std::string list_gpu_algorithms(Format format) {
  return list_of(format, describe_gpu_algorithms, {registry::Collective::gpu});
}

}  // namespace rondo::bench
