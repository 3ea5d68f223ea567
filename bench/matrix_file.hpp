// A P x P table of byte counts in a text file, as a real program's pattern can be recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace rondo::bench {

/// Block lengths by source (row) and destination (column).
class Matrix {
 public:
  Matrix(int ranks, std::vector<std::uint64_t> entries)
      : ranks_(ranks), entries_(std::move(entries)) {}

  std::size_t bytes(int source, int destination) const {
    return entries_[static_cast<std::size_t>(source) * static_cast<std::size_t>(ranks_) +
                    static_cast<std::size_t>(destination)];
  }
  int ranks() const { return ranks_; }
  std::size_t largest() const;

 private:
  int ranks_;
  std::vector<std::uint64_t> entries_;
};

/// Read `ranks` x `ranks` whitespace-separated byte counts, row by row: row s holds what rank s
/// sends. Line ends mean nothing; a line that starts with # is a comment. Throws Error(argument)
/// with `file`, line and reason.
std::vector<std::uint64_t> read_matrix(std::istream& in, const std::string& file, int ranks);

/// The same from the file of that name.
std::vector<std::uint64_t> read_matrix_file(const std::string& file, int ranks);

}  // namespace rondo::bench
