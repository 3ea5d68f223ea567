#include "dropin/exec/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "dropin/contract.hpp"
#include "dropin/exec/program.hpp"
#include "registry/settings.hpp"

namespace rondo::dropin {

namespace {

struct OptionRow {
  std::string_view name;
  const char* variable;
  bool takes_file;
};

constexpr OptionRow kOptions[] = {{"--stats", "RONDO_STATS", false},
                                  {"--ab", "RONDO_AB", false},
                                  {"--record", "RONDO_RECORD", true},
                                  {"--profile", "RONDO_PROFILE", true}};

/// Returns an empty text if the file can be read.
std::string why_unreadable(const std::string& file) {
  errno = 0;
  std::ifstream stream(file);
  stream.peek();  // a folder can be opened, but not read
  return stream.good() || stream.eof() ? std::string() : std::strerror(errno);
}

void add_profile(Options& options, const OptionRow& row, const std::string& file) {
  const std::string reason = why_unreadable(file);
  if (reason.empty())
    options.variables.emplace_back(row.variable,
                                   std::filesystem::absolute(file).lexically_normal());
  else if (is_first_rank())
    std::fprintf(stderr, "rondo-exec: cannot read the profile %s (%s): running without it\n",
                 file.c_str(), reason.c_str());
}

/// Applies the option at `*words` and skips its value.
void add_option(Options& options, char**& words) {
  const std::string_view word = *words;
  const auto* row = std::ranges::find(kOptions, word, &OptionRow::name);
  if (row == std::end(kOptions))
    throw CannotStart(std::string(word) + " is not an option; see --help");
  if (!row->takes_file) {
    options.variables.emplace_back(row->variable, "1");
    return;
  }
  if (words[1] == nullptr || *words[1] == '\0')
    throw CannotStart(std::string(word) + " needs the name of a file");
  const std::string file = *++words;
  if (word == "--profile")
    add_profile(options, *row, file);
  else
    options.variables.emplace_back(row->variable, file);
}

constexpr const char* kUsage =
    "usage: mpirun -n RANKS rondo-exec [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs an MPI program with its MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw carried out by "
    "Rondo.\n"
    "  --stats         at MPI_Finalize, rank 0 prints on stderr what was exchanged, how long it "
    "took and\n"
    "                  which algorithms ran (as RONDO_STATS=1)\n"
    "  --ab            Rondo and the MPI library take turns; at MPI_Finalize, rank 0 prints on "
    "stderr how\n"
    "                  much faster Rondo makes the program (as RONDO_AB=1)\n"
    "  --record FILE   writes the count matrices of calls 1, 2, 4, 8, ... on each communicator to\n"
    "                  FILE.R.C.N, for rondo-bench --distribution matrix:FILE.R.C.N\n"
    "                  (as RONDO_RECORD=FILE)\n"
    "  --profile FILE  uses this profile, which rondo tune has written (as RONDO_PROFILE=FILE)\n"
    "  --version       prints the version of Rondo\n"
    "RONDO_DISABLE=1 forwards all calls to the MPI library.\n";

constexpr const char* kVersion = "rondo-exec " RONDO_VERSION_TEXT "\n";

/// A missing folder would otherwise show late, when rank 0 of a communicator first writes a file.
void check_record(const std::string& name) {
  if (name.empty()) return;
  const std::filesystem::path parent = std::filesystem::path(name).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!std::filesystem::is_directory(folder))
    throw CannotStart("RONDO_RECORD: no such folder: " + folder);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw CannotStart("RONDO_RECORD: cannot write to " + folder + ": " + std::strerror(errno));
}

void check_algorithm(const char* variable, registry::Collective collective,
                     const std::string& name) {
  if (name.empty() || name == "auto") return;
  try {
    choice::parse(collective, name);
  } catch (const Error& error) {
    throw CannotStart(std::string(variable) + ": " + error.what());
  }
}

}  // namespace

Options parse_options(char** words) {
  Options options;
  for (; *words != nullptr && **words == '-'; ++words) {
    const std::string_view word = *words;
    if (word == "--help" || word == "-h") return {.answer = kUsage};
    if (word == "--version") return {.answer = kVersion};
    add_option(options, words);
  }
  if (*words == nullptr) throw CannotStart("no program given; see --help");
  options.program = words;
  return options;
}

void check_settings() {
  if (is_set("RONDO_DISABLE") || !is_first_rank()) return;
  const registry::Settings settings = registry::read_settings(
      [](const char* variable) -> const char* { return std::getenv(variable); });
  check_algorithm("RONDO_ALLTOALL", registry::Collective::alltoall, settings.alltoall);
  check_algorithm("RONDO_ALLTOALLV", registry::Collective::alltoallv, settings.alltoallv);
  check_algorithm("RONDO_ALLTOALLW", registry::Collective::alltoallv, settings.alltoallw);
  check_record(settings.record);
}

}  // namespace rondo::dropin
