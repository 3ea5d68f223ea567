// A profile: what tuning found out about one machine with one MPI library, as a JSON text.
//
//   {"schema": "rondo-profile", "version": 1, "rondo": "1.0.0",
//    "signature": {"mpi": "Open MPI v4.1.4", "processor": "...", "cores": 64},
//    "machine": {"inside_alpha_seconds": 5e-7, ...},
//    "layouts": [{"ranks": 64, "nodes": 4, "per_node": 16, "uneven_nodes": 0,
//                 "alltoall": [{"up_to": 256, "algorithm": "node_aware", "reason": "..."},
//                              {"algorithm": "mpi"}],
//                 "alltoallv": [...]}]}
//
// The last band of a list has no "up_to". Members that are not named here are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/decisions.hpp"

namespace rondo::select {

/// Of this Rondo.
inline constexpr std::string_view kVersion = RONDO_VERSION_TEXT;

/// Where a profile holds: it is foreign elsewhere.
struct Signature {
  std::string mpi;        ///< the first line of MPI_Get_library_version
  std::string processor;  ///< as the system calls it
  int cores = 1;          ///< of a node, in use or not

  bool operator==(const Signature&) const = default;
};

/// A communicator's shape on which algorithms were measured.
struct Measured {
  choice::Layout layout;
  Decisions decisions;
};

struct Profile {
  std::string rondo;  ///< the version that wrote it
  Signature signature;
  model::Machine machine;
  std::vector<Measured> layouts;

  /// Null where nothing was measured on such a communicator.
  const Measured* find(const choice::Layout& layout) const;

  /// In place of what was measured on such a communicator before.
  void put(Measured measured);
};

/// In bytes. A longer text is refused.
inline constexpr std::size_t kLongestProfile = std::size_t{1} << 22;

/// Throws Error(argument) that says where the text is not a profile, and why.
Profile parse_profile(std::string_view text);

std::string to_text(const Profile& profile);

/// Of this machine, and of the MPI library with that text of MPI_Get_library_version.
Signature signature_here(std::string_view mpi_library);

/// Why a profile does not hold for `here` and this version of Rondo; empty where it does.
std::string refusal(const Profile& profile, const Signature& here);

}  // namespace rondo::select
