// MPI's communicators and return codes in C++, and agreement on errors.
#pragma once

#include <mpi.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace rondo::bench {

/// An MPI call failed on this rank, and the others do not know.
struct MpiFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws MpiFailure with MPI's own text unless `code` is MPI_SUCCESS; `what` is what failed.
void check_mpi(int code, const char* what);

/// A duplicate that belongs to rondo-bench alone and returns errors.
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int ranks() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Collective. If any rank has an error text that is not empty, all throw Error(argument) with the
/// text of the lowest such rank.
void agree(const Communicator& comm, const std::string& local_error);

/// Collective. Run `body` on this rank; if it throws on any rank, all throw. `body` itself makes no
/// collective call.
template <class Body>
void collectively(const Communicator& comm, Body&& body) {
  std::string local_error;
  try {
    body();
  } catch (const std::exception& error) {
    local_error = error.what();
  }
  agree(comm, local_error);
}

}  // namespace rondo::bench
