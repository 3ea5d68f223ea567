// RONDO_RECORD=FILE: count matrices of the program's exchanges, for rondo-bench to replay.

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "base/file.hpp"
#include "dropin/report/report.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin {

using mpi::check;

namespace {

/// Counts one more call on the communicator of that state.
std::uint64_t count_call(const communicator::State& state) {
  static std::mutex mutex;
  static auto& calls = *new std::map<std::size_t, std::uint64_t>;
  const std::lock_guard lock(mutex);
  return ++calls[state.number()];
}

std::string file_name(const communicator::State& state, std::uint64_t call) {
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return text(state.settings().record, ".", rank, ".", state.number(), ".", call);
}

void write_matrix(const std::string& name, const std::string& comment, const ByteRow& matrix,
                  std::size_t ranks) {
  std::string rows = text("# ", comment, "; row s, column d: bytes that rank s sends to rank d\n");
  for (std::size_t entry = 0; entry < matrix.size(); ++entry)
    fmt::format_to(std::back_inserter(rows), "{}{}", matrix[entry],
                   (entry + 1) % ranks == 0 ? '\n' : ' ');
  write_file(name, rows);
}

}  // namespace

void record_matrix(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                   const ByteRow& row) {
  const std::uint64_t call = count_call(state);
  if (!std::has_single_bit(call)) return;
  const bool is_root = state.rank() == 0;
  ByteRow matrix(is_root ? row.size() * row.size() : 0);
  const int ranks = state.ranks();
  check(PMPI_Gather(row.data(), ranks, MPI_UINT64_T, matrix.data(), ranks, MPI_UINT64_T, 0, comm),
        "MPI_Gather");
  if (!is_root) return;
  const char* name = buffers::kFormNames[static_cast<std::size_t>(form)];
  write_matrix(file_name(state, call),
               text(name, ", call ", call, " on a communicator of ", ranks, " ranks"), matrix,
               row.size());
}

}  // namespace rondo::dropin
