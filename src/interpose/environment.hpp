// What the environment says, where MPI cannot be asked yet.
#pragma once

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace rondo::interpose {

/// Whether a variable switches something on: set, and neither empty nor 0.
inline bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/// Whether the launcher's variables make this process rank 0, which speaks of what all ranks see
/// alike; true if they say nothing.
inline bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
  return true;
}

}  // namespace rondo::interpose
