// rondo-exec [OPTION...] PROGRAM [ARGUMENT...] becomes PROGRAM and, where possible, preloads
// Rondo's library before the program's MPI library, or lets Open MPI load Rondo's component.

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/exit_status.hpp"
#include "dropin/contract.hpp"
#include "dropin/exec/options.hpp"
#include "dropin/exec/program.hpp"

namespace {

using namespace rondo::dropin;

/// The folder is relative to this program, so that an installed tree can be moved.
std::string library_folder() {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  return own.parent_path().parent_path() / "lib/rondo";
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw CannotStart(std::string("cannot set the environment variable ") + variable);
}

/// Rondo comes before what is preloaded already, because the MPI functions of those libraries may
/// call the PMPI_ ones. A library that is there twice counts where it is first.
void set_preload(const std::vector<std::string>& libraries) {
  std::string list;
  for (const std::string& library : libraries) {
    if (!std::filesystem::exists(library)) throw CannotStart(library + " is missing");
    if (library.find_first_of(" :") != std::string::npos)
      throw CannotStart(library +
                        " cannot be preloaded, because its path contains a space or a colon");
    list += (list.empty() ? "" : ":") + library;
  }
  const char* others = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", others == nullptr || *others == '\0' ? list : list + ":" + others);
}

/// Open MPI searches the folders that it has a list of; otherwise its own two, which these names stand for. It stops
/// at the first folder that it cannot read, so its own comes first.
void set_component(const std::string& folder) {
  constexpr const char* kPath = "OMPI_MCA_mca_base_component_path";
  const char* others = std::getenv(kPath);
  set(kPath, others == nullptr || *others == '\0' ? "SYS_DEFAULT:" + folder + ":USER_DEFAULT"
                                                  : others + (":" + folder));
}

void say_why_not(const Program& program, const std::string& reason) {
  if (is_first_rank())
    std::fprintf(stderr, "rondo-exec: %s %s: running it without Rondo\n", program.path.c_str(),
                 reason.c_str());
}

/// Returns whether the program gets Rondo.
bool give_rondo(const Options& options, const Program& program, const std::string& folder) {
  const auto [files, why_not, mpi] = preloads_for(program, folder);
  std::string reason = why_not;
  if (!files.empty() && options.is_via_component) {
    const auto component = component_for(program, mpi, folder);
    reason = component.reason;
    if (reason.empty()) set_component(component.folder);
  } else if (!files.empty()) {
    set_preload(files);
  }
  if (!reason.empty()) say_why_not(program, reason);
  return reason.empty();
}

/// Without this check a missing judge would show only at the end of a long run. Only rank 0 starts
/// the judge, but every rank must stop here: some MPI libraries wait for a missing rank.
void check_judge(const std::string& folder) {
  const std::string judge = folder + "/" + kJudgeFile;
  if (is_set("RONDO_AB") && !is_set("RONDO_DISABLE") && access(judge.c_str(), X_OK) != 0)
    throw CannotStart(judge + " cannot be started: " + std::strerror(errno));
}

void prepare(const Options& options, const Program& program) {
  const std::string folder = library_folder();
  if (!give_rondo(options, program, folder)) return;
  for (const auto& [variable, value] : options.variables) set(variable, value);
  check_settings();
  check_judge(folder);
}

/// Ends the other ranks of the job, which would wait in MPI_Init for this one. Open MPI's launcher
/// does this by itself. Those of MPICH and Intel MPI need an abort message of PMI-1.
void end_other_ranks(int status) {
  const char* launcher = std::getenv("PMI_FD");
  if (launcher == nullptr) return;
  // MPICH's launcher discards what it has not read of the output when it ends the job.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::string abort = rondo::text("cmd=abort exitcode=", status, "\n");
  if (write(std::atoi(launcher), abort.data(), abort.size()) < 0)
    std::perror("rondo-exec: cannot end the other ranks");
}

int run(char** words) {
  const Options options = parse_options(words);
  if (options.answer != nullptr) {
    std::fputs(options.answer, stdout);
    return 0;
  }
  const auto program = find_program(*options.program);
  prepare(options, program);
  execv(program.path.c_str(), options.program);
  throw CannotStart(program.path + " cannot be started: " + std::strerror(errno));
}

}  // namespace

int main(int, char** argv) {
  const auto fail = [](const std::exception& error, rondo::ExitStatus status) {
    std::fprintf(stderr, "rondo-exec: %s\n", error.what());
    end_other_ranks(status);
    return status;
  };
  try {
    return run(argv + 1);
  } catch (const WrongUse& error) {
    return fail(error, rondo::kWrongUse);
  } catch (const rondo::Error& error) {  // of a setting
    return fail(error, rondo::kWrongUse);
  } catch (const std::exception& error) {
    return fail(error, rondo::kCannotStart);
  }
}
