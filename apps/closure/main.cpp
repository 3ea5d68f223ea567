// rondo-closure: transitive closure of a directed graph, timed with one or more algorithms.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <rondo/rondo.hpp>
#include <utility>

#include "closure/options.hpp"
#include "closure/read_graph.hpp"
#include "closure/solve.hpp"
#include "closure/sort_edges.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "relalg/rounds.hpp"
#include "support/algorithm.hpp"
#include "support/output_file.hpp"
#include "support/report.hpp"

namespace {

using namespace rondo;
using closure::Closure;
using closure::Edge;

constexpr const char* kProgram = "rondo-closure";

std::vector<Edge> graph_of(const closure::Options& options, const bench::Communicator& comm) {
  if (!options.generator) return closure::read_graph(comm, options.graph);
  std::vector<Edge> edges;
  bench::collectively(comm, [&] {
    edges =
        closure::generate(*options.generator, options.seed, static_cast<std::uint64_t>(comm.rank()),
                          static_cast<std::uint64_t>(comm.ranks()));
  });
  return edges;
}

std::string found(const Closure& result) {
  return text(result.paths, " paths in ", result.iterations.size(), " iterations");
}

/// The runs of all algorithms, which must find the same.
class Runs {
 public:
  Runs(const closure::Options& options, const bench::Communicator& comm, std::vector<Edge> edges)
      : options_(options),
        comm_(comm),
        edges_(std::move(edges)),
        timer_(comm, options.common.meet),
        count_(options.common.algorithms.size() * static_cast<std::size_t>(options.common.repeat)),
        progress_(comm.rank() == 0 && !options.common.quiet, count_) {}

  apps::Run run(const std::string& algorithm) {
    progress_.step(text(options_.graph, " with ", algorithm));
    apps::choose_algorithm(comm_.get(), algorithm);
    const bool is_last = ++done_ == count_;
    apps::Run time;
    Closure result =
        closure::solve(comm_, timer_, edges_, is_last && !options_.output.empty(), time);
    rounds_.add(algorithm, result.iterations);
    if (done_ > 1 && found(result) != found(closure_))
      throw Error(ErrorClass::other,
                  text(algorithm, " finds ", found(result), ", but ",
                       options_.common.algorithms.front(), " found ", found(closure_)));
    closure_ = std::move(result);
    if (is_last) progress_.clear();
    return time;
  }

  Closure& closure() { return closure_; }
  const relalg::Rounds& rounds() const { return rounds_; }

 private:
  const closure::Options& options_;
  const bench::Communicator& comm_;
  std::vector<Edge> edges_;
  apps::ExchangeTimer timer_;
  std::size_t count_;
  std::size_t done_ = 0;
  bench::Progress progress_;
  Closure closure_;  ///< of the last run
  relalg::Rounds rounds_;
};

/// A line "from<tab>to" for each.
void write(apps::OutputFile& file, std::span<const Edge> edges) {
  for (const Edge& edge : edges) file.write(fmt::format("{}\t{}\n", edge.from, edge.to));
  file.close();
}

void report(const closure::Options& options, int ranks, Runs& runs,
            std::span<const apps::Arm> arms) {
  apps::Json about{{"graph", options.graph}};
  if (options.generator) about["seed"] = options.seed;
  about["ranks"] = ranks;
  about["edges"] = runs.closure().edges;
  about["paths"] = runs.closure().paths;
  about["iterations"] = runs.closure().iterations.size();
  about["rounds"] = runs.rounds().to_json(arms);
  if (options.stats && options.common.format == apps::Format::table) runs.rounds().print(arms);
  apps::print_report(options.common, about, arms);
}

int solve_graph(const closure::Options& options, int rank) {
  const bench::Communicator comm(MPI_COMM_WORLD);
  rondo::prepare(comm.get());
  std::vector<Edge> edges = graph_of(options, comm);
  std::optional<apps::OutputFile> output;
  bench::collectively(comm, [&] {
    if (!options.output.empty()) output.emplace(text(options.output, ".", rank));
  });
  Runs runs(options, comm, std::move(edges));
  const std::vector<apps::Arm> arms = apps::run_in_turn(
      options.common, [&](const std::string& algorithm) { return runs.run(algorithm); });
  if (output) {
    const std::vector<Edge> sorted =
        closure::sort_over_ranks(comm, std::move(runs.closure().paths_here));
    bench::collectively(comm, [&] { write(*output, sorted); });
  }
  bench::collectively(comm, [&] {
    if (rank == 0) report(options, comm.ranks(), runs, arms);
  });
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_program<closure::Options>(
      kProgram, [&] { return closure::parse_options(argc, argv); }, solve_graph);
}
