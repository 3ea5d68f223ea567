// What the ranks know, brought together at the end of the program.
#pragma once

#include <mpi.h>

#include <numeric>
#include <type_traits>
#include <vector>

#include "exchange/mpi_error.hpp"

namespace rondo::dropin {

/// Collective over MPI_COMM_WORLD. The rows of all ranks, by rank, on rank 0.
template <class Row>
std::vector<Row> gather_rows(const std::vector<Row>& own, int rank, int ranks) {
  static_assert(std::is_trivially_copyable_v<Row>, "rows travel as bytes");
  const int bytes = static_cast<int>(own.size() * sizeof(Row));
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  std::vector<int> places(lengths.size());
  exchange::check(PMPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD),
                  "MPI_Gather");
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  const int total = rank == 0 ? places.back() + lengths.back() : 0;
  std::vector<Row> all(static_cast<std::size_t>(total) / sizeof(Row));
  exchange::check(PMPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), lengths.data(),
                               places.data(), MPI_BYTE, 0, MPI_COMM_WORLD),
                  "MPI_Gatherv");
  return all;
}

}  // namespace rondo::dropin
