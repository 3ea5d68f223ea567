// rondo-bench: measures all-to-all exchanges against the MPI library's own, and checks every byte.
#include <cstdlib>

#include "cluster.hpp"
#include "options.hpp"
#include "program.hpp"
#include "session.hpp"
#include "variants.hpp"

namespace {

using namespace rondo;
using namespace rondo::bench;

constexpr const char* kProgram = "rondo-bench";
constexpr int kWrongBytes = 1;

int print_variants(const Options& options, int rank) {
  const Communicator comm(MPI_COMM_WORLD);
  const select::Place place{.layout = find_cluster(comm).layout, .has_node = true};
  return rank == 0 ? print_answer(kProgram, {list_variants(options, place)}) : EXIT_SUCCESS;
}

int measure_all(const Options& options, int rank) {
  if (options.variants) return print_variants(options, rank);
  const std::uint64_t errors = Session(options, MPI_COMM_WORLD).run();
  if (errors == 0) return EXIT_SUCCESS;
  if (rank == 0) complain(kProgram, fmt::format("--check found {} wrong bytes", errors));
  return kWrongBytes;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, measure_all);
}
