// Where results come from: what somebody needs to judge them later.
#pragma once

#include <string>
#include <string_view>

namespace rondo::bench {

struct Origin {
  std::string rondo;  ///< Rondo's version
  std::string mpi;    ///< the MPI library's name
  std::string mpi_version;
  std::string host;  ///< of rank 0
  long cores = 0;    ///< of that host
  std::string date;  ///< when the run began, UTC, as in 2026-01-31T12:00:00Z
  std::string command;
};

/// The first two of what MPI_Get_library_version says, which every library words in its own way.
struct MpiName {
  std::string name;
  std::string version;  ///< empty where there is none
};
MpiName mpi_name(std::string_view library_version);

/// Of this process, now. `library_version` is what MPI_Get_library_version says.
Origin find_origin(std::string_view library_version, const std::string& command);

/// Two lines that stand above tables.
std::string to_text(const Origin& origin);

}  // namespace rondo::bench
