#include "mpi/error.hpp"

namespace rondo::mpi {

namespace {

std::string describe(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) return "unknown MPI error";
  return {text, static_cast<std::size_t>(length)};
}

int class_of(int code) {
  int error_class = MPI_ERR_OTHER;
  return PMPI_Error_class(code, &error_class) == MPI_SUCCESS ? error_class : MPI_ERR_OTHER;
}

}  // namespace

int mpi_class_of(const Error& error) {
  if (error.mpi_class() != 0) return error.mpi_class();
  switch (error.error_class()) {
    case ErrorClass::argument:
      return MPI_ERR_ARG;
    case ErrorClass::buffer:
      return MPI_ERR_BUFFER;
    case ErrorClass::count:
      return MPI_ERR_COUNT;
    case ErrorClass::type:
      return MPI_ERR_TYPE;
    case ErrorClass::communicator:
      return MPI_ERR_COMM;
    case ErrorClass::truncate:
      return MPI_ERR_TRUNCATE;
    case ErrorClass::no_memory:
      return MPI_ERR_NO_MEM;
    case ErrorClass::other:
      break;
  }
  return MPI_ERR_OTHER;
}

void throw_mpi_error(int code, const char* call) {
  throw Error(ErrorClass::other, text(call, ": ", describe(code)), class_of(code));
}

}  // namespace rondo::mpi
