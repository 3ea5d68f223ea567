// The MPI families by the sonames of their libraries, and where their parts are.
#pragma once

namespace rondo::interpose {

struct Family {
  const char* soname;
  const char* name;  ///< as in RONDO_MPI_FAMILY, and the name of the folder of its part
};

inline constexpr Family kFamilies[] = {
    {"libmpi_abi.so.1", "abi"},  {"libmpi_abi.so.0", "abi"},
    {"libmpi.so.40", "openmpi"}, {"libmpich.so.12", "mpich"},  // Debian's name for it
    {"libmpi.so.12", "mpich"},  // MPICH, Intel MPI and others made from it
};

/// A preload library of functions that some MPI libraries have, and the one that tells. In a process
/// without them nobody must find them, so that library stays away.
struct CountedGroup {
  const char* library;
  const char* function;
};

inline constexpr CountedGroup kCountedGroups[] = {
    {"librondo_preload_large.so", "MPI_Alltoall_init_c"},
    {"librondo_preload_persistent.so", "MPI_Alltoall_init"},
};

inline constexpr const char* kPreloadFile = "librondo_preload.so";
inline constexpr const char* kPartFile = "librondo_interpose.so";
inline constexpr const char* kPartSymbol = "rondo_interpose_part";

}  // namespace rondo::interpose
