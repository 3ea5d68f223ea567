#include "select/sparse.hpp"

namespace rondo::select {

namespace {

/// On several nodes, fused_bruck was measured to be faster than node_aware with 4 and 8 nodes of 2 ranks. It
/// was not faster with 4 nodes of 4 ranks or with 16 nodes of 2.
constexpr int kVeryFewRanks = 8;
constexpr int kVeryFewRanksInPairs = 16;

/// On several nodes, node_aware handles all P blocks of a rank and sends N - 1 messages a node, even if most
/// are empty. It was simulated with 4 partners on theta, slingshot-cluster and ethernet-cluster, with 2, 8
/// and 32 ranks a node. On average node_aware is faster up to 1024 ranks, and nbx from 2048 ranks.
constexpr int kManyRanks = 1024;

/// Few ranks exchange with all others. That takes fewer messages one after another than an agreement on who
/// sends.
constexpr int kFewRanks = 32;

std::string_view name_of(const Place& place) {
  const choice::Layout& layout = place.layout;
  const bool has_neighbours = place.has_node && layout.real_nodes() < layout.ranks;
  if (has_neighbours && layout.real_nodes() == 1) return "node_aware";
  const bool has_pairs = layout.ranks <= 2 * layout.real_nodes();
  const int very_few = has_pairs ? kVeryFewRanksInPairs : kVeryFewRanks;
  if (has_neighbours && layout.ranks > very_few && layout.ranks <= kManyRanks) return "node_aware";
  return layout.ranks <= kFewRanks ? "fused_bruck" : "nbx";
}

}  // namespace

choice::Choice decide_sparse(const Place& place) {
  const registry::Algorithm* const row =
      registry::find(registry::Collective::sparse_alltoallv, name_of(place));
  return choice::resolve({.algorithm = row}, place.layout);
}

}  // namespace rondo::select
