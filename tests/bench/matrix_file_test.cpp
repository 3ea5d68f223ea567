// Matrix files: their content, and the places that errors name.
#include "matrix_file.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

std::vector<std::uint64_t> read(const std::string& content, int ranks) {
  std::istringstream in(content);
  return read_matrix(in, "pattern.txt", ranks);
}

TEST(MatrixFile, ReadsRowsWithComments) {
  const std::vector<std::uint64_t> entries{0, 1, 2, 30};
  EXPECT_EQ(read("# recorded\n0 1\n\n  # more\n2\t30\n", 2), entries);
  EXPECT_EQ(read("0 1 2 30", 2), entries);
  EXPECT_EQ(read("0\r\n1\r\n2\r\n30 # last\r\n", 2), entries);
}

struct WrongMatrix {
  const char* content;
  const char* message;
};

const WrongMatrix kWrongMatrices[] = {
    {"1 2\n3\n", "pattern.txt:2: the file ends after 3 entries; 2 ranks need 4 (2 x 2)"},
    {"", "pattern.txt:0: the file ends after 0 entries; 2 ranks need 4 (2 x 2)"},
    {"1 2\n3 4\n5\n", "pattern.txt:3: more than 4 entries; 2 ranks need 4 (2 x 2)"},
    {"1 2\n3 -4\n", "pattern.txt:2: '-4' is negative"},
    {"1 2\n# x\n3 4k\n", "pattern.txt:3: '4k' is not a byte count"},
    {"1.5 2 3 4\n", "pattern.txt:1: '1.5' is not a byte count"},
    {"1 2147483648 3 4\n",
     "pattern.txt:1: '2147483648' is more than the 2147483647 bytes of MPI's int"},
    {"99999999999999999999999 2 3 4\n",
     "pattern.txt:1: '99999999999999999999999' is more than the 2147483647 bytes of MPI's int"},
};

TEST(MatrixFile, ErrorsNameFileLineAndReason) {
  for (const WrongMatrix& row : kWrongMatrices)
    EXPECT_EQ(test::refusal([&] { read(row.content, 2); }), row.message) << row.content;
}

TEST(MatrixFile, AMissingFileIsNamed) {
  EXPECT_EQ(test::refusal([] { read_matrix_file("no/such/file.txt", 2); }),
            "no/such/file.txt: No such file or directory");
}

}  // namespace
}  // namespace rondo::bench
