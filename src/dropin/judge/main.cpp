// rondo-judge reads the record of a comparison from standard input and prints the result. A program
// under rondo-exec --ab starts it at MPI_Finalize.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/exit_status.hpp"
#include "dropin/contract.hpp"
#include "dropin/judge/judge.hpp"

namespace {

using namespace rondo::dropin;

std::vector<std::byte> standard_input() {
  std::vector<std::byte> bytes;
  std::byte buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stdin))
    bytes.insert(bytes.end(), buffer, buffer + count);
  return bytes;
}

const std::string kHelp =
    "Usage: rondo-judge [OPTION]...\n"
    "\n"
    "Read the record of a comparison from standard input and print the result. A\n"
    "program under rondo-exec --ab starts rondo-judge at MPI_Finalize.\n"
    "\n"
    "Options:\n"
    "  -h, --help            Print this help and exit\n"
    "      --version         Print the version of Rondo and exit\n"
    "\n" +
    std::string(rondo::kExitStatusHelp);

/// What is printed instead of a result. Throws Error if there is no such option.
const char* answer_to(std::string_view word) {
  if (word == "--help" || word == "-h") return kHelp.c_str();
  if (word == "--version") return "rondo-judge " RONDO_VERSION_TEXT "\n";
  throw rondo::Error(rondo::ErrorClass::argument,
                     rondo::text(word, " is not an option; see --help"));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string said =
        argc > 1 ? answer_to(argv[1]) : ab::report_text(ab::from_bytes(standard_input()));
    return std::fputs(said.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? rondo::kRunFailed
                                                                            : rondo::kSuccess;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo-judge: %s\n", error.what());
    return rondo::kWrongUse;
  }
}
