#include "spmv/options.hpp"

#include "support/command_line.hpp"

namespace rondo::spmv {

namespace {

constexpr const char* kFooter = R"(Method:
  Rows of the matrix, and numbers of the vector, are dealt out in blocks. Before
  each product the ranks exchange the numbers that other ranks need. The largest
  eigenvalue is estimated by power iteration: x becomes A x, over its norm.
  Number i of the first x is 1 + (i mod 11) / 11, divided by the norm.

Algorithms:
  Those of neighbor_alltoallv in rondo-bench --list, or auto, as plans; mpi is
  MPI_Neighbor_alltoallv; by_hand is MPI_Irecv, MPI_Isend and MPI_Waitall.

Matrix files:
  Matrix Market, coordinate: real, integer or pattern, whose entries are 1;
  general, symmetric or skew-symmetric. Rank 0 reads the file.

Generators:
  5-point:AxB, 7-point:AxBxC, 27-point:AxBxC
                stencils on a grid: the points less one on the diagonal, and -1
                for each neighbour
  random:N,K    N rows with 1 on the diagonal and K numbers between 0 and 1

Examples:
  mpirun -n 8 rondo-spmv matrix.mtx --algorithm mpi,auto,by_hand --repeat 5
  mpirun -n 8 rondo-spmv --generate 27-point:40x40x40 --verify)";

}  // namespace

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  support::CommandLine line("The largest eigenvalue of a sparse matrix, by power iteration.",
                            "rondo-spmv");
  line.footer(kFooter);
  const support::Option matrix =
      support::add_text(line, "matrix", options.matrix, "FILE", "The file of the matrix");
  std::string generate;
  support::add_text(line, "--generate", generate, "NAME",
                    "Generate the matrix: 5-point:AxB, 7-point:AxBxC, 27-point:AxBxC or random:N,K")
      .excludes(matrix);
  support::add_number(line, "--seed", options.seed, {0, UINT64_MAX},
                      "The seed of the generated matrix");
  support::add_number(line, "--iterations", options.iterations, {1, 1000000}, "Products in a run");
  support::add_switch(line, "--verify", options.verify,
                      "Compare a product with a serial one on rank 0, which needs the memory for "
                      "the whole matrix; if they differ, the exit status is 1");
  apps::add_common_options(line, options.common, {kByHand});
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (!generate.empty()) {
    options.generator = parse_generator(generate);
    options.matrix = generate;
  }
  if (options.matrix.empty())
    throw Error(ErrorClass::argument, "a FILE or --generate is needed (see --help)");
  return options;
}

}  // namespace rondo::spmv
