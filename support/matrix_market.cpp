#include "support/matrix_market.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "support/text.hpp"

namespace rondo::support {

namespace {

using Words = std::vector<std::string>;
using Entry = SparseMatrix::Entry;

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(), [](char letter) {
    return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return word;
}

class MatrixMarket {
 public:
  MatrixMarket(std::istream& in, const std::string& file) : in_(in), file_(file) {}

  SparseMatrix read() {
    read_banner();
    const std::int64_t entries = read_size();
    for (std::int64_t i = 0; i < entries; ++i) {
      const Words words = next_line();
      if (words.empty())
        refuse(rondo::text("the file ends after ", i, " of ", entries, " entries"));
      add(words);
    }
    if (!next_line().empty())
      refuse(rondo::text("more than the ", entries, " entries that the file announces"));
    return std::move(matrix_);
  }

 private:
  enum class Symmetry { general, symmetric, skew };

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorClass::argument, rondo::text(file_, ":", line_, ": ", reason));
  }

  /// Returns the words of the next line that has some and is no comment; none at the end.
  Words next_line() {
    for (std::string line; std::getline(in_, line);) {
      ++line_;
      if (line.starts_with('%')) continue;
      std::istringstream words(line);
      Words found;
      for (std::string word; words >> word;) found.push_back(word);
      if (!found.empty()) return found;
    }
    if (in_.bad()) refuse(std::strerror(errno));
    return {};
  }

  void read_banner() {
    std::string line;
    std::getline(in_, line);
    ++line_;
    std::istringstream words(lower(line));
    std::string banner, object, format, field, symmetry;
    words >> banner >> object >> format >> field >> symmetry;
    if (banner != "%%matrixmarket" || symmetry.empty())
      refuse("the first line is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    if (object != "matrix")
      refuse(rondo::text("the file has a ", in_quotes(object), ", not a matrix"));
    if (format == "array") refuse("the matrix is an array; only 'coordinate' can be read");
    if (format != "coordinate")
      refuse(rondo::text(in_quotes(format), " is not a format; 'coordinate' can be read"));
    if (field == "complex") refuse("the matrix is complex; only real values can be read");
    if (field != "real" && field != "double" && field != "integer" && field != "pattern")
      refuse(rondo::text(in_quotes(field), " is none of real, integer and pattern"));
    is_pattern_ = field == "pattern";
    read_symmetry(symmetry);
  }

  void read_symmetry(const std::string& symmetry) {
    if (symmetry == "symmetric")
      symmetry_ = Symmetry::symmetric;
    else if (symmetry == "skew-symmetric")
      symmetry_ = Symmetry::skew;
    else if (symmetry != "general")
      refuse(rondo::text(in_quotes(symmetry), " is none of general, symmetric and skew-symmetric"));
  }

  /// Returns how many entries the file announces.
  std::int64_t read_size() {
    const Words words = next_line();
    if (words.empty()) refuse("the file ends before the line with the size");
    if (words.size() != 3) refuse("the size is not three numbers: rows, columns and entries");
    matrix_.rows = number(words[0], 0);
    matrix_.columns = number(words[1], 0);
    if (symmetry_ != Symmetry::general && matrix_.rows != matrix_.columns)
      refuse(rondo::text("a symmetric matrix cannot be ", words[0], " x ", words[1]));
    return number(words[2], 0);
  }

  std::int64_t number(const std::string& word, std::int64_t least) const {
    std::int64_t value = 0;
    if (!read_number(word, value) || value < least)
      refuse(rondo::text(in_quotes(word), " is not a whole number of ", least, " or more"));
    return value;
  }

  std::int64_t index(const std::string& word, std::int64_t count) const {
    const std::int64_t value = number(word, 1);
    if (value > count) refuse(rondo::text(word, " is outside a matrix of ", size_text()));
    return value - 1;
  }

  std::string size_text() const { return rondo::text(matrix_.rows, " x ", matrix_.columns); }

  void add(const Words& words) {
    const std::size_t wanted = is_pattern_ ? 2 : 3;
    if (words.size() != wanted)
      refuse(rondo::text("an entry has ", words.size(), " words, not ", wanted));
    Entry entry{index(words[0], matrix_.rows), index(words[1], matrix_.columns), 1};
    if (!is_pattern_ && !read_number(without_plus(words[2]), entry.value))
      refuse(rondo::text(in_quotes(words[2]), " is not a number"));
    matrix_.entries.push_back(entry);
    if (symmetry_ == Symmetry::general || entry.row == entry.column) return;
    const double value = symmetry_ == Symmetry::skew ? -entry.value : entry.value;
    matrix_.entries.push_back({entry.column, entry.row, value});
  }

  static std::string without_plus(const std::string& word) {
    return word.starts_with('+') ? word.substr(1) : word;
  }

  std::istream& in_;
  const std::string& file_;
  std::size_t line_ = 0;
  bool is_pattern_ = false;
  Symmetry symmetry_ = Symmetry::general;
  SparseMatrix matrix_;
};

}  // namespace

SparseMatrix read_matrix_market(std::istream& in, const std::string& file) {
  return MatrixMarket(in, file).read();
}

SparseMatrix read_matrix_market_file(const std::string& file) {
  std::istringstream in(read_file(file));
  return read_matrix_market(in, file);
}

}  // namespace rondo::support
