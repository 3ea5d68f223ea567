// rondo-fft: Fourier transforms over MPI ranks, and what their exchanges cost.
#include <cstdlib>

#include "fft/session.hpp"
#include "program.hpp"

namespace {

using namespace rondo;
using namespace rondo::fft;

constexpr const char* kProgram = "rondo-fft";
constexpr int kWrongResult = 1;

template <class Real>
int run_session(const Options& options, int rank) {
  const bench::Communicator comm(MPI_COMM_WORLD);
  Session<Real> session(options, comm);
  std::string complaint;
  if (session.run(complaint)) return EXIT_SUCCESS;
  if (rank == 0) bench::complain(kProgram, complaint);
  return kWrongResult;
}

int transform(const Options& options, int rank) {
  if (options.precision == Precision::float32) return run_session<float>(options, rank);
  return run_session<double>(options, rank);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, transform);
}
