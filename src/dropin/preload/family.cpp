// Finds the MPI family of the program and loads the part for it.

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstring>

#include "dropin/preload/preload.hpp"

namespace rondo::dropin {

namespace {

constexpr const char* kOnlyInMpi = "PMPI_Init";

/// Returns the family of `mpi`, or null. Open MPI 1.10 had the soname that MPICH has now; either may implement the
/// standard ABI. Also makes the library's symbols global: a Python extension loads its MPI library with local symbols,
/// and a part could not resolve them.
const Family* family_of(void* mpi) {
  for (const Family& family : kFamilies) {
    void* named = dlopen(family.soname, RTLD_LAZY | RTLD_NOLOAD);
    if (named == nullptr || named != mpi) continue;
    const bool is_openmpi = dlsym(mpi, "ompi_mpi_comm_world") != nullptr;
    const bool is_abi = std::strcmp(family.name, "abi") == 0;
    if (!is_abi && is_openmpi != (std::strcmp(family.name, "openmpi") == 0)) continue;
    if (dlopen(family.soname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr) return &family;
  }
  return nullptr;
}

/// Loads the part in the folder of the family, beside this library. Tools that wrap MPI define the MPI_ names, but only
/// the library itself defines the PMPI_ names.
const Part* part_for(const void* caller) {
  if (is_set("RONDO_DISABLE")) return nullptr;
  const Function init = next_function(kOnlyInMpi, caller);
  void* mpi = init == nullptr ? nullptr : scope_of(reinterpret_cast<const void*>(init));
  if (const Family* family = family_of(mpi)) {
    char path[64];
    std::snprintf(path, sizeof path, "%s/%s", family->name, kPartFile);
    return load_part(path);
  }
  warn("this MPI library is not supported",
       "supported are Open MPI, MPICH and its derivatives, and the standard ABI");
  return nullptr;
}

}  // namespace

const Part* find_part(const void* caller) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool is_known = false;
  static const Part* part = nullptr;
  pthread_mutex_lock(&mutex);
  if (!is_known) part = part_for(caller);
  is_known = true;
  pthread_mutex_unlock(&mutex);
  return part;
}

void* scope_of(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

namespace {

/// Whether `new` in this process is the C++ library's. A part calls what the program has instead, which may use
/// objects of the program.
bool has_plain_new() {
  void* const plain_new = dlsym(RTLD_DEFAULT, "_Znwm");
  Dl_info info{};
  return plain_new == nullptr || (dladdr(plain_new, &info) != 0 &&
                                  (std::strstr(info.dli_fname, "/libstdc++.so") != nullptr ||
                                   std::strstr(info.dli_fname, "/libc++.so") != nullptr));
}

/// Loading a part takes about a millisecond, for which the first exchange would wait. A program that is linked to its
/// MPI library gets its part before it begins, unless that would run code of the program before its objects are made.
__attribute__((constructor)) void load_early() {
  if (dlsym(RTLD_NEXT, kOnlyInMpi) != nullptr && has_plain_new()) find_part(nullptr);
}

}  // namespace

Function next_function(const char* name, const void* caller) {
  void* next = dlsym(RTLD_NEXT, name);
  // It may belong to another MPI library than the next one, newer and with functions that the program's library lacks.
  void* library = next == nullptr ? nullptr : scope_of(next);
  void* init = library == nullptr ? nullptr : dlsym(library, kOnlyInMpi);
  if (init != nullptr && init != dlsym(RTLD_NEXT, kOnlyInMpi)) next = nullptr;
  // The next libraries do not include one that was loaded with local symbols.
  if (void* scope = next == nullptr ? scope_of(caller) : nullptr) next = dlsym(scope, name);
  return reinterpret_cast<Function>(next);
}

}  // namespace rondo::dropin
