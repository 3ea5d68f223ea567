// Rows of a matrix: those of a file's entries and those of generators.
#include "spmv/rows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "refusal.hpp"
#include "spmv/generator.hpp"

namespace rondo::spmv {
namespace {

/// By row and column of the matrix.
std::map<std::pair<std::int64_t, std::int64_t>, double> entries_of(const Rows& rows) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> found;
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (std::size_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i)
      found[{rows.first + static_cast<std::int64_t>(row), rows.columns[i]}] += rows.values[i];
  return found;
}

TEST(Rows, AreChosenFromEntriesInAnyOrder) {
  const support::SparseMatrix::Entry entries[] = {
      {3, 0, 5}, {1, 2, 4}, {0, 0, 9}, {1, 2, 1}, {2, 1, 7}};
  const Rows rows = rows_of(entries, 4, 1, 2);
  EXPECT_EQ(rows.starts, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(entries_of(rows), (decltype(entries_of(rows)){{{1, 2}, 5}, {{2, 1}, 7}}));
  const double vector[] = {1, 10, 100, 1000};
  double product[2];
  multiply<std::int64_t>(rows, rows.columns, vector, product);
  EXPECT_EQ(product[0], 500);
  EXPECT_EQ(product[1], 70);
}

TEST(Generator, StencilsAreSymmetricWithTheRightNeighbours) {
  for (const auto& [name, order, entries] :
       {std::tuple{"5-point:3x4", 12, 12 + 2 * (2 * 4 + 3 * 3)},
        std::tuple{"7-point:2x3x4", 24, 24 + 2 * (12 + 16 + 18)},
        std::tuple{"27-point:3x3x3", 27, 7 * 7 * 7}}) {
    const Generator generator = parse_generator(name);
    EXPECT_EQ(generator.order, order);
    const auto found = entries_of(generate(generator, 1, 0, order));
    EXPECT_EQ(std::ssize(found), entries) << name;
    for (const auto& [place, value] : found) {
      EXPECT_EQ(value, place.first == place.second ? generator.points - 1 : -1) << name;
      EXPECT_TRUE(found.contains({place.second, place.first})) << name;
    }
  }
}

TEST(Generator, PartsAreThoseOfTheWhole) {
  for (const char* name : {"27-point:3x2x4", "random:24,3"}) {
    const Generator generator = parse_generator(name);
    auto parts = entries_of(generate(generator, 7, 0, 10));
    parts.merge(entries_of(generate(generator, 7, 10, 14)));
    EXPECT_EQ(parts, entries_of(generate(generator, 7, 0, 24))) << name;
    if (generator.points == 0) {
      EXPECT_NE(parts, entries_of(generate(generator, 8, 0, 24)));
      for (const auto& [place, value] : parts) EXPECT_GT(value, 0);
    }
  }
}

TEST(Generator, RefusesAndNamesTheText) {
  for (const char* text :
       {"", "5-point", "5-point:3", "5-point:3x4x5", "7-point:3x4", "7-point:3x0x4", "9-point:3x3",
        "27-point:2000x2000x2000", "random:5", "random:0,1", "random:5,-1", "random:3000000000,1"})
    EXPECT_TRUE(
        test::says(test::refusal([&] { parse_generator(text); }), "'" + std::string(text) + "'"))
        << text;
}

}  // namespace
}  // namespace rondo::spmv
