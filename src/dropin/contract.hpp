// What the preload library, Open MPI's component, the part for one MPI family, rondo-exec and rondo-judge
// agree on. The first two include this file, so it uses neither MPI nor the C++ run-time library.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "base/own_calls.hpp"

namespace rondo::dropin {

/// The MPI functions that Rondo replaces.
enum class MpiCall {
#define RONDO_C(Name, words) Name,
#define RONDO_IN_MPI(Name) Name,
#include "dropin/calls.def"
  all
};

inline constexpr std::size_t kCalls = static_cast<std::size_t>(MpiCall::all);

constexpr std::size_t index(MpiCall call) {
  return static_cast<std::size_t>(call);
}

/// A pointer to a function of any type. The caller knows how many arguments the function takes.
using Function = void (*)();

/// How a component of the MPI library makes requests: exchange::LibraryRequests without the types of MPI.
struct Requests {
  void* (*make)(void* comm);
  void* (*make_persistent)(void* comm, void* exchange);
  void (*complete)(void* request, int code);
  void (*discard)(void* request);
};

/// What a function that starts an exchange, or makes a persistent request, returns to a component if Rondo does not.
inline constexpr int kLeft = -1;

/// What a part provides. The version changes with every change of this struct or of calls.def.
struct Part {
  static constexpr int kVersion = 8;

  int version;

  /// The replacements of MPI's C functions, with the same arguments. A null pointer means that the
  /// MPI library's own function is called.
  Function c[kCalls];

  /// The same for a component of the MPI library: errors are not raised, because the library raises what
  /// the component returns, and an exchange that Rondo does not start is not forwarded.
  Function in_mpi[kCalls];

  /// Called once by a component, before any other function.
  void (*set_requests)(const Requests& requests);

  /// What a component does with the exchange of a persistent request.
  void (*start_persistent)(void* exchange);
  void (*free_persistent)(void* exchange);

  /// The same as `c` for Fortran.
  Function fortran[kCalls];

  /// Whether this MPI library's Fortran all-to-all functions call the C ones by their MPI_ names.
  /// Then a call from Fortran is seen in C, and only there.
  bool fortran_reaches_c;

  /// Called before a call is forwarded to the MPI library. It is called for Finalize in every
  /// language, since Fortran's function may call PMPI_Finalize or MPI_Finalize.
  void (*before_forward)(MpiCall call);

  /// Notes that the program has itself called a function of Rondo.
  NoteOwnCall note_own_call;

  /// Called before the first calls from Fortran with the dlopen handle in whose scope the caller's
  /// symbols are, MPI_IN_PLACE and MPI_BOTTOM among them. The handle of the program itself is null.
  void (*fortran_scope)(void* scope);
};

/// The one function that a part exports.
using PartFunction = const Part* (*)();
inline constexpr const char* kPartSymbol = "rondo_dropin_part";

/// An MPI family, by the soname of its library.
struct Family {
  const char* soname;
  const char* name;  ///< as in RONDO_MPI_FAMILY, and the folder of its part
};

inline constexpr Family kFamilies[] = {
    {"libmpi_abi.so.1", "abi"},  {"libmpi_abi.so.0", "abi"},
    {"libmpi.so.40", "openmpi"}, {"libmpich.so.12", "mpich"},  // Debian's name for it
    {"libmpi.so.12", "mpich"},  // MPICH, Intel MPI and others made from it
};

/// The folder lib/rondo holds the preload library and rondo-judge. The parts are in
/// lib/rondo/FAMILY/.
inline constexpr const char* kPreloadFile = "librondo_preload.so";
inline constexpr const char* kPartFile = "librondo_dropin.so";
inline constexpr const char* kComponentFile = "mca_coll_rondo.so";  // in lib/rondo/openmpi/VERSION/
inline constexpr const char* kJudgeFile = "rondo-judge";

/// Says on rank 0 why Rondo does not take part in this process.
void warn(const char* what, const char* detail);

/// Returns the part at `path`, relative to the folder of the library that contains this code, so that an
/// installed tree can be moved. Returns null, after one warning, if it cannot be loaded. In load.cpp.
const Part* load_part(const char* path);

/// Whether an environment variable switches something on: it is set and neither empty nor 0.
inline bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/// Whether the launcher's variables say that this process is rank 0, which prints what is the same
/// on all ranks. True if they say nothing.
inline bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
  return true;
}

/// How many ranks the launcher's variables say it has started; 0 if they say nothing.
inline int started_ranks() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* ranks = std::getenv(variable)) return std::atoi(ranks);
  return 0;
}

}  // namespace rondo::dropin
