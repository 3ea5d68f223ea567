#include "registry/algorithm.hpp"

#include <algorithm>

namespace rondo::registry {

namespace {

// The tables name keys and rules without their types.
using enum Key;
using enum Rule;

/// Small radices, powers of two, the root of the dimension, and the dimension itself.
constexpr Values radices(Rule root) {
  return {2, 3, 4, 8, 16, 32, 64, root, kMostInt};
}

constexpr Parameter kParameters[] = {
#define RONDO_PARAMETER(key, name, kind, least, most, limit, needs, worth_trying, meaning) \
  {Key::key,     name,         Parameter::Kind::kind, least,   most,                       \
   Limit::limit, Needs::needs, worth_trying,          meaning, {}},
#include "registry/parameters.def"
};

/// A parameter of a row, and its default there.
struct Default {
  Key key;
  Value value;
};

constexpr Parameters parameters(std::initializer_list<Default> defaults) {
  Parameters found;
  for (const Default& given : defaults) {
    Parameter parameter = kParameters[static_cast<std::size_t>(given.key)];
    parameter.by_default = given.value;
    found.add(parameter);
  }
  return found;
}

#define RONDO_ROW(collective, name, shape, engine, errors, chooser, parameters, handling, idea, \
                  source, cost)                                                                 \
  {Collective::collective,                                                                      \
   #name,                                                                                       \
   Shape::shape,                                                                                \
   #engine,                                                                                     \
   Errors::errors,                                                                              \
   Chooser::chooser,                                                                            \
   parameters,                                                                                  \
   handling,                                                                                    \
   idea,                                                                                        \
   source,                                                                                      \
   cost},

constexpr Algorithm kAlgorithms[] = {
#define RONDO_ALGORITHM RONDO_ROW
#define RONDO_FORWARDED RONDO_ROW
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM
};

constexpr Algorithm kGpuAlgorithms[] = {
// The caller of Rondo for NCCL says which one runs.
#define RONDO_GPU_ALGORITHM(name, shape, engine, errors, ...) \
  RONDO_ROW(gpu, name, shape, engine, errors, user, __VA_ARGS__)
#include "registry/gpu_algorithms.def"
};

constexpr Algorithm kSparseAlgorithms[] = {
#define RONDO_SPARSE_ALGORITHM(name, shape, ...) \
  RONDO_ROW(sparse_alltoallv, name, shape, name, __VA_ARGS__)
#include "registry/sparse_algorithms.def"
};

#undef RONDO_ROW

/// Returns the present name of an algorithm whose name has changed.
constexpr std::string_view present_name(std::string_view name) {
  return name == "shared_memory" || name == "hierarchical" ? "node_aware" : name;
}

}  // namespace

std::span<const Algorithm> algorithms() {
  return kAlgorithms;
}

std::span<const Algorithm> gpu_algorithms() {
  return kGpuAlgorithms;
}

std::span<const Algorithm> sparse_algorithms() {
  return kSparseAlgorithms;
}

std::span<const Algorithm> algorithms_of(Collective collective) {
  if (collective == Collective::sparse_alltoallv) return sparse_algorithms();
  return collective == Collective::gpu ? gpu_algorithms() : algorithms();
}

const Algorithm* find(Collective collective, std::string_view given) {
  const std::string_view name = present_name(given);
  const auto rows = algorithms_of(collective);
  const auto row = std::ranges::find_if(rows, [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return row == rows.end() ? nullptr : &*row;
}

const Algorithm& library_call(Collective collective) {
  return *std::ranges::find_if(algorithms_of(collective), [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.is_library();
  });
}

std::string_view to_string(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
      return "alltoall";
    case Collective::alltoallv:
      return "alltoallv";
    case Collective::gpu:
      return "gpu";
    case Collective::sparse_alltoallv:
      return "sparse_alltoallv";
    case Collective::neighbor_alltoallv:
      return "neighbor_alltoallv";
  }
  return "";
}

}  // namespace rondo::registry
