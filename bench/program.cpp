#include "program.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace rondo::bench {

namespace {

/// Whether launchers that set the usual variables made this process a rank other than 0. Asked
/// where MPI does not run, so that --help under mpirun is said once.
bool is_known_not_first() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) != "0";
  return false;
}

}  // namespace

int print_answer(const std::string& program, const Answer& answer) {
  if (is_known_not_first()) return EXIT_SUCCESS;
  const bool written = std::fputs(answer.text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!written) std::perror((program + ": cannot write to standard output").c_str());
  return written ? EXIT_SUCCESS : kWrongUse;
}

void complain(const std::string& program, const std::string& sentence) {
  fmt::print(stderr, "{}: {}\n", program, sentence);
}

}  // namespace rondo::bench
