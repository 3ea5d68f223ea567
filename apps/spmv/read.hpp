// The matrix of a run, dealt out to the ranks.
#pragma once

#include "common/dealing.hpp"
#include "spmv/options.hpp"
#include "spmv/rows.hpp"
#include "support/communicator.hpp"

namespace rondo::spmv {

using Dealing = apps::Dealing<std::int64_t>;

/// A matrix of which this rank has its rows and any rank can have all.
class Matrix {
 public:
  /// Collective. Reads the file on rank 0 or generates. Throws Error(argument) on all ranks for a bad
  /// file, and for a matrix that is not square or has no rows.
  Matrix(const Options& options, const support::Communicator& comm);

  std::int64_t order() const { return order_; }
  Dealing dealing() const { return {order_, ranks_}; }

  /// The rows from `first` on.
  Rows rows(std::int64_t first, std::int64_t count) const;

 private:
  void read_for_all(const std::string& file, const support::Communicator& comm);

  std::optional<Generator> generator_;
  std::uint64_t seed_;
  std::int64_t ranks_;
  std::int64_t order_ = 0;
  std::vector<support::SparseMatrix::Entry> entries_;  ///< all, if they come from a file
};

}  // namespace rondo::spmv
