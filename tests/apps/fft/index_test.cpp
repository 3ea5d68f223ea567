// The indices and sizes that rondo-fft computes, without MPI.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "fft/layout.hpp"
#include "fft/problem.hpp"
#include "fft/transposition.hpp"

namespace rondo::fft {
namespace {

TEST(Dealing, BlocksFollowEachOtherAndDifferByOneAtMost) {
  for (int ranks = 1; ranks <= 20; ++ranks)
    for (std::int64_t total = 0; total <= 50; ++total) {
      const Dealing dealing(total, ranks);
      std::int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(dealing.start(rank), next);
        EXPECT_GE(dealing.count(rank), total / ranks);
        EXPECT_LE(dealing.count(rank), dealing.largest());
        next += dealing.count(rank);
      }
      EXPECT_EQ(next, total);
      EXPECT_EQ(dealing.start(ranks), total);
      EXPECT_EQ(dealing.largest(), (total + ranks - 1) / ranks);
      EXPECT_EQ(dealing.even(), total % ranks == 0);
    }
}

TEST(Shapes, FactorsAreTheNearest) {
  EXPECT_EQ(balanced_factors(1), (Shape{1, 1}));
  EXPECT_EQ(balanced_factors(17), (Shape{1, 17}));
  EXPECT_EQ(balanced_factors(1000), (Shape{25, 40}));
  EXPECT_EQ(balanced_factors(1 << 20), (Shape{1024, 1024}));
  EXPECT_EQ(balanced_factors(std::int64_t{2147483647}), (Shape{1, 2147483647}));
  for (std::int64_t number = 1; number <= 500; ++number) {
    const Shape shape = balanced_factors(number);
    EXPECT_EQ(shape.rows * shape.columns, number);
    for (std::int64_t side = shape.rows + 1; side < shape.columns; ++side)
      EXPECT_NE(number % side, 0) << number;
  }
}

TEST(Shapes, MatrixComesOutEvenWhereverItCan) {
  for (int ranks = 1; ranks <= 16; ++ranks)
    for (std::int64_t blocks = 1; blocks <= 30; ++blocks) {
      const std::int64_t points = blocks * ranks * ranks;
      const Shape matrix = matrix_of(points, ranks);
      EXPECT_EQ(matrix.rows * matrix.columns, points);
      EXPECT_EQ(matrix.rows % ranks, 0);
      EXPECT_EQ(matrix.columns % ranks, 0);
    }
  EXPECT_EQ(matrix_of(1000, 3), (Shape{25, 40}));
  EXPECT_EQ(matrix_of(9, 3), (Shape{3, 3}));
}

TEST(Layout, VisitsPlacesInTheOrderOfTheArray) {
  // The planes y = 1 and 2 of 2x3x4 points, as [y][x][z].
  const Layout layout{{Extent{1, 2, 4}, Extent{0, 2, 12}, Extent{0, 4, 1}}};
  std::vector<std::int64_t> places;
  layout.for_each([&](std::int64_t place) { places.push_back(place); });
  EXPECT_EQ(places, (std::vector<std::int64_t>{4, 5, 6, 7, 16, 17, 18, 19,  //
                                               8, 9, 10, 11, 20, 21, 22, 23}));
  EXPECT_EQ(layout.elements(), 16);
  EXPECT_EQ(part_of_line(3, 0).elements(), 0);
}

TEST(Turn, RowsBecomeColumns) {
  for (const auto& [rows, columns] : {Shape{1, 1}, Shape{1, 200}, Shape{200, 1}, Shape{9, 130},
                                      Shape{67, 64}, Shape{0, 5}, Shape{5, 0}}) {
    const std::int64_t from_stride = columns + 3;
    const std::int64_t to_stride = rows + 2;
    std::vector<int> from(static_cast<std::size_t>(rows * from_stride));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
    std::vector<int> to(static_cast<std::size_t>(columns * to_stride), -1);
    turn(from.data(), from_stride, to.data(), to_stride, rows, columns,
         [&](std::int64_t row, std::int64_t column, int value) {
           EXPECT_EQ(value, row * from_stride + column);
           return value;
         });
    for (std::int64_t column = 0; column < columns; ++column)
      for (std::int64_t row = 0; row < to_stride; ++row)
        EXPECT_EQ(to[static_cast<std::size_t>(column * to_stride + row)],
                  row < rows ? row * from_stride + column : -1);
  }
}

TEST(Problem, WhatTheOptionsMean) {
  Options options;
  EXPECT_EQ(make_problem(options, 4).points(), 16);
  options.points = 30;
  EXPECT_EQ(make_problem(options, 4).shape, (Shape{5, 6}));
  options.points.reset();
  options.size = {4, 5, 6};
  EXPECT_EQ(make_problem(options, 6).kind, Problem::Kind::slab);
  options.pencil = true;
  EXPECT_EQ(make_problem(options, 6).shape, (Shape{2, 3}));
  options.grid = Shape{6, 1};
  EXPECT_EQ(make_problem(options, 6).shape, (Shape{6, 1}));
  EXPECT_THROW(make_problem(options, 5), Error);
}

TEST(Problem, TooManyPoints) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  Options options;
  options.points = kMost;
  EXPECT_EQ(make_problem(options, 1).points(), kMost);
  options.points = 2 * kMost + 2;
  EXPECT_THROW(make_problem(options, 2), Error);
  options.points.reset();
  options.blocks = kMost;
  EXPECT_THROW(make_problem(options, 2), Error);
  options.blocks = kMost / 2;
  EXPECT_EQ(make_problem(options, 2).points(), 4 * (kMost / 2));
}

TEST(Options, WrongOnesAreRefused) {
  const std::vector<std::vector<const char*>> lines{
      {"--size", "64x48"},         {"--size", "64x48x0"},
      {"--size", "64x48x-2"},      {"--size", "64x48x50x2"},
      {"--size", "64,48,50"},      {"--size", "9999999x9999999x999999"},
      {"--points", "0"},           {"--points", "many"},
      {"--blocks", "0"},           {"--blocks", "1", "--points", "2"},
      {"--grid", "2x2"},           {"--size", "4x4x4", "--grid", "2x2"},
      {"--decomposition", "slab"}, {"--size", "4x4x4", "--decomposition", "slab", "--grid", "2x2"},
      {"--precision", "half"},     {"--direction", "up"},
      {"--iterations", "0"},       {"--planning", "guess"}};
  for (std::vector<const char*> line : lines) {
    line.insert(line.begin(), "rondo-fft");
    EXPECT_THROW(parse_options(static_cast<int>(line.size()), line.data()), Error)
        << line[1] << " " << line[2];
  }
}

}  // namespace
}  // namespace rondo::fft
