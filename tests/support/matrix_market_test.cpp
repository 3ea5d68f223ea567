// Matrix Market files: the kinds that are read, and what is said of others.
#include "support/matrix_market.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

#include "refusal.hpp"

namespace rondo::support {
namespace {

using Entries = std::vector<std::tuple<int, int, double>>;

SparseMatrix read(const std::string& content) {
  std::istringstream in(content);
  return read_matrix_market(in, "m.mtx");
}

Entries entries_of(const std::string& content) {
  Entries found;
  for (const auto& [row, column, value] : read(content).entries)
    found.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  return found;
}

TEST(MatrixMarket, ReadsCoordinates) {
  const std::string real =
      "%%MatrixMarket matrix coordinate real general\n% made by hand\n\n2 3 2\n1 3 -2.5e1\n2 1 "
      "+1\n";
  EXPECT_EQ(entries_of(real), (Entries{{0, 2, -25}, {1, 0, 1}}));
  EXPECT_EQ(read(real).rows, 2);
  EXPECT_EQ(read(real).columns, 3);
  EXPECT_EQ(entries_of("%%MatrixMarket MATRIX Coordinate Integer General\r\n2 2 1\r\n2 2 7\r\n"),
            (Entries{{1, 1, 7}}));
  EXPECT_EQ(entries_of("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"),
            (Entries{{0, 1, 1}}));
  EXPECT_EQ(entries_of("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), Entries{});
}

TEST(MatrixMarket, AddsWhatSymmetryImplies) {
  EXPECT_EQ(entries_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n"),
            (Entries{{0, 0, 3}, {1, 0, 4}, {0, 1, 4}}));
  EXPECT_EQ(entries_of("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n"),
            (Entries{{1, 0, 4}, {0, 1, -4}}));
}

struct WrongMarket {
  const char* content;
  const char* message;
};

const WrongMarket kWrongMarkets[] = {
    {"", "m.mtx:1: the first line is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'"},
    {"1 1 1\n", "m.mtx:1: the first line is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'"},
    {"%%MatrixMarket vector coordinate real general\n",
     "m.mtx:1: the file has a 'vector', not a matrix"},
    {"%%MatrixMarket matrix array real general\n",
     "m.mtx:1: the matrix is an array; only 'coordinate' can be read"},
    {"%%MatrixMarket matrix list real general\n",
     "m.mtx:1: 'list' is not a format; 'coordinate' can be read"},
    {"%%MatrixMarket matrix coordinate complex general\n",
     "m.mtx:1: the matrix is complex; only real values can be read"},
    {"%%MatrixMarket matrix coordinate text general\n",
     "m.mtx:1: 'text' is none of real, integer and pattern"},
    {"%%MatrixMarket matrix coordinate real hermitian\n",
     "m.mtx:1: 'hermitian' is none of general, symmetric and skew-symmetric"},
    {"%%MatrixMarket matrix coordinate real general\n% x\n",
     "m.mtx:2: the file ends before the line with the size"},
    {"%%MatrixMarket matrix coordinate real general\n2 2\n",
     "m.mtx:2: the size is not three numbers: rows, columns and entries"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
     "m.mtx:2: a symmetric matrix cannot be 2 x 3"},
    {"%%MatrixMarket matrix coordinate real general\n2 -2 1\n",
     "m.mtx:2: '-2' is not a whole number of 0 or more"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
     "m.mtx:3: the file ends after 1 of 2 entries"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n",
     "m.mtx:4: more than the 1 entries that the file announces"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n",
     "m.mtx:3: '0' is not a whole number of 1 or more"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n",
     "m.mtx:3: 3 is outside a matrix of 2 x 2"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n",
     "m.mtx:3: an entry has 2 words, not 3"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n",
     "m.mtx:3: 'x' is not a number"},
};

TEST(MatrixMarket, ErrorsNameFileLineAndReason) {
  for (const WrongMarket& row : kWrongMarkets)
    EXPECT_EQ(test::refusal([&] { read(row.content); }), row.message) << row.content;
  EXPECT_EQ(test::refusal([] { read_matrix_market_file("no/such.mtx"); }),
            "no/such.mtx: No such file or directory");
}

}  // namespace
}  // namespace rondo::support
