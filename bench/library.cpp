#include "library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"

namespace rondo::bench {

const Library kMpiLibrary{
    .calls = {MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw},
    .on_edges = {MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw},
    .starts = {MPI_Ialltoall, MPI_Ialltoallv, MPI_Ialltoallw}};

const Library kRondo{
    .calls = {Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw},
    .on_edges = {Rondo_Neighbor_alltoall, Rondo_Neighbor_alltoallv, Rondo_Neighbor_alltoallw},
    .dynamic = Rondo_Alltoallv_dynamic,
    .sparse = Rondo_Sparse_alltoallv};

namespace {

std::string symbol_of(Call call) {
  return text("contender_", to_string(call));
}

/// The file of the MPI library that is found from `handle`; empty if there is none.
std::string mpi_library_of(void* handle) {
  Dl_info info{};
  void* const function = dlsym(handle, "MPI_Get_library_version");
  if (function == nullptr || dladdr(function, &info) == 0) return "";
  return info.dli_fname;
}

/// A second MPI library has handles of its own, and would be given those of this one.
void require_same_mpi(void* handle, const std::string& file) {
  const std::string theirs = mpi_library_of(handle);
  const std::string ours = mpi_library_of(RTLD_DEFAULT);
  if (theirs.empty() || theirs == ours) return;
  throw Error(ErrorClass::argument,
              text("--contender: ", file, " is linked to ", theirs, " and rondo-bench to ", ours,
                   "; build it with the MPI library of rondo-bench"));
}

template <class Function>
void find(void* handle, Call call, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol_of(call).c_str()));
}

}  // namespace

Library load_library(const std::string& file, Call call) {
  // A name without a slash would be looked for among the system's libraries.
  const std::string path = std::filesystem::absolute(file).string();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Error(ErrorClass::argument,
                text("--contender: ", file, " cannot be loaded: ", dlerror()));
  require_same_mpi(handle, file);
  if (dlsym(handle, symbol_of(call).c_str()) == nullptr)
    throw Error(ErrorClass::argument, text("--contender: ", file, " has no function ",
                                           symbol_of(call), ", which in C++ needs C linkage"));
  Library library;
  find(handle, Call::alltoall, library.calls.alltoall);
  find(handle, Call::alltoallv, library.calls.alltoallv);
  find(handle, Call::alltoallw, library.calls.alltoallw);
  find(handle, Call::neighbor_alltoall, library.on_edges.alltoall);
  find(handle, Call::neighbor_alltoallv, library.on_edges.alltoallv);
  find(handle, Call::neighbor_alltoallw, library.on_edges.alltoallw);
  find(handle, Call::ialltoall, library.starts.alltoall);
  find(handle, Call::ialltoallv, library.starts.alltoallv);
  find(handle, Call::ialltoallw, library.starts.alltoallw);
  find(handle, Call::alltoallv_dynamic, library.dynamic);
  find(handle, Call::sparse_alltoallv, library.sparse);
  return library;
}

}  // namespace rondo::bench
