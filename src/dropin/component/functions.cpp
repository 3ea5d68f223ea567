// Finds Rondo's functions, in the part for Open MPI that the preload library loads, too.

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "dropin/component/component.h"
#include "dropin/contract.hpp"

namespace rondo::dropin {

namespace {

/// The folder of this component is named after the version of Open MPI, and stands beside the part.
constexpr const char* kPart = "../librondo_dropin.so";

static_assert(RONDO_LEFT == kLeft);

const Part* g_part = nullptr;

/// The program's calls reach Rondo before they reach Open MPI.
bool is_preloaded() {
  Dl_info info{};
  void* const alltoall = dlsym(RTLD_DEFAULT, "MPI_Alltoall");
  if (alltoall == nullptr || dladdr(alltoall, &info) == 0) return false;
  return std::strstr(info.dli_fname, kPreloadFile) != nullptr;
}

/// A Python extension loads Open MPI with local symbols, and a part could not resolve them.
void make_symbols_global() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Init), &info) != 0)
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

void finalize() {
  g_part->before_forward(MpiCall::Finalize);
}

}  // namespace

}  // namespace rondo::dropin

struct rondo_functions rondo_functions;

int rondo_load_functions(void) {
  using namespace rondo::dropin;
  if (is_set("RONDO_DISABLE") || is_preloaded()) return 0;
  make_symbols_global();
  g_part = load_part(kPart);
  if (g_part == nullptr) return 0;
#define RONDO_FUNCTION(name, Name, form, kind) \
  rondo_functions.name =                       \
      reinterpret_cast<decltype(rondo_functions.name)>(g_part->in_mpi[index(MpiCall::Name)]);
#include "dropin/component/functions.def"
  rondo_functions.start_persistent = g_part->start_persistent;
  rondo_functions.free_persistent = g_part->free_persistent;
  g_part->set_requests(
      {reinterpret_cast<decltype(Requests::make)>(rondo_make_request),
       reinterpret_cast<decltype(Requests::make_persistent)>(rondo_make_persistent_request),
       reinterpret_cast<decltype(Requests::complete)>(rondo_complete_request),
       reinterpret_cast<decltype(Requests::discard)>(rondo_discard_request)});
  rondo_functions.finalize = finalize;
  return 1;
}

int rondo_fits(int major, int minor, int has_same_layout) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  int own_major = 0;
  int own_minor = 0;
  PMPI_Get_library_version(text, &length);
  const int found = std::sscanf(text, "Open MPI v%d.%d", &own_major, &own_minor);
  if (found == 2 && own_major == major && own_minor == minor && has_same_layout) return 1;
  if (!rondo::dropin::is_first_rank()) return 0;
  text[std::strcspn(text, ",\n")] = '\0';
  std::fprintf(
      stderr,
      "rondo: the component is for Open MPI %d.%d and does not take part in %s; build Rondo "
      "with the headers of that Open MPI\n",
      major, minor, text);
  return 0;
}
