// Which of Open MPI's components a program can have.

#include <filesystem>
#include <vector>

#include "dropin/contract.hpp"
#include "dropin/exec/elf.hpp"
#include "dropin/exec/program.hpp"

namespace rondo::dropin {

namespace {

namespace fs = std::filesystem;

/// A version of Open MPI, by the beginning of the name of its library's file.
struct Version {
  const char* file;
  const char* name;
};

constexpr Version kVersions[] = {
    {"libmpi.so.40.20.", "4.0"}, {"libmpi.so.40.30.", "4.1"}, {"libmpi.so.40.40.", "5.0"}};

/// Returns the version of an Open MPI; empty if its file does not say it.
std::string version_of(const std::string& mpi) {
  const std::string file = fs::canonical(mpi).filename();
  for (const Version& version : kVersions)
    if (file.starts_with(version.file)) return version.name;
  return {};
}

std::vector<fs::path> installed_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / kComponentFile)) found.push_back(entry.path());
  return found;
}

/// Whether a program's Open MPI loads components. One that was configured with --disable-dlopen, as
/// PyPI's are, lacks what opens their files.
bool loads_components(const Program& program) {
  for (const Library& library : libraries_of(program.binary))
    if (library.soname.starts_with("libopen-pal.so.")) {
      const Elf elf(library.path);
      return elf.defines("mca_dl_dlopen_component") || elf.defines("mca_dl_libltdl_component");
    }
  return true;
}

}  // namespace

Component component_for(const Program& program, const std::string& mpi, const std::string& folder) {
  const std::string file = fs::path(mpi).filename();
  if (!mpi.empty() && !file.starts_with("libmpi.so.40"))
    return {{}, "is linked to " + mpi + ", and only Open MPI loads components"};
  if (!mpi.empty() && !loads_components(program))
    return {{},
            "is linked to " + mpi +
                ", which was configured with --disable-dlopen, so it loads no components"};
  const fs::path own = folder + "/openmpi";
  const std::string version = mpi.empty() ? std::string() : version_of(mpi);
  const std::vector<fs::path> installed = installed_in(own);
  for (const fs::path& one : installed)
    if (version.empty() || one.filename() == version) return {one, {}};
  const std::string number = version.empty() ? version : " " + version;
  return {{}, "needs a component for its Open MPI" + number + ", which is not in " + own.string()};
}

}  // namespace rondo::dropin
