// A profile: what tuning has measured on one machine with one MPI library, as a JSON text.
//
//   {"schema": "rondo-profile", "version": 1, "rondo": "1.0.0",
//    "signature": {"mpi": "Open MPI v4.1.4", "processor": "...", "cores": 64},
//    "machine": {"inside_alpha_seconds": 5e-7, ...},
//    "layouts": [{"ranks": 64, "nodes": 4, "per_node": 16, "uneven_nodes": 0,
//                 "alltoall": [{"up_to": 256, "algorithm": "node_aware", "reason": "..."},
//                              {"algorithm": "mpi"}],
//                 "alltoallv": [...]}]}
//
// The last band of a list has no "up_to". Other members are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "choice/choice.hpp"
#include "model/machine.hpp"
#include "select/decisions.hpp"

namespace rondo::select {

/// The version of this Rondo.
inline constexpr std::string_view kVersion = RONDO_VERSION_TEXT;

/// The machine and MPI library for which a profile holds.
struct Signature {
  std::string mpi;        ///< the first line of MPI_Get_library_version
  std::string processor;  ///< the system's name for it
  int cores = 1;          ///< of a node, whether used or not

  bool operator==(const Signature&) const = default;
};

/// The decisions that were measured on communicators of one shape.
struct Measured {
  choice::Layout layout;
  Decisions decisions;
};

struct Profile {
  std::string rondo;  ///< the version that wrote it
  Signature signature;
  model::Machine machine;
  std::vector<Measured> layouts;

  /// Null if nothing was measured on such a communicator.
  const Measured* find(const choice::Layout& layout) const;

  /// Replaces what was measured on such a communicator before.
  void put(Measured measured);
};

/// In bytes. A longer text is rejected.
inline constexpr std::size_t kLongestProfile = std::size_t{1} << 22;

/// Throws Error(argument) that says where and why the text is not a profile.
Profile parse_profile(std::string_view text);

std::string to_text(const Profile& profile);

/// The signature of this machine with the MPI library whose MPI_Get_library_version returns that text.
Signature signature_here(std::string_view mpi_library);

/// Why a profile does not hold for `here` and this version of Rondo. Empty if it does.
std::string refusal(const Profile& profile, const Signature& here);

/// Throws Error(argument) if write_profile() would, so that a long run does not fail at its end. Makes
/// the folder.
void require_profile_writable(const std::string& path);

/// Writes the whole file or nothing. Makes the folder if there is none. Throws Error(argument).
void write_profile(const Profile& profile, const std::string& path);

}  // namespace rondo::select
