// What a program needs for Rondo, according to its file and its libraries.

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/file.hpp"
#include "dropin/contract.hpp"
#include "dropin/exec/exec.hpp"

namespace rondo::dropin {

namespace {

namespace fs = std::filesystem;

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* known) { return name == known; });
}

bool is_launcher(const std::string& name) {
  return is_one_of(name, {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "jsrun",
                          "aprun", "flux", "oshrun"});
}

/// What a shell starts would inherit the preload, launchers too, but not the ranks on other nodes.
bool is_shell(const std::string& name) {
  return is_one_of(
      name, {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "csh", "tcsh", "fish", "busybox"});
}

/// Whether a program has rondo-exec's dynamic linker: then it is for the same machine and C library, as are the
/// libraries beside rondo-exec.
bool has_own_linker(const std::string& binary) {
  const fs::path own = dynamic_linker_of(fs::read_symlink("/proc/self/exe"));
  return fs::path(dynamic_linker_of(binary)).filename() == own.filename();
}

/// The MPI library that a program is linked to.
struct MpiLibrary {
  const Family& family;
  std::string path;
};

/// Returns the first MPI library, because the dynamic linker searches `libraries` in this order.
std::optional<MpiLibrary> mpi_among(const std::vector<Library>& libraries) {
  for (const Library& library : libraries)
    for (const Family& family : kFamilies)
      if (library.soname == family.soname) return MpiLibrary{family, library.path};
  return std::nullopt;
}

void require_part(const Family& family, const std::string& folder) {
  const std::string own = folder + "/" + family.name;
  if (!fs::exists(own + "/" + kPartFile))
    throw WithoutRondo(std::string("is linked to ") + family.soname +
                       ", but Rondo for that family is not installed in " + own);
}

/// AddressSanitizer ends the program if its run-time library is not the first of all.
bool must_be_first(const Library& library) {
  return library.path.find("libasan.so") != std::string::npos ||
         library.path.find("libclang_rt.asan") != std::string::npos;
}

/// Whether a file has the name of dlopen among its texts, as all have that import it.
bool names_dlopen(const std::string& path) {
  constexpr std::string_view kName("dlopen", sizeof "dlopen");
  return try_to_read(path).text.find(kName) != std::string::npos;
}

/// Whether a program may load libraries at run time, as Python does. One of them may be an MPI library.
bool may_load(const std::string& binary, const std::vector<Library>& libraries) {
  const auto is_of_glibc = [](const std::string& soname) {
    return is_one_of(soname, {"libc.so.6", "libdl.so.2"}) || soname.find("/ld-") != soname.npos;
  };
  return names_dlopen(binary) || std::ranges::any_of(libraries, [&](const Library& library) {
           return !is_of_glibc(library.soname) && names_dlopen(library.path);
         });
}

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

}  // namespace

Needs needs_of(const Program& program, const std::string& folder) {
  if (is_launcher(stem_of(program.path)))
    throw std::runtime_error(program.path +
                             " is a launcher: put rondo-exec after it, before the program, as in "
                             "mpirun -n 4 rondo-exec ./program");
  if (is_shell(stem_of(program.binary)))
    throw WithoutRondo("is a shell script; put rondo-exec inside it, before the program");
  if (!has_own_linker(program.binary))
    throw WithoutRondo("is linked statically, or is for another machine or C library than Rondo");
  const auto libraries = libraries_of(program.binary);
  const auto mpi = mpi_among(libraries);
  if (mpi)
    require_part(mpi->family, folder);
  else if (!may_load(program.binary, libraries))
    throw WithoutRondo("is not linked to an MPI library that Rondo supports");
  Needs needs{.preloads = {}, .mpi = mpi ? mpi->path : std::string()};
  for (const Library& library : libraries)
    if (must_be_first(library)) needs.preloads.push_back(library.path);
  needs.preloads.push_back(folder + "/" + kPreloadFile);
  return needs;
}

std::string component_for(const std::string& mpi, const std::string& folder) {
  if (!mpi.empty() && !fs::path(mpi).filename().string().starts_with("libmpi.so.40"))
    throw WithoutRondo("is linked to " + mpi + ", and only Open MPI loads components");
  const std::string version = mpi.empty() ? std::string() : version_of(mpi);
  const fs::path own = folder + "/openmpi";
  if (fs::is_directory(own))
    for (const fs::directory_entry& entry : fs::directory_iterator(own))
      if (fs::exists(entry.path() / kComponentFile) &&
          (version.empty() || entry.path().filename() == version))
        return entry.path();
  throw WithoutRondo("needs Open MPI's component, which is not in " + (own / version).string());
}

}  // namespace rondo::dropin
