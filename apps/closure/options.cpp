#include "closure/options.hpp"

#include "command_line.hpp"

namespace rondo::closure {

namespace {

constexpr const char* kFooter =
    R"(Counts the pairs (x, y) with a way from x to y, along the edges of a graph:

  path(x, y) <- edge(x, y)
  path(x, z) <- path(x, y), edge(y, z)

Graphs, understood by their first line:
  edge list             two vertices a line (0 .. 2^64-1), behind spaces or tabs; more numbers behind
                        them do not matter; lines that begin with # or % are comments
  Matrix Market         coordinate; an entry is an edge from its row to its column, whatever its
                        value; symmetric, skew-symmetric and hermitian ones are edges both ways
Every rank reads a part of the file, so all must see it.

Generators, the same graph for a seed on any number of ranks:
  chain:N               N vertices, each with an edge to the next: N-1 iterations
  road:N                N vertices of one-way streets on a grid: many iterations, small blocks
  rmat:SCALE,EDGES      2^SCALE vertices, EDGES (1) edges for each, most at few vertices (R-MAT):
                        few iterations, large blocks; with more edges nearly all reach nearly all
  random:N,M            M edges, each between two of N vertices

With --output the paths, sorted over all files by x and then y, one `x<tab>y` a line, go to
PREFIX.0 .. PREFIX.(P-1), one a rank; files that were there before are overwritten.

  mpirun -n 8 rondo-closure roads.txt --compare mpi,auto --repeat 5
  mpirun -n 8 rondo-closure --generate road:100000 --format json

Exit status: 0; 2 for wrong use, for files that are wrong or cannot be read or written, and where two
runs do not find the same, which would be a defect.)";

}  // namespace

std::variant<Options, bench::Answer> parse_options(int argc, const char* const* argv) {
  Options options;
  std::string generate;
  CLI::App app("Transitive closure of a directed graph.", "rondo-closure");
  app.footer(kFooter);
  CLI::Option* graph = bench::add_text(app, "graph", options.graph, "FILE", "The graph's file");
  bench::add_text(app, "--generate", generate, "NAME",
                  "Make the graph: chain:N, road:N, rmat:SCALE, rmat:SCALE,EDGES or random:N,M")
      ->excludes(graph);
  bench::add_number(app, "--seed", options.seed, {0, UINT64_MAX}, "Of the generated graph");
  bench::add_text(app, "--output", options.output, "PREFIX",
                  "Write the paths to PREFIX.0, PREFIX.1, ...");
  bench::add_switch(app, "--stats", options.stats,
                    "A line for every iteration too; --format json always has them");
  apps::add_common_options(app, options.common);
  if (auto help = bench::parse(app, argc, argv)) return *std::move(help);
  if (!generate.empty()) {
    options.generator = parse_generator(generate);
    options.graph = generate;
  }
  if (options.graph.empty())
    throw Error(ErrorClass::argument,
                "which graph? Give a file, or --generate (--help tells more)");
  return options;
}

}  // namespace rondo::closure
