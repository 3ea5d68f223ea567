#include "support/program.hpp"

#include <cstdlib>
#include <string_view>

#include "support/file.hpp"

namespace rondo::support {

namespace {

/// The rank that the launcher's usual variables give this process; null if there are none.
const char* told_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return rank;
  return nullptr;
}

}  // namespace

ExitStatus status_of(const Error& error) {
  if (dynamic_cast<const WrongResult*>(&error) != nullptr) return kWrongResult;
  const bool is_of_the_user =
      error.error_class() == ErrorClass::argument || error.error_class() == ErrorClass::count;
  return is_of_the_user ? kWrongUse : kRunFailed;
}

bool is_launched() {
  return told_rank() != nullptr;
}

/// If Open MPI has Rondo's component, its own functions would be Rondo's. What these programs call the MPI
/// library must not be.
void leave_out_component() {
  setenv("OMPI_MCA_coll_rondo_priority", "0", 1);
}

void start_mpi() {
  leave_out_component();
  const char* const progress = std::getenv("RONDO_PROGRESS");
  const bool has_thread = progress != nullptr && *progress != '\0';
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, has_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
}

int print_answer(const std::string& program, const std::string& answer) {
  // This is needed before MPI_Init, so that --help under mpirun is printed once.
  const char* const rank = told_rank();
  if (rank != nullptr && std::string_view(rank) != "0") return EXIT_SUCCESS;
  try {
    OutputFile out;
    out.write(answer);
    out.flush();
    return EXIT_SUCCESS;
  } catch (const Error& error) {
    complain(program, error.what());
    return kWrongUse;
  }
}

void complain(const std::string& program, const std::string& sentence) {
  fmt::print(stderr, "{}: {}\n", program, sentence);
}

}  // namespace rondo::support
