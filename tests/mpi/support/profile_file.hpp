// A profile in a file of its own, which RONDO_PROFILE names while this lives.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "select/profile.hpp"
#include "support/placement.hpp"

namespace rondo::testing {

/// Each algorithm with the most bytes that it is for; the last one is for the rest.
using BandRows = std::vector<std::pair<std::size_t, const char*>>;

/// The decisions of `auto`.
inline select::Decisions decisions_of(const BandRows& alltoall, const BandRows& alltoallv) {
  const auto bands_of = [](registry::Collective collective, const BandRows& rows) {
    select::Bands bands(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 1 < rows.size()) bands[i].up_to = rows[i].first;
      bands[i].choice = choice::parse(collective, rows[i].second);
    }
    return bands;
  };
  return {.alltoall = bands_of(registry::Collective::alltoall, alltoall),
          .alltoallv = bands_of(registry::Collective::alltoallv, alltoallv)};
}

/// The shape of a communicator of all ranks that share a node, or are placed so.
inline choice::Layout layout_of(const Placement& placement, int ranks) {
  return choice::layout_of(schedule::NodeMap(nodes_of(placement, ranks)));
}

class ProfileFile : NonCopyable {
 public:
  ProfileFile(const choice::Layout& layout, const select::Decisions& decisions) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    must(MPI_Get_library_version(library, &length));
    select::Profile profile{.rondo = std::string(select::kVersion),
                            .signature = select::signature_here(library),
                            .machine = model::typical_cluster(),
                            .layouts = {}};
    profile.put({.layout = layout, .decisions = decisions});
    must(mkstemp(path_.data()) < 0 ? MPI_ERR_OTHER : MPI_SUCCESS);
    std::ofstream(path_) << select::to_text(profile);
    setenv("RONDO_PROFILE", path_.c_str(), 1);
  }
  ~ProfileFile() {
    unsetenv("RONDO_PROFILE");
    std::remove(path_.c_str());
  }

 private:
  /// Not in the current folder, where a test that is stopped would leave it among the sources.
  std::string path_ = std::filesystem::temp_directory_path() / "rondo-profile.XXXXXX";
};

}  // namespace rondo::testing
