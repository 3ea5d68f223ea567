// MPI's communicators and return codes in C++, and agreement on errors.
#pragma once

#include <mpi.h>

#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace rondo::support {

/// An MPI call failed on this rank, and the other ranks do not know about it.
struct MpiFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws MpiFailure with MPI's own text unless `code` is MPI_SUCCESS; `what` is the call that
/// failed.
void check_mpi(int code, const char* what);

/// The text that MPI_Get_library_version returns.
std::string library_version();

/// A communicator that only this program uses and that returns errors.
class Communicator {
 public:
  /// Collective. Duplicates the parent.
  explicit Communicator(MPI_Comm parent);
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  /// Collective. The ranks that give the same color, in their order; MPI_COMM_NULL on ranks that
  /// give MPI_UNDEFINED.
  Communicator split(int color) const;

  /// Collective. The ranks that share memory with this one.
  Communicator of_node() const;

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int ranks() const;

 private:
  Communicator() = default;
  void return_errors() const;

  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Collective. Copies rank 0's value to all ranks.
template <class Value>
void broadcast(const Communicator& comm, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  check_mpi(MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, comm.get()), "MPI_Bcast");
}

/// Collective. Reduces each value over all ranks.
void all_reduce(const Communicator& comm, std::span<double> values, MPI_Op operation);
void all_reduce(const Communicator& comm, std::span<std::uint64_t> values, MPI_Op operation);

/// Collective. If any rank has an error, all ranks throw the error of the lowest such rank.
void agree(const Communicator& comm, const std::optional<Error>& local_error);

/// Collective. Runs `body` on this rank. If it throws on any rank, all ranks throw. `body` itself
/// makes no collective call.
template <class Body>
void collectively(const Communicator& comm, Body&& body) {
  std::optional<Error> local_error;
  try {
    body();
  } catch (const Error& error) {
    local_error = error;
  } catch (const std::exception& error) {
    local_error.emplace(ErrorClass::other, error.what());
  }
  agree(comm, local_error);
}

}  // namespace rondo::support
