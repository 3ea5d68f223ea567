#include "closure/solve.hpp"

namespace rondo::closure {

Closure solve(const bench::Communicator& comm, apps::ExchangeTimer& timer,
              std::span<const Edge> edges, bool keep_paths, apps::Run& run) {
  relalg::Program program(comm, timer);
  const relalg::Relation edge = program.relation({.name = "edge", .arity = 2, .placed_by = {0}});
  const relalg::Relation path =
      program.relation({.name = "path", .arity = 2, .placed_by = {1}, .spread = true});
  const std::vector<relalg::Variable> v = program.variables(3);
  const relalg::Variable x = v[0], y = v[1], z = v[2];
  program.rule({{path(x, y)}, {edge(x, y)}});
  program.rule({{path(x, z)}, {path(x, y), edge(y, z)}});

  timer.begin_run();
  for (const Edge& known : edges) program.fact(edge, std::vector{known.from, known.to});
  Closure closure;
  closure.iterations = program.run();
  run = timer.end_run();
  closure.edges = program.count(edge);
  closure.paths = program.count(path);
  if (keep_paths)
    program.for_each(path, [&](std::span<const relalg::Word> tuple) {
      closure.paths_here.push_back({tuple[0], tuple[1]});
    });
  return closure;
}

}  // namespace rondo::closure
