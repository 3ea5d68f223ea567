// Loads the part for one MPI family. No MPI and no C++ run-time library, as in the libraries that need a part.

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "dropin/contract.hpp"

namespace rondo::dropin {

void warn(const char* what, const char* detail) {
  if (is_first_rank())
    std::fprintf(stderr, "rondo: %s (%s): all calls are forwarded to the MPI library\n", what,
                 detail);
}

// With RTLD_NOW, a part that needs a function which an older MPI library lacks is rejected here.
// Otherwise the program would end at the call.
const Part* load_part(const char* path) {
  Dl_info own{};
  char file[PATH_MAX];
  char real[PATH_MAX];  // a site may have linked this library into a folder of its own
  if (dladdr(reinterpret_cast<const void*>(&load_part), &own) == 0) return nullptr;
  if (realpath(own.dli_fname, real) == nullptr) return nullptr;
  const int folder = static_cast<int>(std::strrchr(real, '/') - real + 1);
  const int written = std::snprintf(file, sizeof file, "%.*s%s", folder, real, path);
  if (written < 0 || static_cast<std::size_t>(written) >= sizeof file) return nullptr;
  // The part finds rondo-judge by the name under which it was loaded.
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
