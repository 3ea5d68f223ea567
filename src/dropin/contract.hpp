// What the preload library, the part for one MPI family, rondo-exec and rondo-judge agree on. The
// preload library includes it too, so there is nothing of MPI and of the C++ run-time library here.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace rondo::dropin {

/// The functions of MPI that are stood in for.
enum class MpiCall {
#define RONDO_C(group, Name, words) Name,
#define RONDO_FORTRAN(group, Name, name, NAME, words)
#include "dropin/calls.def"
#undef RONDO_C
#undef RONDO_FORTRAN
  all
};

inline constexpr std::size_t kCalls = static_cast<std::size_t>(MpiCall::all);

constexpr std::size_t index(MpiCall call) {
  return static_cast<std::size_t>(call);
}

/// A function of whatever type: whoever calls it knows how many arguments it takes.
using Function = void (*)();

/// What a part offers. The version changes with every change of this struct or of calls.def.
struct Part {
  static constexpr int kVersion = 3;

  int version;

  /// What stands in for MPI's functions, with their arguments; null where the MPI library's own
  /// function is called.
  Function c[kCalls];

  /// The same for Fortran.
  Function fortran[kCalls];

  /// Whether Fortran's all-to-all functions of this MPI library call the C ones by their MPI_
  /// names: a call from Fortran is then seen in C, and only there.
  bool fortran_reaches_c;

  /// Is told of a call before it goes to the MPI library's own function. Finalize is told of in
  /// every language, since Fortran's may call PMPI_Finalize or MPI_Finalize.
  void (*passing)(MpiCall call);

  /// Is told, before the first calls from Fortran, of the dlopen handle in whose scope the caller's
  /// symbols are, MPI_IN_PLACE and MPI_BOTTOM among them; null for the program itself.
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

/// The folder lib/rondo holds the preload libraries and rondo-judge; parts are in FAMILY/ below it.
inline constexpr const char* kPreloadFile = "librondo_preload.so";
inline constexpr const char* kPartFile = "librondo_dropin.so";
inline constexpr const char* kJudgeFile = "rondo-judge";

/// A preload library for functions that only some MPI libraries have, and the function that tells
/// which ones. It is left out elsewhere, where a program must not find them.
struct CountedGroup {
  const char* library;
  const char* function;
};

inline constexpr CountedGroup kCountedGroups[] = {
    {"librondo_preload_large.so", "MPI_Alltoall_init_c"},
    {"librondo_preload_persistent.so", "MPI_Alltoall_init"},
};

/// Whether an environment variable switches something on: it is set, and neither empty nor 0.
inline bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/// Whether the launcher's variables make this process rank 0, which prints what is the same on all
/// ranks; true if they say nothing.
inline bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
  return true;
}

}  // namespace rondo::dropin
