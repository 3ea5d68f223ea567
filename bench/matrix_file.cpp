#include "matrix_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo::bench {

namespace {

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& reason) {
  throw Error(ErrorClass::argument, text(file, ":", line, ": ", reason));
}

std::uint64_t read_entry(const std::string& word, const std::string& file, std::size_t line) {
  constexpr std::uint64_t kLongest = std::numeric_limits<int>::max();
  if (word.front() == '-') refuse(file, line, text("'", word, "' is negative"));
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && bytes > kLongest))
    refuse(file, line, text("'", word, "' is more than the ", kLongest, " bytes of MPI's int"));
  if (error != std::errc{} || end != word.data() + word.size())
    refuse(file, line, text("'", word, "' is not a byte count"));
  return bytes;
}

}  // namespace

std::size_t Matrix::largest() const {
  return entries_.empty() ? 0 : *std::max_element(entries_.begin(), entries_.end());
}

std::vector<std::uint64_t> read_matrix(std::istream& in, const std::string& file, int ranks) {
  const auto side = static_cast<std::size_t>(ranks);
  const std::string wanted =
      text(ranks, " ranks need ", side * side, " (", ranks, " x ", ranks, ")");
  std::vector<std::uint64_t> entries;
  std::size_t line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    std::istringstream words(line);
    for (std::string word; words >> word && word.front() != '#';) {
      if (entries.size() == side * side)
        refuse(file, line_number, text("more than ", side * side, " entries; ", wanted));
      entries.push_back(read_entry(word, file, line_number));
    }
  }
  if (in.bad()) refuse(file, line_number, std::strerror(errno));
  if (entries.size() < side * side)
    refuse(file, line_number, text("the file ends after ", entries.size(), " entries; ", wanted));
  return entries;
}

std::vector<std::uint64_t> read_matrix_file(const std::string& file, int ranks) {
  std::istringstream in(read_file(file));
  return read_matrix(in, file, ranks);
}

}  // namespace rondo::bench
