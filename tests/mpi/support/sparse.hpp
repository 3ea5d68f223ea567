// A sparse exchange of pairs of ints, with every form of its receiving side.
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <vector>

#include "support/dynamic.hpp"

namespace rondo::testing {

/// The traffics of dynamic exchanges, and some with few partners.
std::vector<Traffic> sparse_traffics();

/// The rows of the registry with their defaults and with other parameters, and auto.
std::vector<std::string> sparse_algorithms();

void set_sparse_algorithm(MPI_Comm comm, const std::string& algorithm, Row& row);

/// The arguments of one rank. A test may bend them before the call.
struct SparseArguments {
  const void* send_buffer;
  int destination_count;
  const int* destinations;
  const int* send_counts;
  const int* send_displacements;
  MPI_Datatype send_type;
  void* receive_buffer;
  int capacity;
  MPI_Datatype receive_type;
  Rondo_Sources* sources;
  MPI_Comm comm;

  int call() const {
    return Rondo_Sparse_alltoallv(send_buffer, destination_count, destinations, send_counts,
                                  send_displacements, send_type, receive_buffer, capacity,
                                  receive_type, sources, comm);
  }
};

/// Destinations are in random order. Some with 0 elements are among them.
class SparseExchange {
 public:
  struct Types {
    bool send_spread = false;
    bool receive_spread = false;
  };

  SparseExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Types types);
  SparseExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed)
      : SparseExchange(comm, traffic, seed, Types{}) {}

  /// The arguments for a buffer that fits.
  SparseArguments arguments();

  /// Exchanges and looks at everything that the call has written.
  void run(Place place, Row& row);

  int total() const { return static_cast<int>(total_); }

 private:
  int pairs(int source, int destination) const;
  int value(int source, int destination, int index) const;
  void write_blocks(std::uint64_t order);
  void run_large(Row& row);
  void run_given(std::size_t capacity, Row& row);
  void run_allocated(bool is_refused, Row& row);
  void run_own(Row& row);
  void take(Row& row);
  template <class Sources>
  void expect_sources(const Sources& sources, Row& row) const;
  void expect_data(std::size_t capacity, Row& row) const;

  MPI_Comm comm_;
  Traffic traffic_;
  std::uint64_t seed_;
  int rank_;
  int ranks_;
  PairType send_type_;
  PairType receive_type_;
  std::size_t total_ = 0;  ///< pairs that arrive
  std::vector<int> sent_, destinations_, send_counts_, send_displacements_;
  std::vector<int> received_;
  Rondo_Sources sources_{};
};

}  // namespace rondo::testing
