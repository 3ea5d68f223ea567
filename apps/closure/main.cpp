// rondo-closure: the transitive closure of a directed graph, timed with one or more algorithms.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <rondo/rondo.hpp>
#include <utility>

#include "closure/distributed.hpp"
#include "common/report.hpp"
#include "relalg/options.hpp"
#include "relalg/program.hpp"
#include "relalg/rounds.hpp"
#include "support/command_line.hpp"
#include "support/file.hpp"
#include "support/program.hpp"

namespace rondo::closure {

namespace {

using support::Communicator;

constexpr const char* kProgram = "rondo-closure";

struct Options {
  apps::CommonOptions common;
  std::string graph;                   ///< a file, or the argument of --generate
  std::optional<Generator> generator;  ///< none if `graph` is a file
  std::uint64_t seed = 1;              ///< of the generator
  std::string output;                  ///< prefix of the files; empty if none are written
  bool stats = false;                  ///< print a line for every iteration
  relalg::Exchanges exchanges = relalg::Exchanges::mixed;
};

constexpr const char* kFooter =
    R"(Result:
  The pairs (x, y) with a path from x to y, along the edges of a graph:
    path(x, y) <- edge(x, y)
    path(x, z) <- path(x, y), edge(y, z)
  With --output they are written to PREFIX.0 .. PREFIX.(P-1), one file a rank,
  sorted over all files by x and then y, one `x<tab>y` a line. Existing files
  are overwritten. Runs that find different results end with status 1.

Graph files:
  The first line says which format it is. Every rank reads a part of the file,
  so the file must be visible to all.
  edge list      two vertices a line (0 .. 2^64-1), after optional spaces or
                 tabs; further numbers are ignored; lines that begin with # or
                 % are comments
  Matrix Market  coordinate; an entry is an edge from its row to its column,
                 whatever its value; symmetric, skew-symmetric and hermitian
                 matrices have edges both ways

Generators:
  A seed gives the same graph on any number of ranks.
  chain:N           N vertices, each with an edge to the next: N-1 iterations
  road:N            N vertices of one-way streets on a grid: many iterations,
                    small blocks
  rmat:SCALE,EDGES  2^SCALE vertices, EDGES (default 1) edges for each, most of
                    them at a few vertices (R-MAT): few iterations, large
                    blocks; with more edges nearly every vertex reaches nearly
                    every other
  random:N,M        M edges, each between two random vertices of N

Examples:
  mpirun -n 8 rondo-closure roads.txt --algorithm mpi,auto --repeat 5
  mpirun -n 8 rondo-closure --generate road:100000 --format json)";

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  std::string generate;
  support::CommandLine line("Transitive closure of a directed graph.", "rondo-closure");
  line.footer(kFooter);
  const support::Option graph =
      support::add_text(line, "graph", options.graph, "FILE", "The file of the graph");
  support::add_text(
      line, "--generate", generate, "NAME",
      "Generate the graph: chain:N, road:N, rmat:SCALE, rmat:SCALE,EDGES or random:N,M")
      .excludes(graph);
  support::add_number(line, "--seed", options.seed, {0, UINT64_MAX},
                      "The seed of the generated graph");
  support::add_text(line, "-o,--output", options.output, "PREFIX",
                    "Write the paths to PREFIX.0, PREFIX.1, ...");
  support::add_switch(line, "--stats", options.stats,
                      "Print a line for every iteration as well; --format json always has them");
  relalg::add_exchange_option(line, options.exchanges);
  apps::add_common_options(line, options.common);
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (!generate.empty()) {
    options.generator = parse_generator(generate);
    options.graph = generate;
  }
  if (options.graph.empty())
    throw Error(ErrorClass::argument, "a FILE or --generate is needed (see --help)");
  return options;
}

/// The result of a run, the same on all ranks.
struct Closure {
  std::size_t edges = 0;  ///< distinct ones
  std::size_t paths = 0;
  std::vector<relalg::Iteration> iterations;
  std::vector<Edge> paths_here;  ///< if requested: this rank's share, in any order
};

/// What is solved, and how.
struct Problem {
  std::span<const Edge> edges;  ///< those that this rank gives; an edge may be given twice
  relalg::Exchanges exchanges;
  bool keep_paths;
};

