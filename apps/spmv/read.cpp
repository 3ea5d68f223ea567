#include "spmv/read.hpp"

#include <limits>

namespace rondo::spmv {

using support::check_mpi;
using Entry = support::SparseMatrix::Entry;

Matrix::Matrix(const Options& options, const support::Communicator& comm)
    : generator_(options.generator), seed_(options.seed), ranks_(comm.ranks()) {
  if (generator_)
    order_ = generator_->order;
  else
    read_for_all(options.matrix, comm);
}

void Matrix::read_for_all(const std::string& file, const support::Communicator& comm) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  support::SparseMatrix matrix;
  support::collectively(comm, [&] {
    if (comm.rank() != 0) return;
    matrix = support::read_matrix_market_file(file);
    if (matrix.rows != matrix.columns || matrix.rows < 1 || matrix.rows > kMost ||
        std::ssize(matrix.entries) > kMost)
      throw Error(ErrorClass::argument,
                  text(file, ": the matrix is ", matrix.rows, " x ", matrix.columns, " with ",
                       matrix.entries.size(),
                       " entries; it must be square, with 1 to 2^31-1 rows and as many entries"));
  });
  std::int64_t numbers[] = {matrix.rows, std::ssize(matrix.entries)};
  support::broadcast(comm, numbers);
  order_ = numbers[0];
  matrix.entries.resize(static_cast<std::size_t>(numbers[1]));
  MPI_Datatype entry = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(sizeof(Entry), MPI_BYTE, &entry), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&entry), "MPI_Type_commit");
  check_mpi(MPI_Bcast(matrix.entries.data(), static_cast<int>(numbers[1]), entry, 0, comm.get()),
            "MPI_Bcast");
  check_mpi(MPI_Type_free(&entry), "MPI_Type_free");
  entries_ = std::move(matrix.entries);
}

Rows Matrix::rows(std::int64_t first, std::int64_t count) const {
  if (generator_) return generate(*generator_, seed_, first, count);
  return rows_of(entries_, order_, first, count);
}

}  // namespace rondo::spmv
