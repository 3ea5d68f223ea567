// rondo-bench: measures all-to-all exchanges against the MPI library's own, and checks every byte.
#include <fmt/format.h>

#include <cstdlib>

#include "session.hpp"
#include "support/program.hpp"
#include "variants.hpp"

namespace rondo::bench {

namespace {

int print_variants(const Options& options, int rank) {
  const Communicator comm(MPI_COMM_WORLD);
  const select::Place place{.layout = support::find_cluster(comm).layout, .has_node = true};
  return rank == 0 ? support::print_answer(kProgram, list_variants(options, place)) : EXIT_SUCCESS;
}

int measure_all(const Options& options, int rank) {
  if (options.variants) return print_variants(options, rank);
  const std::uint64_t errors = Session(options, MPI_COMM_WORLD).run();
  if (errors != 0) throw support::WrongResult(fmt::format("--check found {} wrong bytes", errors));
  return EXIT_SUCCESS;
}

}  // namespace

}  // namespace rondo::bench

int main(int argc, char** argv) {
  using namespace rondo::bench;
  return rondo::support::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, measure_all);
}
