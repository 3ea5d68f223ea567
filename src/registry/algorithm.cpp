#include "registry/algorithm.hpp"

#include <algorithm>

namespace rondo::registry {

namespace {

using Kind = Parameter::Kind;

constexpr Parameter radix(std::int64_t value) {
  return {"radix", Kind::radix, Default::value, value, "radix of the digits; above P it acts as P"};
}
constexpr Parameter radix_near_root() {
  return {"radix", Kind::radix, Default::sqrt_ranks, 0,
          "radix of the digits; above P it acts as P"};
}
constexpr Parameter intra_radix() {
  return {"intra", Kind::radix, Default::sqrt_per_node, 0,
          "radix inside a node; above Q it acts as Q"};
}
constexpr Parameter inter_radix() {
  return {"inter", Kind::radix, Default::nodes, 0, "radix between nodes; above N it acts as N"};
}
constexpr Parameter ports() {
  return {"ports", Kind::in_flight, Default::whole_phase, 0,
          "rounds of a phase in flight together; 1 = one at a time"};
}
constexpr Parameter window() {
  return {"window", Kind::in_flight, Default::whole_phase, 0, "rounds in flight together"};
}

constexpr Parameter threshold(std::int64_t bytes) {
  return {"threshold", Kind::bytes, Default::value, bytes,
          "bytes; longer blocks go straight to their ranks; off = none"};
}
constexpr Parameter inter() {
  return {"inter", Kind::between, Default::between_nodes, 0,
          "how messages travel between nodes: direct or bruck"};
}
constexpr Parameter node_radix() {
  return {"radix", Kind::radix, Default::sqrt_nodes, 0, "of inter=bruck; above N it acts as N"};
}
constexpr Parameter parts() {
  return {"parts", Kind::parts, Default::value, 1,
          "messages for each pair of nodes; no more than the smallest node has ranks"};
}

constexpr Algorithm kAlgorithms[] = {
#define RONDO_ALGORITHM(collective, name, shape, failures, parameters, idea, source, cost) \
  {Collective::collective, #name, Shape::shape, Failures::failures, parameters, idea, source, cost},
#define RONDO_FORWARDED RONDO_ALGORITHM
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM
};

}  // namespace

std::span<const Algorithm> algorithms() {
  return kAlgorithms;
}

const Algorithm* find(Collective collective, std::string_view name) {
  const auto* row = std::ranges::find_if(kAlgorithms, [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return row == std::end(kAlgorithms) ? nullptr : row;
}

std::string_view to_string(Collective collective) {
  return collective == Collective::alltoall ? "alltoall" : "alltoallv";
}

}  // namespace rondo::registry
