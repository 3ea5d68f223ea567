// The exception that Rondo throws internally. The C interface turns it into an MPI error class.
#pragma once

#include <fmt/core.h>

#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace rondo {

/// Kinds of errors. The C interface maps each to its MPI_ERR_* value.
enum class ErrorClass {
  argument,
  buffer,
  count,
  type,
  communicator,
  truncate,
  no_memory,
  other,
};

class Error : public std::runtime_error {
 public:
  /// `mpi_class` is MPI's own error class if an MPI call failed, else 0.
  Error(ErrorClass error_class, const std::string& text, int mpi_class = 0)
      : std::runtime_error(text), error_class_(error_class), mpi_class_(mpi_class) {}

  ErrorClass error_class() const { return error_class_; }
  int mpi_class() const { return mpi_class_; }

 private:
  ErrorClass error_class_;
  int mpi_class_;
};

/// Made while there is memory. A copy takes none.
inline const Error& kOutOfMemory = *new Error(ErrorClass::no_memory, "out of memory");

/// Runs `body` and returns the error that it throws, if any.
template <class Body>
std::optional<Error> failure_of(Body&& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
}

/// Returns what `make` returns: an error that other ranks have, too. Without memory for its text returns kOutOfMemory,
/// since std::bad_alloc would say that this rank alone leaves the others.
template <class Make>
Error error_together(Make&& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
}

/// Prints the arguments one after another: text("rank ", 3, " sends nothing"). Streams are not used
/// because they would format numbers by the host program's locale.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (fmt::format_to(std::back_inserter(out), "{}", parts), ...);
  return out;
}

}  // namespace rondo
