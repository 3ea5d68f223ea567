#include "support/communicator.hpp"

namespace rondo::support {

namespace {

void reduce_all(const Communicator& comm, void* values, std::size_t count, MPI_Datatype type,
                MPI_Op operation) {
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, operation, comm.get()),
      "MPI_Allreduce");
}

}  // namespace

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  throw MpiFailure(text(what, " failed: ", reason));
}

std::string library_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check_mpi(MPI_Get_library_version(version, &length), "MPI_Get_library_version");
  return version;
}

Communicator::Communicator(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  return_errors();
}

Communicator::~Communicator() {
  // Freeing is collective. A rank that fails alone unwinds without the others, so it must not free.
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

Communicator Communicator::split(int color) const {
  Communicator part;
  check_mpi(MPI_Comm_split(comm_, color, 0, &part.comm_), "MPI_Comm_split");
  if (part.comm_ != MPI_COMM_NULL) part.return_errors();
  return part;
}

Communicator Communicator::of_node() const {
  Communicator node;
  check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node.comm_),
            "MPI_Comm_split_type");
  node.return_errors();
  return node;
}

void Communicator::return_errors() const {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
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

void all_reduce(const Communicator& comm, std::span<double> values, MPI_Op operation) {
  reduce_all(comm, values.data(), values.size(), MPI_DOUBLE, operation);
}

void all_reduce(const Communicator& comm, std::span<std::uint64_t> values, MPI_Op operation) {
  reduce_all(comm, values.data(), values.size(), MPI_UINT64_T, operation);
}

void agree(const Communicator& comm, const std::optional<Error>& local_error) {
  const int ranks = comm.ranks();
  const int mine = local_error ? comm.rank() : ranks;
  int speaker = ranks;
  check_mpi(MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  if (speaker == ranks) return;
  std::string error = local_error ? local_error->what() : "";
  int head[] = {static_cast<int>(error.size()),
                static_cast<int>(local_error ? local_error->error_class() : ErrorClass::other)};
  check_mpi(MPI_Bcast(head, 2, MPI_INT, speaker, comm.get()), "MPI_Bcast");
  error.resize(static_cast<std::size_t>(head[0]));
  check_mpi(MPI_Bcast(error.data(), head[0], MPI_CHAR, speaker, comm.get()), "MPI_Bcast");
  throw Error(static_cast<ErrorClass>(head[1]), error);
}

}  // namespace rondo::support
