#include "select/sparse.hpp"

namespace rondo::select {

namespace {

/// With 4 nodes of 2 ranks fused_bruck was measured to be faster than the arrivals and landings of
/// node_aware; with 4 nodes of 4 ranks it was not.
constexpr int kVeryFewRanks = 8;

/// Few ranks exchange with all, since that takes fewer messages one after another than to agree on who
/// sends.
constexpr int kFewRanks = 32;

std::string_view name_of(const Place& place) {
  const choice::Layout& layout = place.layout;
  const bool has_neighbours = place.has_node && layout.real_nodes() < layout.ranks;
  if (has_neighbours && (layout.real_nodes() == 1 || layout.ranks > kVeryFewRanks))
    return "node_aware";
  return layout.ranks <= kFewRanks ? "fused_bruck" : "nbx";
}

}  // namespace

choice::Choice decide_sparse(const Place& place) {
  const registry::Algorithm* const row =
      registry::find(registry::Collective::sparse_alltoallv, name_of(place));
  return choice::resolve({.algorithm = row}, place.layout);
}

}  // namespace rondo::select
