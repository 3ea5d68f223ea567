// What is recorded of the program's exchanges besides their times, if the user asked for it, how long the program has
// run, and how the reports of all ranks are combined.
#pragma once

#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "communicator/state.hpp"
#include "dropin/contract.hpp"
#include "mpi/error.hpp"
#include "registry/algorithm.hpp"

namespace rondo::dropin {

/// Bytes by destination.
using ByteRow = std::vector<std::uint64_t>;

/// Whether this process's environment requests statistics, by RONDO_STATS=1.
bool is_counting();

/// When the program has made an exchange: in a call that blocks, by a start, or by the start of a persistent request.
enum class When { call, start, persistent };

/// What is counted of an exchange.
struct Exchanged {
  buffers::Form form;
  When when = When::call;
  const registry::Algorithm* algorithm = nullptr;  ///< null if it was forwarded to the MPI library
  double seconds = 0;
};

void count(const Exchanged& exchanged, const ByteRow& row);

/// Counts an exchange on an inter-communicator.
void count_inter(buffers::Form form);

/// Counts a call of a function of Rondo that the program has made itself. Must not throw into it.
void note_own_call(const char* function, double seconds) noexcept;

/// Counts a call that is forwarded to the MPI library.
void count_forwarded(MpiCall call);

struct World {
  int ranks;
  int requesting;  ///< ranks whose environment requests the report
};

/// Collective over MPI_COMM_WORLD. Rank 0 prints the statistics of all ranks on stderr.
void report_counts(int rank, World world);

/// Seconds on this process's clock.
inline double now_in_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Since the process began, or since this library was loaded if the system does not say.
double run_seconds();

/// The last line of the statistics: the share of the blocking exchanges, and what to do next, unless the run was too
/// short to tell. The seconds are sums over the ranks. Empty if no exchange took any time.
std::string share_text(double exchange_seconds, double run_seconds, int ranks);

/// Collective. With RONDO_RECORD=FILE, records a call on `comm` for rondo-bench to replay. `state`
/// and `row` are this rank's. Rank 0 of the communicator writes calls 1, 2, 4, 8, ... to
/// FILE.R.C.N: R is its rank in MPI_COMM_WORLD, C the number of the communicator among those that
/// it exchanges on, and N the number of the call. A program that makes a million exchanges leaves
/// twenty files, from its beginning to its end.
void record_matrix(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                   const ByteRow& row);

/// Collective over MPI_COMM_WORLD. Returns the rows of all ranks, by rank, on rank 0.
template <class Row>
std::vector<Row> gather_rows(const std::vector<Row>& own, int rank, int ranks) {
  static_assert(std::is_trivially_copyable_v<Row>, "rows travel as bytes");
  const int bytes = static_cast<int>(own.size() * sizeof(Row));
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  std::vector<int> places(lengths.size());
  mpi::check(PMPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD),
             "MPI_Gather");
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  const int total = rank == 0 ? places.back() + lengths.back() : 0;
  std::vector<Row> all(static_cast<std::size_t>(total) / sizeof(Row));
  mpi::check(PMPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), lengths.data(), places.data(),
                          MPI_BYTE, 0, MPI_COMM_WORLD),
             "MPI_Gatherv");
  return all;
}

}  // namespace rondo::dropin
