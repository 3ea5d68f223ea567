// The exchanges that can be measured, and the algorithms of the registry, by their names on the command
// line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/algorithm.hpp"
#include "support/records.hpp"

namespace rondo::bench {

using support::Format;

enum class Call {
  alltoall,
  alltoallv,
  alltoallw,
  alltoallv_dynamic,
  sparse_alltoallv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  ialltoall,
  ialltoallv,
  ialltoallw
};

std::string_view to_string(Call call);

/// Whether `call` is a neighbourhood exchange.
constexpr bool is_on_edges(Call call) {
  return call >= Call::neighbor_alltoall && call <= Call::neighbor_alltoallw;
}

/// Whether `call` is started, and completed later.
bool is_started(Call call);

/// The call that takes the same arguments and returns when the exchange is over: `call` itself, unless
/// it is started.
Call blocking(Call call);

/// The collective for which Rondo is told an algorithm of `call`.
std::string_view chosen_for(Call call);

/// The part of the registry whose algorithms perform `call`.
registry::Collective collective_of(Call call);

/// The MPI library's own call, and the algorithm that Rondo chooses itself.
inline constexpr std::string_view kMpi = "mpi";
inline constexpr std::string_view kAuto = "auto";

/// Beside a dynamic exchange: Rondo's own alltoall of counts, and then its alltoallv, both by `auto`.
inline constexpr std::string_view kTwoCalls = "two_calls";

/// Beside a neighbourhood exchange: MPI_Irecv, MPI_Isend and MPI_Waitall, as programs call them.
inline constexpr std::string_view kByHand = "by_hand";

struct Asked {
  std::string text;       ///< an algorithm as the user wrote it, or "auto"
  bool from_all = false;  ///< comes from `all`: left out, with a reason, if it does not apply
  std::string library{};  ///< the file that --contender names; then `text` is only its name
};

/// Parses names separated by commas, with parameters after colons. `all` stands for every row of the
/// registry and for auto. A name given twice counts once. The result always contains `mpi`. Throws
/// Error(argument), which tells which name or parameter is wrong.
std::vector<Asked> select_algorithms(registry::Collective collective, std::string_view list);

/// All algorithms by collective: name, parameters, idea, source and cost.
std::string list_algorithms(Format format);

/// The same for the algorithms that exchange the memory of GPUs.
std::string list_gpu_algorithms(Format format);

}  // namespace rondo::bench
