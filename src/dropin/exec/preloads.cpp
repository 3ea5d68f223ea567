// Which libraries can be preloaded into a program, according to its file and its libraries.

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>

#include "dropin/contract.hpp"
#include "dropin/exec/elf.hpp"
#include "dropin/exec/program.hpp"

namespace rondo::dropin {

namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* known) { return name == known; });
}

bool is_launcher(const std::string& name) {
  return is_one_of(name, {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "jsrun",
                          "aprun", "flux", "oshrun"});
}

/// What a shell script starts is known only after it has started it.
bool is_shell(const std::string& name) {
  return is_one_of(
      name, {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "csh", "tcsh", "fish", "busybox"});
}

/// Commands that become or start another program. Only that program is linked to an MPI library.
bool is_wrapper(const std::string& name) {
  return is_one_of(name, {"env", "nice", "ionice", "taskset", "numactl", "chrt", "timeout", "time",
                          "stdbuf", "setsid", "nohup", "valgrind"});
}

/// glibc's dynamic linkers are called ld-linux-x86-64.so.2 and the like.
bool is_of_glibc(std::string_view dynamic_linker) {
  const std::string name = std::filesystem::path(dynamic_linker).filename();
  return name.starts_with("ld-linux") || name.starts_with("ld64");
}

/// Returns why the dynamic linker cannot preload Rondo's libraries; empty if it can.
std::string obstacle(const Elf& elf) {
  if (!elf.is_for_this_machine()) return "is for another machine than Rondo";
  if (elf.dynamic_linker().empty())
    return elf.defines("MPI_Init") ? "has its MPI library linked statically"
                                   : "is statically linked";
  if (!is_of_glibc(elf.dynamic_linker())) return "uses another C library than Rondo";
  return {};
}

/// The MPI library that a program calls.
struct MpiLibrary {
  const Family& family;
  const Library& library;
};

/// Returns the first MPI library, because the dynamic linker searches `libraries` in this order.
std::optional<MpiLibrary> mpi_among(const std::vector<Library>& libraries) {
  for (const Library& library : libraries)
    for (const Family& family : kFamilies)
      if (library.soname == family.soname) return MpiLibrary{family, library};
  return std::nullopt;
}

/// AddressSanitizer ends the program if its run-time library is not the first of all.
bool must_be_first(const Library& library) {
  return library.path.find("libasan.so") != std::string::npos ||
         library.path.find("libclang_rt.asan") != std::string::npos;
}

/// Rondo's general library, behind what must come before it.
std::vector<std::string> general_preloads(const std::vector<Library>& libraries,
                                          const std::string& folder) {
  std::vector<std::string> files;
  for (const Library& library : libraries)
    if (must_be_first(library)) files.push_back(library.path);
  files.push_back(folder + "/" + kPreloadFile);
  return files;
}

/// Whether a program loads libraries at run time, as Python does. One of them may be an MPI
/// library.
bool may_load(const Elf& elf, const std::vector<Library>& libraries) {
  return elf.imports("dlopen") || std::ranges::any_of(libraries, [](const Library& library) {
           return Elf(library.path).imports("dlopen");
         });
}

Preloads for_dynamic(const Elf& elf, const std::vector<Library>& libraries,
                     const std::string& folder) {
  if (libraries.empty())
    return {{},
            "needs libraries that " + std::string(elf.dynamic_linker()) + " --list does not name"};
  if (const auto mpi = mpi_among(libraries)) {
    const std::string own = folder + "/" + mpi->family.name;
    if (std::filesystem::exists(own + "/" + kPartFile))
      return {general_preloads(libraries, folder), {}, mpi->library.path};
    return {{},
            std::string("is linked to ") + mpi->family.soname +
                ", but Rondo for that family is not installed in " + own};
  }
  if (elf.defines("MPI_Init")) return {{}, "has its MPI library linked statically"};
  if (may_load(elf, libraries)) return {general_preloads(libraries, folder), {}};
  return {{}, "is not linked to an MPI library that Rondo supports"};
}

}  // namespace

Preloads preloads_for(const Program& program, const std::string& folder) {
  if (is_launcher(stem_of(program.path)))
    throw CannotStart(program.path +
                      " is a launcher: put rondo-exec after it, before the program, " +
                      "as in mpirun -n 4 rondo-exec ./program");
  if (is_wrapper(std::filesystem::path(program.path).filename()))
    return {{},
            "starts another program; put rondo-exec after it, as in taskset -c 0 rondo-exec "
            "./program"};
  if (is_shell(stem_of(program.binary)))
    return {
        {},
        "is a shell script, and rondo-exec cannot see what it starts; put rondo-exec inside it, "
        "before the program"};
  const Elf elf(program.binary);
  if (!elf.is_elf())
    throw CannotStart(program.path + " is neither an ELF program nor a script that begins with #!");
  if (const std::string reason = obstacle(elf); !reason.empty()) return {{}, reason};
  return for_dynamic(elf, libraries_of(program.binary), folder);
}

}  // namespace rondo::dropin