/// Collective. Finds all paths along the edges that the ranks give together. `run` receives the
/// times.
Closure solve(const Communicator& comm, apps::ExchangeTimer& timer, const Problem& problem,
              apps::Run& run) {
  relalg::Program program(comm, timer, {.exchanges = problem.exchanges});
  const relalg::Relation edge = program.relation({.name = "edge", .arity = 2, .placed_by = {0}});
  const relalg::Relation path =
      program.relation({.name = "path", .arity = 2, .placed_by = {1}, .spread = true});
  const auto [x, y, z] = program.variables<3>();
  program.rule({{path(x, y)}, {edge(x, y)}});
  program.rule({{path(x, z)}, {path(x, y), edge(y, z)}});

  timer.begin_run();
  for (const Edge& known : problem.edges) program.fact(edge, std::vector{known.from, known.to});
  Closure closure;
  closure.iterations = program.run();
  run = timer.end_run();
  closure.edges = program.count(edge);
  closure.paths = program.count(path);
  if (problem.keep_paths)
    program.for_each(path, [&](std::span<const relalg::Word> tuple) {
      closure.paths_here.push_back({tuple[0], tuple[1]});
    });
  return closure;
}

std::vector<Edge> graph_of(const Options& options, const Communicator& comm) {
  if (!options.generator) return read_graph(comm, options.graph);
  std::vector<Edge> edges;
  support::collectively(comm, [&] {
    edges = generate(*options.generator, options.seed, static_cast<std::uint64_t>(comm.rank()),
                     static_cast<std::uint64_t>(comm.ranks()));
  });
  return edges;
}

std::string found(const Closure& result) {
  return text(result.paths, " paths in ", result.iterations.size(), " iterations");
}

/// The runs of all algorithms. Their results must be the same.
class Runs {
 public:
  Runs(const Options& options, const Communicator& comm, std::vector<Edge> edges)
      : options_(options),
        comm_(comm),
        edges_(std::move(edges)),
        timer_(comm, options.common.meet),
        left_(options.common.algorithms.size() * static_cast<std::size_t>(options.common.repeat)) {}

  apps::Run run(const std::string& algorithm) {
    apps::choose_algorithm(comm_.get(), algorithm);
    const bool is_last = --left_ == 0;
    apps::Run time;
    const Problem problem{.edges = edges_,
                          .exchanges = options_.exchanges,
                          .keep_paths = is_last && !options_.output.empty()};
    Closure result = solve(comm_, timer_, problem, time);
    rounds_.add(algorithm, result.iterations);
    if (closure_ && found(result) != found(*closure_))
      throw support::WrongResult(text(algorithm, " finds ", found(result), ", but ",
                                      options_.common.algorithms.front(), " found ",
                                      found(*closure_)));
    closure_ = std::move(result);
    return time;
  }

  Closure& closure() { return *closure_; }
  const relalg::Rounds& rounds() const { return rounds_; }

 private:
  const Options& options_;
  const Communicator& comm_;
  std::vector<Edge> edges_;
  apps::ExchangeTimer timer_;
  std::size_t left_;                ///< runs
  std::optional<Closure> closure_;  ///< of the last run
  relalg::Rounds rounds_;
};

/// Writes a line "from<tab>to" for each edge.
void write(support::OutputFile& file, std::span<const Edge> edges) {
  for (const Edge& edge : edges) file.write(fmt::format("{}\t{}\n", edge.from, edge.to));
  file.close();
}

void report(const Options& options, int ranks, Runs& runs, std::span<const apps::Arm> arms) {
  apps::Json about{{"graph", options.graph}};
  if (options.generator) about["seed"] = options.seed;
  about["ranks"] = ranks;
  about["exchange"] = relalg::to_string(options.exchanges);
  about["edges"] = runs.closure().edges;
  about["paths"] = runs.closure().paths;
  about["iterations"] = runs.closure().iterations.size();
  about["rounds"] = runs.rounds().to_json(arms);
  if (options.stats && options.common.format == apps::Format::table) runs.rounds().print(arms);
  apps::print_report(options.common, about, arms);
}

int solve_graph(const Options& options, int rank) {
  const Communicator comm(MPI_COMM_WORLD);
  rondo::prepare(comm.get());
  std::vector<Edge> edges = graph_of(options, comm);
  std::optional<support::OutputFile> output;
  support::collectively(comm, [&] {
    if (!options.output.empty()) output.emplace(text(options.output, ".", rank));
  });
  Runs runs(options, comm, std::move(edges));
  const std::vector<apps::Arm> arms = apps::run_in_turn(
      comm, options.common, [&](const std::string& algorithm) { return runs.run(algorithm); });
  if (output) {
    const std::vector<Edge> sorted = sort_over_ranks(comm, std::move(runs.closure().paths_here));
    support::collectively(comm, [&] { write(*output, sorted); });
  }
  support::collectively(comm, [&] {
    if (rank == 0) report(options, comm.ranks(), runs, arms);
  });
  return EXIT_SUCCESS;
}

}  // namespace

}  // namespace rondo::closure

int main(int argc, char** argv) {
  using namespace rondo::closure;
  return rondo::support::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, solve_graph);
}
