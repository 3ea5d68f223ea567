#include "exchange/guard.hpp"

#include <cstdio>
#include <new>
#include <string>

#include "communicator/attributes.hpp"
#include "mpi/error.hpp"

namespace rondo::exchange {

namespace {

thread_local std::string t_last_error;
thread_local bool t_errors_are_returned = false;
thread_local bool t_errors_are_left = false;

int remember(int mpi_class, const char* what) noexcept {
  try {
    t_last_error = what;
  } catch (const std::bad_alloc&) {
    t_last_error.clear();
  }
  return mpi_class;
}

/// If a rank leaves an exchange for lack of memory, the others wait for it. Its next exchange must not be mistaken
/// for the one that it left.
void give_up(MPI_Comm comm) noexcept {
  try {
    if (communicator::State* const state = communicator::find_state(comm)) state->give_up();
  } catch (...) {  // NOLINT: it is reported that there is no memory
  }
}

int remember_current_exception(MPI_Comm comm) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return remember(mpi::mpi_class_of(error), error.what());
  } catch (const std::bad_alloc&) {
    give_up(comm);
    return remember(MPI_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    return remember(MPI_ERR_OTHER, error.what());
  }
}

}  // namespace

bool is_fatal(MPI_Comm comm) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
  bool fatal = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
  fatal = fatal || handler == MPI_ERRORS_ABORT;
#endif
  PMPI_Errhandler_free(&handler);
  return fatal;
}

int raise_current_exception(MPI_Comm comm) noexcept {
  const int mpi_class = remember_current_exception(comm);
  if (comm == MPI_COMM_NULL || t_errors_are_returned) return mpi_class;
  if (is_fatal(comm)) std::fprintf(stderr, "rondo: %s\n", t_last_error.c_str());
  if (!t_errors_are_left) PMPI_Comm_call_errhandler(comm, mpi_class);
  return mpi_class;
}

LibraryRaisesErrors::LibraryRaisesErrors() noexcept : former_(t_errors_are_left) {
  t_errors_are_left = true;
}

LibraryRaisesErrors::~LibraryRaisesErrors() {
  t_errors_are_left = former_;
}

int remember_forwarded(int code) noexcept {
  if (code == MPI_SUCCESS) return code;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return remember(code, text);
}

int code_of(const std::exception_ptr& error, MPI_Comm comm) {
  const LibraryRaisesErrors left;
  return guarded_on([&] { return is_fatal(comm) ? comm : MPI_COMM_NULL; },
                    [&] {
                      if (error) std::rethrow_exception(error);
                    });
}

bool& errors_are_returned() noexcept {
  return t_errors_are_returned;
}

const char* last_error() noexcept {
  return t_last_error.c_str();
}

}  // namespace rondo::exchange
