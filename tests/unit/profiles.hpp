// A profile as tuning writes it, for tests that read or change it.
#pragma once

#include <string>

#include "select/profile.hpp"

namespace rondo::select {

inline constexpr registry::Collective kUniform = registry::Collective::alltoall;
inline constexpr registry::Collective kVariable = registry::Collective::alltoallv;

inline Band band(registry::Collective collective, std::size_t up_to, const char* name,
                 const char* reason = "") {
  return {.up_to = up_to, .choice = choice::parse(collective, name), .reason = reason};
}

/// Two layouts, one of them of unequal nodes, and a machine whose numbers all differ.
inline Profile sample_profile() {
  Profile profile{.rondo = std::string(kVersion),
                  .signature = {.mpi = "Some MPI v1.2", .processor = "A Processor", .cores = 48},
                  .machine = model::typical_cluster(),
                  .layouts = {}};
  profile.machine.host.cores = 48;
  const Bands uniform = {band(kUniform, 64, "tunable_bruck:radix=3", "12.3 us against 45.6"),
                         band(kUniform, kNoEnd, "mpi", "the library's own")};
  const Bands variable = {band(kVariable, 0, "sloav"), band(kVariable, 100, "fused_bruck"),
                          band(kVariable, 8192, "node_aware:inter=bruck:radix=4", "\"\\/ µ"),
                          band(kVariable, kNoEnd, "spread_out:window=4")};
  profile.put(
      {.layout = {.ranks = 64, .nodes = 4, .per_node = 16}, .decisions = {uniform, variable}});
  profile.put({.layout = {.ranks = 12, .nodes = 6, .per_node = 2, .uneven_nodes = 3},
               .decisions = {{uniform.back()}, {variable.back()}}});
  return profile;
}

}  // namespace rondo::select
