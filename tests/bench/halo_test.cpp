// Lengths along the faces of a grid and of a distributed matrix.
#include "halo.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

struct Sent {
  int peers;
  std::size_t bytes;
};

Sent sent_by(const Matrix& lengths, int rank) {
  Sent sent{};
  for (int peer = 0; peer < lengths.ranks(); ++peer) {
    sent.peers += lengths.bytes(rank, peer) != 0 ? 1 : 0;
    sent.bytes += lengths.bytes(rank, peer);
  }
  return sent;
}

Matrix make_grid(int points, bool is_periodic, std::vector<int> grid, std::size_t bytes) {
  return stencil_lengths({.points = points, .is_periodic = is_periodic}, grid, bytes);
}

struct GridRow {
  int points;
  bool is_periodic;
  std::vector<int> grid;
  int rank;
  int peers;
  std::size_t bytes;  // with faces of 800 bytes: 10 x 10 numbers
};

const GridRow kGridRows[] = {
    {5, true, {3, 3}, 4, 4, 4 * 800},
    {5, false, {3, 3}, 0, 2, 2 * 800},
    {7, true, {3, 3, 3}, 0, 6, 6 * 800},
    {7, false, {3, 3, 3}, 13, 6, 6 * 800},
    {27, true, {3, 3, 3}, 0, 26, 6 * 800 + 12 * 80 + 8 * 8},
    {27, false, {3, 3, 3}, 13, 26, 6 * 800 + 12 * 80 + 8 * 8},
    {27, false, {3, 3, 3}, 26, 7, 3 * 800 + 3 * 80 + 8},
    // Both sides are the same rank, and a rank is its own neighbour in a dimension of one.
    {5, true, {2, 1}, 0, 1, 2 * 800},
    {7, true, {1, 1, 1}, 0, 0, 0},
    {27, true, {2, 1, 1}, 0, 1, 2 * 800 + 8 * 80 + 8 * 8},
};

TEST(Stencil, SendsFacesEdgesAndCorners) {
  for (const GridRow& row : kGridRows) {
    const Matrix lengths = make_grid(row.points, row.is_periodic, row.grid, 800);
    const Sent sent = sent_by(lengths, row.rank);
    EXPECT_EQ(sent.peers, row.peers) << row.points << " points, rank " << row.rank;
    EXPECT_EQ(sent.bytes, row.bytes) << row.points << " points, rank " << row.rank;
  }
}

TEST(Stencil, TheLastDimensionVariesFirst) {
  const Matrix lengths = make_grid(5, false, {2, 3}, 16);
  const auto receivers = [&](int rank) {
    std::vector<int> found;
    for (int peer = 0; peer < 6; ++peer)
      if (lengths.bytes(rank, peer) != 0) found.push_back(peer);
    return found;
  };
  EXPECT_EQ(receivers(0), (std::vector<int>{1, 3}));
  EXPECT_EQ(receivers(4), (std::vector<int>{1, 3, 5}));
}

TEST(Stencil, ShortFacesHaveNoLongerEdges) {
  for (const std::size_t bytes : {0U, 1U, 7U, 8U, 9U}) {
    const Matrix lengths = make_grid(27, true, {3, 3, 3}, bytes);
    EXPECT_EQ(lengths.largest(), bytes);
    EXPECT_EQ(lengths.bytes(0, 13), std::min<std::size_t>(bytes, 8));
  }
}

TEST(Halo, CountsEachColumnOnceForEachRank) {
  // Rows 0 and 1 are rank 0's, rows 2 to 4 are rank 1's.
  const support::SparseMatrix matrix{
      .rows = 5,
      .columns = 5,
      .entries = {
          {0, 0, 1}, {0, 3, 1}, {1, 3, 1}, {1, 4, 1}, {2, 1, 1}, {3, 1, 1}, {4, 2, 1}, {4, 1, 1}}};
  const Matrix lengths(2, halo_lengths(matrix, "m", 2));
  EXPECT_EQ(lengths.bytes(0, 1), 8U);   // column 1
  EXPECT_EQ(lengths.bytes(1, 0), 16U);  // columns 3 and 4
  EXPECT_EQ(lengths.bytes(0, 0), 0U);
  EXPECT_EQ(lengths.bytes(1, 1), 0U);
}

TEST(Halo, MoreRanksThanRows) {
  const support::SparseMatrix matrix{.rows = 2, .columns = 2, .entries = {{0, 1, 1}, {1, 0, 1}}};
  const Matrix lengths(5, halo_lengths(matrix, "m", 5));
  std::size_t sum = 0;
  for (int rank = 0; rank < 5; ++rank) sum += sent_by(lengths, rank).bytes;
  EXPECT_EQ(sum, 16U);
}

TEST(Halo, RefusesWhatIsNotSquare) {
  EXPECT_EQ(test::refusal([] {
              halo_lengths({2, 3, {}}, "m.mtx", 2);
            }),
            "m.mtx: the matrix is not square, but 2 x 3");
}

}  // namespace
}  // namespace rondo::bench
