#include "communicator.hpp"

#include "base/error.hpp"

namespace rondo::bench {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  throw MpiFailure(text(what, " failed: ", reason));
}

Communicator::Communicator(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Communicator::~Communicator() {
  // Freeing is collective, and a rank that fails alone unwinds without the others.
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

int Communicator::rank() const {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::ranks() const {
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
  return ranks;
}

void agree(const Communicator& comm, const std::string& local_error) {
  const int ranks = comm.ranks();
  const int mine = local_error.empty() ? ranks : comm.rank();
  int speaker = ranks;
  check_mpi(MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  if (speaker == ranks) return;
  std::string error = local_error;
  auto length = static_cast<int>(error.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, speaker, comm.get()), "MPI_Bcast");
  error.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(error.data(), length, MPI_CHAR, speaker, comm.get()), "MPI_Bcast");
  throw Error(ErrorClass::argument, error);
}

}  // namespace rondo::bench
