// Loads the part for one MPI family. No MPI and no C++ run-time library, as in the libraries that need a part.

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "dropin/contract.hpp"

namespace rondo::dropin {

namespace {

/// A site may have linked this library into a folder of its own, so the link is followed.
bool absolute_path(const char* relative, char* path, std::size_t length) {
  Dl_info own{};
  char file[PATH_MAX];
  if (dladdr(reinterpret_cast<const void*>(&load_part), &own) == 0) return false;
  if (realpath(own.dli_fname, file) == nullptr) return false;
  const int folder = static_cast<int>(std::strrchr(file, '/') - file + 1);
  const int written = std::snprintf(path, length, "%.*s%s", folder, file, relative);
  return written > 0 && static_cast<std::size_t>(written) < length;
}

}  // namespace

void warn(const char* what, const char* detail) {
  if (is_first_rank())
    std::fprintf(stderr, "rondo: %s (%s): all calls are forwarded to the MPI library\n", what,
                 detail);
}

// With RTLD_NOW, a part that needs a function which an older MPI library lacks is rejected here.
// Otherwise the program would end at the call.
const Part* load_part(const char* path) {
  char file[PATH_MAX];
  char real[PATH_MAX];  // the part finds rondo-judge by the name under which it was loaded
  if (!absolute_path(path, file, sizeof file)) return nullptr;
  void* library = dlopen(realpath(file, real) == nullptr ? file : real, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    warn("no part of Rondo fits this MPI library", dlerror());
    return nullptr;
  }
  const auto part_of = reinterpret_cast<PartFunction>(dlsym(library, kPartSymbol));
  const Part* part = part_of == nullptr ? nullptr : part_of();
  if (part != nullptr && part->version == Part::kVersion) return part;
  warn("a part of Rondo and the library that loads it have different versions", file);
  return nullptr;
}

}  // namespace rondo::dropin
