// rondo-bench: measures all-to-all exchanges against the MPI library's own, and checks every byte.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "session.hpp"

namespace {

using namespace rondo::bench;

constexpr int kWrongBytes = 1;
constexpr int kWrongUse = 2;

/// Whether launchers that set the usual variables made this process a rank other than 0. Asked
/// where MPI does not run, so that --help under mpirun is said once.
bool is_known_not_first() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) != "0";
  return false;
}

int answer(const Answer& said) {
  if (is_known_not_first()) return EXIT_SUCCESS;
  const bool written = std::fputs(said.text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!written) std::perror("rondo-bench: cannot write to standard output");
  return written ? EXIT_SUCCESS : kWrongUse;
}

void complain(const std::string& sentence) {
  fmt::print(stderr, "rondo-bench: {}\n", sentence);
}

/// Errors that all ranks share are told by rank 0 and end every rank in the ordinary way; what
/// befell this rank alone ends the program, because the others would wait for it.
template <class Body>
int run_guarded(Body&& body) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return body(rank);
  } catch (const rondo::Error& error) {
    if (rank == 0) complain(error.what());
  } catch (const std::exception& error) {
    complain(fmt::format("rank {}: {}", rank, error.what()));
    MPI_Abort(MPI_COMM_WORLD, kWrongUse);
  }
  return kWrongUse;
}

int measure_all(const Options& options, int rank) {
  const std::uint64_t errors = Session(options, MPI_COMM_WORLD).run();
  if (errors == 0) return EXIT_SUCCESS;
  if (rank == 0) complain(fmt::format("--check found {} wrong bytes", errors));
  return kWrongBytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::string wrong_use;
  std::variant<Options, Answer> parsed;
  try {
    parsed = parse_options(argc, argv);
  } catch (const rondo::Error& error) {
    wrong_use = error.what();
  }
  if (const auto* said = std::get_if<Answer>(&parsed)) return answer(*said);

  MPI_Init(&argc, &argv);
  const int status = run_guarded([&](int rank) {
    if (!wrong_use.empty()) throw rondo::Error(rondo::ErrorClass::argument, wrong_use);
    return measure_all(std::get<Options>(parsed), rank);
  });
  MPI_Finalize();
  return status;
}
