// rondo-exec [OPTION...] PROGRAM [ARGUMENT...] becomes PROGRAM and, where possible, preloads
// Rondo's library before the program's MPI library, or lets Open MPI load Rondo's component.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <string>
#include <system_error>
#include <vector>

#include "base/exit_status.hpp"
#include "dropin/contract.hpp"
#include "dropin/exec/exec.hpp"

namespace {

using namespace rondo::dropin;

/// The folder is relative to this program, so that an installed tree can be moved.
std::string library_folder() {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  return own.parent_path().parent_path() / "lib/rondo";
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw std::system_error(errno, std::generic_category(), variable);
}

/// The value of an environment variable; empty if it is not set.
std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// Rondo comes before what is preloaded already, because the MPI functions of those libraries may
/// call the PMPI_ ones. A library that is there twice counts where it is first.
void set_preload(const std::vector<std::string>& libraries) {
  std::string list = value_of("LD_PRELOAD");
  for (const std::string& library : libraries | std::views::reverse)
    list = list.empty() ? library : library + ":" + list;
  set("LD_PRELOAD", list);
}

/// Open MPI searches the folders that it has a list of; otherwise its own two, which these names stand for. It stops
/// at the first folder that it cannot read, so its own comes first.
void set_component(const std::string& folder) {
  constexpr const char* kPath = "OMPI_MCA_mca_base_component_path";
  const std::string others = value_of(kPath);
  set(kPath, others.empty() ? "SYS_DEFAULT:" + folder + ":USER_DEFAULT" : others + ":" + folder);
}

void give_rondo(const Options& options, const Program& program) {
  const std::string folder = library_folder();
  const Needs needs = needs_of(program, folder);
  if (options.is_via_component)
    set_component(component_for(needs.mpi, folder));
  else
    set_preload(needs.preloads);
  for (const auto& [variable, value] : options.variables) set(variable, value);
}

int run(char** words) {
  const Options options = parse_options(words);
  if (options.answer != nullptr) {
    std::fputs(options.answer, stdout);
    return 0;
  }
  const Program program = find_program(*options.program);
  try {
    give_rondo(options, program);
  } catch (const WithoutRondo& reason) {
    if (is_first_rank())
      std::fprintf(stderr, "rondo-exec: %s %s: running it without Rondo\n", program.path.c_str(),
                   reason.what());
  }
  execv(program.path.c_str(), options.program);
  throw std::system_error(errno, std::generic_category(), program.path + " cannot be started");
}

}  // namespace

int main(int, char** argv) {
  const auto fail = [](const std::exception& error, rondo::ExitStatus status) {
    std::fprintf(stderr, "rondo-exec: %s\n", error.what());
    return status;
  };
  try {
    return run(argv + 1);
  } catch (const WrongUse& error) {
    return fail(error, rondo::kWrongUse);
  } catch (const std::exception& error) {
    return fail(error, rondo::kCannotStart);
  }
}
