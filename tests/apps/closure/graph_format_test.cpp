// Lines of graph files: their meaning, and the errors in wrong ones.
#include "closure/graph_format.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "closure/text_file.hpp"
#include "refusal.hpp"

namespace rondo::closure {
namespace {

constexpr GraphFormat kPattern{.is_matrix = true, .vertices = 9, .entries = 4};

struct Line {
  const char* line;
  GraphFormat format;
  std::optional<Edge> edge;
};

const Line kGood[] = {
    {"1 2", {}, Edge{1, 2}},
    {"  3\t\t4  ", {}, Edge{3, 4}},
    {"5 6\r", {}, Edge{5, 6}},
    {"0 18446744073709551615", {}, Edge{0, UINT64_MAX}},
    {"1 2 -0.5 +7e300", {}, Edge{1, 2}},
    {"", {}, std::nullopt},
    {" \t\r", {}, std::nullopt},
    {"# 1 2", {}, std::nullopt},
    {" % 1 2", {}, std::nullopt},
    {"9 1", kPattern, Edge{9, 1}},
    {"9 1 1e-400", {.is_matrix = true, .values = 1, .vertices = 9, .entries = 1}, Edge{9, 1}},
    {"%", kPattern, std::nullopt},
};

TEST(GraphFormat, Edges) {
  for (const Line& row : kGood) EXPECT_EQ(parse_edge(row.line, row.format), row.edge) << row.line;
}

struct Wrong {
  const char* line;
  GraphFormat format;
  const char* reason;
};

const Wrong kWrong[] = {
    {"1", {}, "an edge has two vertices, but the line has only '1'"},
    {"a b", {}, "'a' is not a number"},
    {"1 b", {}, "'b' is not a number"},
    {"1 2 x", {}, "'x' is not a number"},
    {"1,2", {}, "'1,2' is not a number"},
    {"1.5 2", {}, "'1.5' is not a number"},
    {"1 -2", {}, "'-2' is negative; the smallest vertex is 0"},
    {"1 -", {}, "'-' is not a number"},
    {"1 -x", {}, "'-x' is not a number"},
    {"18446744073709551616 1",
     {},
     "'18446744073709551616' is too large; the largest vertex is 18446744073709551615"},
    {"\x1b[2J 1", {}, "'?[2J' is not a number"},
    {"0 1", kPattern, "index 0 is not in 1 .. 9"},
    {"1 10", kPattern, "index 10 is not in 1 .. 9"},
    {"3", kPattern, "the line has row '3' without a column"},
    {"3 4 5", kPattern, "row and column are followed by 1 values instead of 0"},
};

TEST(GraphFormat, WrongLines) {
  for (const Wrong& row : kWrong)
    EXPECT_EQ(test::refusal<BadLine>([&] { parse_edge(row.line, row.format); }), row.reason)
        << row.line;
}

GraphHeader header_of(std::string_view lines) {
  return read_header([&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    return std::string(take_line(lines));
  });
}

TEST(GraphFormat, AnEdgeListHasNoHeader) {
  for (const char* text : {"", "1 2\n", "# comment\n1 2\n", "%%Matrix\n"}) {
    const GraphHeader header = header_of(text);
    EXPECT_FALSE(header.format.is_matrix) << text;
    EXPECT_EQ(header.bytes, 0U) << text;
    EXPECT_EQ(header.lines, 0U) << text;
  }
}

TEST(GraphFormat, HeadersOfMatrices) {
  const std::string text =
      "%%MatrixMarket matrix Coordinate REAL symmetric\r\n% x\n\n5 5 7\n1 1 1\n";
  const GraphHeader header = header_of(text);
  EXPECT_TRUE(header.format.is_matrix);
  EXPECT_TRUE(header.format.both_ways);
  EXPECT_EQ(header.format.values, 1);
  EXPECT_EQ(header.format.vertices, 5U);
  EXPECT_EQ(header.format.entries, 7U);
  EXPECT_EQ(header.lines, 4U);
  EXPECT_EQ(text.substr(header.bytes), "1 1 1\n");
}

const std::pair<const char*, const char*> kWrongHeaders[] = {
    {"%%MatrixMarket vector coordinate real general\n1 1 1\n",
     "the banner has 'vector'; allowed: matrix"},
    {"%%MatrixMarket matrix array real general\n1 1\n",
     "the matrix is 'array'; a graph needs a matrix with listed entries, `coordinate`"},
    {"%%MatrixMarket matrix coordinate quaternion general\n",
     "the banner has 'quaternion'; allowed: complex, double, integer, pattern, real"},
    {"%%MatrixMarket matrix coordinate real\n",
     "the banner has ''; allowed: general, hermitian, skew-symmetric, symmetric"},
    {"%%MatrixMarket matrix coordinate real general\n% only\n",
     "the file ends before the line with rows, columns and entries"},
    {"%%MatrixMarket matrix coordinate real general\n5 5\n",
     "expected three sizes (rows, columns and entries), not 2"},
    {"%%MatrixMarket matrix coordinate real general\n5 4 3\n",
     "the matrix is 5 x 4; a graph needs a square matrix"},
};

TEST(GraphFormat, WrongHeaders) {
  for (const auto& [lines, reason] : kWrongHeaders)
    EXPECT_EQ(test::refusal<BadLine>([&, text = lines] { header_of(text); }), reason) << lines;
}

TEST(GraphPart, CountsLinesAndFindsTheFirstFault) {
  const GraphPart part = parse_part("1 2\n\n3 x\n4 5\n6", {});
  EXPECT_EQ(part.edges, (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(part.extent.lines, 5U);
  ASSERT_TRUE(part.fault);
  EXPECT_EQ(part.fault->line, 2U);
}

TEST(GraphPart, MirrorsWhatIsNotOnTheDiagonal) {
  GraphFormat format = kPattern;
  format.both_ways = true;
  const GraphPart part = parse_part("2 1\n3 3\n", format);
  EXPECT_EQ(part.edges, (std::vector<Edge>{{2, 1}, {1, 2}, {3, 3}}));
  EXPECT_EQ(part.extent.entries, 2U);
}

TEST(GraphPart, FindsTheFirstEntryTooMany) {
  const std::string lines = "1 1\n\n2 2\n3 3\n";
  const GraphPart part = parse_part(lines, kPattern);
  EXPECT_FALSE(find_excess(lines, part, kPattern, 1));
  for (const auto& [before, line] : {std::pair{2U, 3U}, {3U, 2U}, {4U, 0U}, {7U, 0U}}) {
    const std::optional<Fault> excess = find_excess(lines, part, kPattern, before);
    ASSERT_TRUE(excess) << before;
    EXPECT_EQ(excess->line, line) << before;
  }
}

}  // namespace
}  // namespace rondo::closure
