// RONDO_RECORD=FILE: what `rondo whatif` needs to know of the program's exchanges, in FILE.
#pragma once

#include <string>
#include <vector>

#include "dropin/report/meetings.hpp"

namespace rondo::dropin {

/// Whether this process's environment requests a record.
bool is_recording();

/// The program as a whole.
struct Recorded {
  int ranks = 0;  ///< of MPI_COMM_WORLD
  int nodes = 0;
  int per_node = 0;        ///< the most ranks of a node
  double run_seconds = 0;  ///< of an average rank, until MPI_Finalize
  std::string mpi{};       ///< the MPI library's version
};

/// As JSON.
std::string record_text(const Recorded& program, const std::vector<OccasionRow>& rows);

/// Collective over MPI_COMM_WORLD. Rank 0 writes the record.
void write_record(int rank, int ranks);

}  // namespace rondo::dropin
