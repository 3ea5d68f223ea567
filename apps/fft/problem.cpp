#include "fft/problem.hpp"

#include <limits>

#include "fft/line.hpp"
#include "fft/pencil.hpp"
#include "fft/slab.hpp"

namespace rondo::fft {

namespace {

constexpr std::int64_t kMostOfARank = std::numeric_limits<int>::max();

void check_fits(std::int64_t points, std::int64_t most_of_a_rank) {
  if (most_of_a_rank > kMostOfARank)
    throw Error(ErrorClass::argument, text("a rank would have ", most_of_a_rank, " of the ", points,
                                           " points, which is more than MPI can count (",
                                           kMostOfARank, "); use more ranks"));
}

std::int64_t points_of(const Options& options, int ranks) {
  if (options.points) return *options.points;
  const std::int64_t square = std::int64_t{ranks} * ranks;
  if (options.blocks > kMostOfARank * ranks / square)
    throw Error(ErrorClass::argument, text("--blocks ", options.blocks, " on ", ranks,
                                           " ranks gives a rank more points "
                                           "than MPI can count (",
                                           kMostOfARank, ")"));
  return square * options.blocks;
}

Shape grid_of(const Options& options, int ranks) {
  if (!options.grid) return balanced_factors(ranks);
  const auto [rows, columns] = *options.grid;
  if (rows * columns != ranks)
    throw Error(ErrorClass::argument, text("--grid ", rows, "x", columns, " has ", rows * columns,
                                           " places, but there are ", ranks, " ranks"));
  return *options.grid;
}

}  // namespace

Shape balanced_factors(std::int64_t number) {
  std::int64_t small = 1;
  for (std::int64_t factor = 2; factor <= number / factor; ++factor)
    if (number % factor == 0) small = factor;
  return {small, number / small};
}

Shape matrix_of(std::int64_t points, int ranks) {
  const std::int64_t square = std::int64_t{ranks} * ranks;
  if (points % square != 0) return balanced_factors(points);
  const Shape rest = balanced_factors(points / square);
  return {rest.rows * ranks, rest.columns * ranks};
}

Problem make_problem(const Options& options, int ranks) {
  if (options.size && options.pencil)
    return {Problem::Kind::pencil, *options.size, grid_of(options, ranks)};
  if (options.size) return {Problem::Kind::slab, *options.size, {}};
  const std::int64_t points = points_of(options, ranks);
  check_fits(points, points / ranks);  // before the search for factors
  return {Problem::Kind::line, {1, 1, points}, matrix_of(points, ranks)};
}

template <class Real>
std::unique_ptr<Decomposition<Real>> decompose(const Problem& problem,
                                               const support::Communicator& comm) {
  std::unique_ptr<Decomposition<Real>> made;
  switch (problem.kind) {
    case Problem::Kind::line:
      made = std::make_unique<Line<Real>>(comm, problem.shape);
      break;
    case Problem::Kind::slab:
      made = std::make_unique<Slab<Real>>(comm, problem.size);
      break;
    case Problem::Kind::pencil:
      made = std::make_unique<Pencil<Real>>(comm, problem.size, problem.shape);
      break;
  }
  check_fits(problem.points(), made->most_points());
  return made;
}

template std::unique_ptr<Decomposition<float>> decompose(const Problem&,
                                                         const support::Communicator&);
template std::unique_ptr<Decomposition<double>> decompose(const Problem&,
                                                          const support::Communicator&);

}  // namespace rondo::fft
