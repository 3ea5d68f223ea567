// rondo-kcfa: control-flow analysis of a lambda-calculus program, over the ranks of an MPI job.
#include <cstdlib>

#include "kcfa/options.hpp"
#include "kcfa/session.hpp"
#include "program.hpp"

namespace {

using namespace rondo;

int analyse(const kcfa::Options& options, int) {
  kcfa::Session(options, MPI_COMM_WORLD).run();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program<kcfa::Options>(
      "rondo-kcfa", [&] { return kcfa::parse_options(argc, argv); }, analyse);
}
