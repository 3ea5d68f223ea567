// rondo-exec [--stats] [--record FILE] PROGRAM [ARGUMENT...]: becomes PROGRAM, with Rondo's preload
// library before its MPI library where that can be done.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "interpose/environment.hpp"
#include "interpose/exec/verdict.hpp"

namespace {

using rondo::interpose::CannotStart;

constexpr const char* kUsage =
    "usage: mpirun -n RANKS rondo-exec [--stats] [--record FILE] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs an MPI program with its MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw carried out by "
    "Rondo.\n"
    "  --stats        rank 0 prints at MPI_Finalize what was exchanged, how long it took and by "
    "which\n"
    "                 algorithm, on stderr (as RONDO_STATS=1)\n"
    "  --record FILE  count matrices of calls 1, 2, 4, 8, ... on each communicator into "
    "FILE.R.C.N, for\n"
    "                 rondo-bench --distribution matrix:FILE.R.C.N (as RONDO_RECORD=FILE)\n"
    "RONDO_DISABLE=1 leaves all calls to the MPI library.\n";

constexpr int kCannotGoOn = 2;

struct Options {
  bool is_help = false;
  bool is_counting = false;
  std::string record;
  char** program = nullptr;  ///< with its arguments
};

Options parse(char** words) {
  Options options;
  for (; *words != nullptr && **words == '-'; ++words) {
    const std::string_view word = *words;
    if (word == "--help" || word == "-h") {
      options.is_help = true;
      return options;
    }
    if (word == "--stats") {
      options.is_counting = true;
    } else if (word == "--record" && words[1] != nullptr && *words[1] != '\0') {
      options.record = *++words;
    } else {
      throw CannotStart(std::string(word) + (word == "--record" ? " needs the name of a file"
                                                                : " is not an option; see --help"));
    }
  }
  if (*words == nullptr) throw CannotStart("no program is named; see --help");
  options.program = words;
  return options;
}

/// Beside this program, so that an installed tree can be moved.
std::string library_folder() {
  const auto own = std::filesystem::read_symlink("/proc/self/exe");
  return own.parent_path().parent_path() / "lib/rondo";
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw CannotStart(std::string("the environment has no room for ") + variable);
}

/// Before what is preloaded already, whose MPI functions may call the PMPI_ ones.
void set_preload(const std::string& library) {
  if (!std::filesystem::exists(library)) throw CannotStart(library + " is missing");
  if (library.find_first_of(" :") != std::string::npos)
    throw CannotStart(library + " cannot be preloaded: spaces and colons separate LD_PRELOAD");
  const char* others = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", others == nullptr || *others == '\0' ? library : library + ":" + others);
}

void prepare(const Options& options, const rondo::interpose::Program& program) {
  const std::string folder = library_folder();
  const auto verdict = rondo::interpose::judge(program, folder);
  if (!verdict.is_preloaded) {
    if (rondo::interpose::is_first_rank())
      std::fprintf(stderr, "rondo-exec: %s %s: it runs without Rondo\n", program.path.c_str(),
                   verdict.reason.c_str());
    return;
  }
  set_preload(folder + "/librondo_preload.so");
  if (options.is_counting) set("RONDO_STATS", "1");
  if (!options.record.empty()) set("RONDO_RECORD", options.record);
}

int run(char** words) {
  const Options options = parse(words);
  if (options.is_help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto program = rondo::interpose::find_program(*options.program);
  prepare(options, program);
  execv(program.path.c_str(), options.program);
  throw CannotStart(program.path + " cannot be started: " + std::strerror(errno));
}

}  // namespace

int main(int, char** argv) {
  try {
    return run(argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo-exec: %s\n", error.what());
    return kCannotGoOn;
  }
}
