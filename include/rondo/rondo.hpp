/// Rondo for C++20: rondo.h with spans, types and exceptions. Header-only.
///
/// A buffer is anything contiguous and sized (std::vector, std::array, std::span) of an element
/// type that MPI knows: integers, floating-point numbers, std::byte, std::complex, or a type of
/// your own for which you specialise rondo::Datatype. Counts and displacements count elements.
/// For everything else there are functions that take MPI_Datatype arguments, with their meaning in rondo.h.
///
/// Every error is thrown as rondo::Exception, whatever error handler the communicator has.
///
/// Each rank first checks the sizes of its own buffers. A rank that throws because a buffer is too
/// small has sent nothing, and the other ranks may wait for it for ever, as with any collective
/// that one rank does not call.
///
/// rondo.h says who must call what and when. Everything here is collective unless marked local.
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/rondo.h>

// Compilers whose default is C++17 would otherwise print hundreds of errors.
#if __cplusplus <= 201703L
#error "rondo.hpp needs C++20: compile with -std=c++20"
#else

#include <rondo/cpp/calls.hpp>
#include <rondo/cpp/plans.hpp>
#include <rondo/cpp/starts.hpp>

#include <string>
#include <vector>

namespace rondo {

// ---- Choosing an algorithm.

/// Sets up `comm` now, so that `auto` forwards no call to the MPI library.
inline void prepare(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
  detail::call(Rondo_Comm_prepare, comm, info);
}

/// Sets the algorithm of `collective`, which is "alltoall", "alltoallv", "alltoallw",
/// "neighbor_alltoallv" or "sparse_alltoallv". `algorithm` is a name with parameters, as in
/// "fused_bruck:radix=4", or "auto".
inline void set_algorithm(MPI_Comm comm, const std::string& collective,
                          const std::string& algorithm) {
  detail::call(Rondo_Comm_set_algorithm, comm, collective.c_str(), algorithm.c_str());
}

/// Local, after the set-up. Returns what a call of `collective` runs, with all parameters.
inline std::string algorithm(MPI_Comm comm, const std::string& collective) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_algorithm, comm, collective.c_str(), text, kLength);
  return text;
}

/// Local, after the set-up. Returns what the last exchange ran, with all parameters, or "mpi" if it
/// was forwarded to the MPI library.
inline std::string last_algorithm(MPI_Comm comm) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_last_algorithm, comm, text, kLength);
  return text;
}

/// Local. Returns all rows of the registry of algorithms.
inline std::vector<Rondo_Algorithm> algorithms() {
  std::vector<Rondo_Algorithm> rows(static_cast<std::size_t>(Rondo_Algorithm_count()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    detail::call(Rondo_Algorithm_get, static_cast<int>(i), &rows[i]);
  return rows;
}

}  // namespace rondo

#endif  // C++20
#endif
