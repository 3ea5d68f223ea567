// The command line of rondo-exec.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/exit_status.hpp"
#include "base/text.hpp"
#include "choice/choice.hpp"
#include "dropin/exec/exec.hpp"
#include "registry/algorithm.hpp"

namespace rondo::dropin {

namespace {

enum class Value { none, file, time };

struct OptionRow {
  std::string_view name;
  const char* variable;
  Value value;
};

constexpr OptionRow kOptions[] = {
    {"--stats", "RONDO_STATS", Value::none},   {"--ab", "RONDO_AB", Value::none},
    {"--record", "RONDO_RECORD", Value::file}, {"--profile", "RONDO_PROFILE", Value::file},
    {"--watch", "RONDO_WATCH", Value::time},   {"--watch-abort", "RONDO_WATCH_ABORT", Value::none}};

/// The program may change its folder, so it gets the whole path of a file.
std::string value_of(const OptionRow& row, const char* given) {
  if (row.value == Value::none) return "1";
  const std::string_view text = given == nullptr ? "" : given;
  if (row.value == Value::time && !read_duration(text))
    throw WrongUse(std::string(row.name) + " needs a time, as in 60s, 500ms, 5m or 1h");
  if (text.empty()) throw WrongUse(std::string(row.name) + " needs the name of a file");
  if (row.value == Value::time) return std::string(text);
  return std::filesystem::absolute(text).lexically_normal();
}

void set_way(Options& options, const char* way) {
  const std::string_view word = way == nullptr ? "" : way;
  if (word != "preload" && word != "component")
    throw WrongUse("--via needs one of the words preload and component");
  options.is_via_component = word == "component";
}

/// Names the algorithm of the collectives that have it.
void set_algorithm(Options& options, const char* given) {
  using registry::Collective;
  constexpr std::pair<const char*, Collective> kRows[] = {
      {"RONDO_ALLTOALLV", Collective::alltoallv},  // first, because most algorithms have it
      {"RONDO_ALLTOALL", Collective::alltoall},
      {"RONDO_ALLTOALLW", Collective::alltoallv}};
  const std::string name = given == nullptr ? "" : given;
  if (name.empty()) throw WrongUse("--algorithm needs a name, as in rondo-bench --list");
  const auto number = options.variables.size();
  std::optional<Error> failure;
  for (const auto& [variable, collective] : kRows) {
    const bool has_it = registry::find(collective, name.substr(0, name.find(':'))) != nullptr;
    const auto wrong = failure_of([&] {
      if (name != "auto") choice::parse(collective, name);
    });
    if (!wrong) options.variables.emplace_back(variable, name);
    if (wrong && (has_it || !failure)) failure = wrong;
  }
  if (options.variables.size() == number)
    throw WrongUse(std::string("--algorithm: ") + failure->what());
}

/// Applies the option at `*words` and skips its value.
void add_option(Options& options, char**& words) {
  const std::string_view word = *words;
  if (word == "--via") return set_way(options, *++words);
  if (word == "--algorithm") return set_algorithm(options, *++words);
  const auto* row = std::ranges::find(kOptions, word, &OptionRow::name);
  if (row == std::end(kOptions))
    throw WrongUse(std::string(word) + " is not an option; see --help");
  const char* const given = row->value == Value::none ? nullptr : *++words;
  options.variables.emplace_back(row->variable, value_of(*row, given));
}

const std::string kHelp =
    "Usage: rondo-exec [OPTION]... program [ARGUMENT]...\n"
    "\n"
    "Run an MPI program with its MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw\n"
    "carried out by Rondo. A launcher starts rondo-exec before the program.\n"
    "\n"
    "Arguments:\n"
    "  program COMMAND       The program, with its own arguments\n"
    "\n"
    "Options:\n"
    "  -h, --help            Print this help and exit\n"
    "      --stats           At MPI_Finalize, rank 0 prints on standard error what\n"
    "                        was exchanged, how long it took, which part of that\n"
    "                        was waiting for late ranks, and which algorithms ran\n"
    "                        (as RONDO_STATS=1)\n"
    "      --ab              Rondo and the MPI library take turns; at MPI_Finalize,\n"
    "                        rank 0 prints on standard error how much faster Rondo\n"
    "                        makes the program (as RONDO_AB=1)\n"
    "      --record FILE     Write what rondo whatif needs to know of the exchanges\n"
    "                        to FILE, and the count matrices of calls 1, 2, 4, 8,\n"
    "                        ... on each communicator to FILE.R.C.N, for\n"
    "                        rondo-bench --distribution matrix:FILE.R.C.N (as\n"
    "                        RONDO_RECORD=FILE)\n"
    "      --profile FILE    Use this profile, which rondo tune has written (as\n"
    "                        RONDO_PROFILE=FILE)\n"
    "      --algorithm NAME  Use this algorithm, as in rondo-bench --list, in the\n"
    "                        collectives that have it (as RONDO_ALLTOALL=NAME,\n"
    "                        RONDO_ALLTOALLV=NAME and RONDO_ALLTOALLW=NAME)\n"
    "      --watch TIME      A rank that has waited that long in an exchange prints\n"
    "                        on standard error which ranks are missing (as\n"
    "                        RONDO_WATCH=TIME)\n"
    "      --watch-abort     It then ends the job, too (as RONDO_WATCH_ABORT=1)\n"
    "      --via WAY         preload = Rondo comes before the MPI library, which is\n"
    "                        the default; component = Open MPI loads Rondo\n"
    "      --version         Print the version of Rondo and exit\n"
    "\n"
    "Environment:\n"
    "  RONDO_ALLTOALL, RONDO_ALLTOALLV, RONDO_ALLTOALLW\n"
    "                        The algorithm of the exchange, as in rondo-bench --list\n"
    "  RONDO_DISABLE=1       Leave all calls to the MPI library\n"
    "\n"
    "Examples:\n"
    "  mpirun -n 64 rondo-exec --stats ./program\n"
    "\n" +
    std::string(kExitStatusHelp) +
    "  Once the program has started, the exit status is the program's.\n";

constexpr const char* kVersion = "rondo-exec " RONDO_VERSION_TEXT "\n";

}  // namespace

Options parse_options(char** words) {
  Options options;
  for (; *words != nullptr && **words == '-'; ++words) {
    const std::string_view word = *words;
    if (word == "--help" || word == "-h") return {.answer = kHelp.c_str()};
    if (word == "--version") return {.answer = kVersion};
    add_option(options, words);
  }
  if (*words == nullptr) throw WrongUse("no program given; see --help");
  options.program = words;
  return options;
}

}  // namespace rondo::dropin
