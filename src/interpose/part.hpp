// What the preload library, which knows no MPI, and a part, which is built for one MPI family, know
// of each other. The preload library finds a part as FAMILY/librondo_interpose.so beside itself.
#pragma once

#include <cstddef>

namespace rondo::interpose {

enum class Call {
#define RONDO_C(Name, words) Name,
#define RONDO_FORTRAN(Name, name, NAME, words)
#include "interpose/all_calls.def"
#undef RONDO_C
#undef RONDO_FORTRAN
  all
};

inline constexpr std::size_t kCalls = static_cast<std::size_t>(Call::all);

constexpr std::size_t index(Call call) {
  return static_cast<std::size_t>(call);
}

/// A function of whatever type: whoever calls it knows how many arguments it takes.
using Function = void (*)();

/// What a part offers. Changes with every change of this file or of all_calls.def.
struct Part {
  static constexpr int kVersion = 2;

  int version;

  /// Stand for MPI's functions, with their arguments; null where the MPI library's own is called.
  Function c[kCalls];

  /// The same for Fortran.
  Function fortran[kCalls];

  /// Whether Fortran's all-to-all functions of this MPI library end in its C ones under their MPI_
  /// names: then a call from Fortran is seen there, and only there.
  bool fortran_reaches_c;

  /// To be told of a call before it goes to the MPI library's own function; of Finalize in every
  /// language, since that may reach C as PMPI_Finalize or as MPI_Finalize.
  void (*passing)(Call call);

  /// To be told, before the first calls from Fortran, of the dlopen handle in whose scope the
  /// caller's symbols are, MPI_IN_PLACE and MPI_BOTTOM among them; null for the program itself.
  void (*fortran_scope)(void* scope);
};

/// The one function that a part exports, as "rondo_interpose_part".
using PartFunction = const Part* (*)();

}  // namespace rondo::interpose
