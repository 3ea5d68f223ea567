// What the entries of the C interface share: where exceptions end and MPI's error handling begins, and
// texts for the caller.
#pragma once

#include <mpi.h>

#include <exception>
#include <string>

#include "base/error.hpp"
#include "exchange/handles.hpp"

namespace rondo::api {

/// Remember the text for Rondo_Get_last_error, raise the error on `comm` unless that is
/// MPI_COMM_NULL (the text on stderr first if the handler is fatal), return the class. Call from a
/// catch block only.
int raise_current_exception(MPI_Comm comm) noexcept;

const char* last_error() noexcept;

/// Whether errors of this thread are only returned; see Rondo_Errors_return.
bool& errors_are_returned() noexcept;

/// Remember MPI's text for `code`, if that is an error; returns `code`.
int remember_forwarded(int code) noexcept;

/// Leave a call to the MPI library, which raises its errors itself.
template <class Arguments>
int forward(const Arguments& arguments) {
  if (!errors_are_returned()) return remember_forwarded(arguments.forward());
  const exchange::ErrorsReturned returned(arguments.comm);
  return remember_forwarded(arguments.forward());
}

/// Run `body`, which returns MPI's code; an exception is raised on `comm()`.
template <class CommOf, class Body>
int guarded_on(CommOf&& comm, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return raise_current_exception(comm());
  }
}

/// For functions that may be called when MPI is not there: nothing is raised.
template <class Body>
int guarded_locally(Body&& body) noexcept {
  return guarded_on([] { return MPI_COMM_NULL; }, body);
}

template <class Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  return guarded_on([&] { return comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm; }, body);
}

/// `whole` into `text` of `length` chars, cut to fit and terminated. Throws Error(argument) that
/// names the `function` where there is no room at all.
inline void write_text(const std::string& whole, const char* function, char* text, int length) {
  if (text == nullptr || length < 1)
    throw Error(ErrorClass::argument, std::string(function) + ": no room for the text");
  text[whole.copy(text, static_cast<std::size_t>(length) - 1)] = '\0';
}

}  // namespace rondo::api
