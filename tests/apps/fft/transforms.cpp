// Every transform of rondo-fft on every number of ranks up to those that it is started with, against
// FFTW on one rank. One launch: the smaller numbers are parts of the communicator.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "fft/problem.hpp"
#include "fft/verifier.hpp"

namespace {

using namespace rondo;
using namespace rondo::fft;

constexpr int kRanks[] = {1, 2, 3, 5, 7, 8, 13, 16};
const std::vector<std::string> kAlgorithms{"auto", "mpi", "fused_bruck", "pairwise"};

int failures = 0;  // on rank 0

template <class... Arguments>
void expect(bool holds, fmt::format_string<Arguments...> what, Arguments&&... arguments) {
  if (holds) return;
  ++failures;
  fmt::print("FAILED: {}\n", fmt::format(what, std::forward<Arguments>(arguments)...));
}

Options line_of(std::int64_t points) {
  Options options;
  options.points = points;
  return options;
}

Options box_of(const Size& size, bool pencil, std::optional<Shape> grid = {}) {
  Options options;
  options.size = size;
  options.pencil = pencil;
  options.grid = grid;
  return options;
}

/// Sizes that the ranks divide, that they do not, that leave ranks without points, and primes.
std::vector<Options> problems_for(int ranks) {
  const std::int64_t p = ranks;
  std::vector<Options> problems;
  for (const std::int64_t points :
       {p * p, 3 * p * p, std::int64_t{1000}, std::int64_t{17}, std::int64_t{1}})
    problems.push_back(line_of(points));
  for (const bool pencil : {false, true})
    for (const Size& size : {Size{p, 2 * p, p}, Size{7, 10, 6}, Size{2, 3, 4}, Size{5, 1, 9}})
      problems.push_back(box_of(size, pencil));
  problems.push_back(box_of({6, 11, 7}, true, Shape{1, p}));
  problems.push_back(box_of({6, 11, 7}, true, Shape{p, 1}));
  return problems;
}

std::string name_of(const Problem& problem) {
  const auto [nx, ny, nz] = problem.size;
  return fmt::format("{} of {}x{}x{} in {}x{}", static_cast<int>(problem.kind), nx, ny, nz,
                     problem.shape.rows, problem.shape.columns);
}

/// Expects that the parts of all ranks have as many points as the whole. The Verifier notices points
/// that are missing or there twice.
template <class Real>
void check_parts(const Transform<Real>& transform, const Problem& problem,
                 const support::Communicator& comm) {
  for (const Leg<Real>& leg : transform.legs()) {
    std::int64_t points[] = {leg.from.elements(), leg.to.elements()};
    support::check_mpi(MPI_Allreduce(MPI_IN_PLACE, points, 2, MPI_INT64_T, MPI_SUM, comm.get()),
                       "MPI_Allreduce");
    if (comm.rank() != 0) continue;
    expect(points[0] == problem.points() && points[1] == problem.points(),
           "{}: the ranks have {} and {} points", name_of(problem), points[0], points[1]);
  }
}

template <class Real>
void check_error(double error, const std::string& what, const support::Communicator& comm) {
  if (comm.rank() != 0) return;
  expect(error <= kMostError<Real>, "{} on {} ranks, {} bytes: relative error {}", what,
         comm.ranks(), sizeof(Real), error);
}

/// FFTW's own MPI transform has no pencils, and is refused where FFTW is wrong.
bool is_for_library(const Problem& problem) {
  const auto [nx, ny, nz] = problem.size;
  if (problem.kind == Problem::Kind::line) return nz > 1;
  return problem.kind == Problem::Kind::slab && nx > 1 && ny > 1;
}

template <class Real>
void check_problem(const Options& options, const support::Communicator& comm) {
  const Problem problem = make_problem(options, comm.ranks());
  const auto decomposition = decompose<Real>(problem, comm);
  Verifier verifier(comm, problem.size);
  apps::ExchangeTimer timer(comm, false);
  for (const Direction direction : {Direction::both, Direction::backward}) {
    const Planning planning{direction, FFTW_ESTIMATE};
    const auto transform = make_transform(*decomposition, planning);
    check_parts(*transform, problem, comm);
    // Single precision and one direction use the same exchange.
    const bool everything = direction == Direction::both && sizeof(Real) == sizeof(double);
    for (const std::string& algorithm : everything ? kAlgorithms : std::vector{kAlgorithms[0]}) {
      for (MPI_Comm part : decomposition->communicators()) apps::choose_algorithm(part, algorithm);
      check_error<Real>(verifier.relative_error(*transform, timer),
                        name_of(problem) + " by " + algorithm, comm);
    }
    if (!has_library_transform() || !is_for_library(problem)) continue;
    const auto library = make_library_transform<Real>(comm, problem.size, planning);
    check_parts(*library, problem, comm);
    check_error<Real>(verifier.relative_error(*library, timer), name_of(problem) + " by FFTW",
                      comm);
  }
}

/// A wrong transform: a point on the last rank is wrong, or no rank has the last rank's points.
class Spoilt : public Transform<double> {
 public:
  Spoilt(const Transform<double>& right, bool is_last, bool lose_points) {
    for (const Leg<double>& leg : right.legs()) legs_.push_back(leg);
    if (!is_last) return;
    Leg<double>& leg = legs_.back();
    if (lose_points) leg.to = part_of_line(0, 0);
    leg.execute = [execute = leg.execute, output = leg.output](apps::ExchangeTimer& timer) {
      execute(timer);
      *const_cast<Complex<double>*>(output) += 1e-6;
    };
  }
};

void check_that_errors_are_seen(const support::Communicator& comm) {
  const Problem problem = make_problem(line_of(36 * comm.ranks() * comm.ranks()), comm.ranks());
  const auto decomposition = decompose<double>(problem, comm);
  const auto right = make_transform(*decomposition, {Direction::forward, FFTW_ESTIMATE});
  Verifier verifier(comm, problem.size);
  apps::ExchangeTimer timer(comm, false);
  for (const bool lose_points : {false, true}) {
    const Spoilt spoilt(*right, comm.rank() == comm.ranks() - 1, lose_points);
    const double error = verifier.relative_error(spoilt, timer);
    expect(error > kMostError<double>, "on {} ranks the verifier sees nothing wrong", comm.ranks());
  }
}

void check_all(const support::Communicator& comm) {
  for (const Options& options : problems_for(comm.ranks())) {
    check_problem<double>(options, comm);
    check_problem<float>(options, comm);
  }
  check_that_errors_are_seen(comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const int ranks : kRanks) {
    if (ranks > world) break;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, 0, &part);
    if (part == MPI_COMM_NULL) continue;
    check_all(support::Communicator(part));
    MPI_Comm_free(&part);
  }
  if (rank == 0) fmt::print("{} failures\n", failures);
  int status = failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
