// Runs one exchange by the algorithm of a registry row.
#include "engines/run.hpp"

#include "registry/algorithm.hpp"

namespace rondo::engines {

namespace {

/// The engine of every registry row, in the registry's order; null for forwarded rows.
constexpr Engine kEngines[] = {
#define RONDO_ALGORITHM(collective, name, shape, engine, ...) &engines::engine,
#define RONDO_FORWARDED(...) nullptr,
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM
};

Engine engine_of(const choice::Choice& choice) {
  return kEngines[choice.algorithm - registry::algorithms().data()];
}

}  // namespace

void run(Call& call, const Blocks& blocks) {
  run_by(engine_of(call.choice), call, blocks);
}

bool learns_lengths(const choice::Choice& choice) {
  return registry::carries_lengths(*choice.algorithm);
}

}  // namespace rondo::engines
