// What the entries of the C interface share: they turn exceptions into MPI errors and return texts
// to the caller.
#pragma once

#include <mpi.h>

#include <exception>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "mpi/handles.hpp"
#include "mpi/progress.hpp"

namespace rondo::exchange {

/// Stores the exception's text for Rondo_Get_last_error and returns its MPI error class. A rank that has run out of
/// memory gives `comm` up, since others may be in the exchange that it leaves. Raises the error on `comm`, unless
/// `comm` is MPI_COMM_NULL or errors_are_returned(); if the handler is fatal, prints the text on stderr first. Inside
/// a LibraryRaisesErrors the caller raises it. Call it only from a catch block.
int raise_current_exception(MPI_Comm comm) noexcept;

const char* last_error() noexcept;

/// Whether errors on `comm` end the program.
bool is_fatal(MPI_Comm comm) noexcept;

/// Whether this thread's errors are only returned; see Rondo_Errors_return.
bool& errors_are_returned() noexcept;

/// While an object of this class lives, this thread's errors are raised by the MPI library, which has called
/// Rondo and raises the code that it gets.
class LibraryRaisesErrors {
 public:
  LibraryRaisesErrors() noexcept;
  ~LibraryRaisesErrors();
  LibraryRaisesErrors(const LibraryRaisesErrors&) = delete;
  LibraryRaisesErrors& operator=(const LibraryRaisesErrors&) = delete;

 private:
  bool former_;
};

/// Stores MPI's text for `code` if it is an error. Returns `code`.
int remember_forwarded(int code) noexcept;

/// Forwards a call to the MPI library, which raises its own errors.
template <class Arguments>
int forward(const Arguments& arguments) {
  mpi::before_library_call();
  if (!errors_are_returned()) return remember_forwarded(arguments.forward());
  const mpi::ErrorsReturned returned(arguments.comm);
  return remember_forwarded(arguments.forward());
}

/// Forwards the start of an exchange in the same way.
template <class Arguments>
int forward_start(const Arguments& arguments, MPI_Request* request) {
  if (!errors_are_returned()) return remember_forwarded(arguments.forward(request));
  const mpi::ErrorsReturned returned(arguments.comm);
  return remember_forwarded(arguments.forward(request));
}

/// Runs `body`, which returns MPI's code, or nothing if it has succeeded whenever it returns. An
/// exception is raised on `comm()`.
template <class CommOf, class Body>
int guarded_on(CommOf&& comm, Body&& body) noexcept {
  try {
    if constexpr (!std::is_void_v<decltype(body())>) return body();
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return raise_current_exception(comm());
  }
}

/// For functions that may be called outside MPI: errors are returned and not raised.
template <class Body>
int guarded_locally(Body&& body) noexcept {
  return guarded_on([] { return MPI_COMM_NULL; }, body);
}

template <class Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  return guarded_on([&] { return comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm; }, body);
}

/// Returns the code of an exchange that is over, which the MPI library raises. If it ends the program, as errors
/// on `comm` may do, prints the text first.
int code_of(const std::exception_ptr& error, MPI_Comm comm);

/// Writes `whole` to `text` of `length` chars, truncated to fit and terminated. Throws
/// Error(argument) that names the `function` if there is no room at all.
inline void write_text(const std::string& whole, const char* function, char* text, int length) {
  if (text == nullptr || length < 1)
    throw Error(ErrorClass::argument,
                std::string(function) + ": text is a null pointer or its length is less than 1");
  text[whole.copy(text, static_cast<std::size_t>(length) - 1)] = '\0';
}

}  // namespace rondo::exchange
