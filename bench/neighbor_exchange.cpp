// The part of Exchange that is about neighbourhoods.
#include "exchange.hpp"

namespace rondo::bench {

namespace {

int count_of(const std::vector<int>& ranks) {
  return static_cast<int>(ranks.size());
}

}  // namespace

void Exchange::connect(const Edges& edges) {
  edges_ = edges;
  const auto name = [](const std::vector<int>& ranks, const Arguments& all) {
    Arguments named;
    const auto add = [&](int count, int displacement, MPI_Datatype type) {
      named.counts.push_back(count);
      named.displs.push_back(displacement);
      named.types.push_back(type);
      named.addresses.push_back(displacement);
    };
    for (const int rank : ranks) {
      const auto at = static_cast<std::size_t>(rank);
      add(all.counts[at], all.displs[at], all.types[at]);
    }
    // MPICH 4.0 reads the first entry even if there is no edge.
    if (ranks.empty()) add(0, 0, MPI_BYTE);
    return named;
  };
  named_ = name(edges.to, sending_);
  named_sources_ = name(edges.from, receiving_);
  requests_.resize(edges.to.size() + edges.from.size());
}

/// The count of neighbor_alltoall. Open MPI 4.1 sends nothing from a rank that passes a receive count of 0,
/// so both counts are the same where there are edges in one direction only.
int Exchange::edge_count() const {
  if (!edges_.to.empty()) return static_cast<int>(send_.block_bytes(edges_.to.front()));
  return edges_.from.empty() ? 0 : static_cast<int>(receive_.block_bytes(edges_.from.front()));
}

void Exchange::run_on_edges(const Contender& contender) {
  if (contender.is_by_hand()) return run_by_hand(contender);
  contender.check(along_edges(contender.library().on_edges, contender.comm()));
}

void Exchange::run_by_hand(const Contender& contender) {
  constexpr int kTag = 1;
  MPI_Request* request = requests_.data();
  for (std::size_t i = 0; i < edges_.from.size(); ++i)
    contender.check(MPI_Irecv(receive_.data() + named_sources_.displs[i], named_sources_.counts[i],
                              named_sources_.types[i], edges_.from[i], kTag, contender.comm(),
                              request++));
  for (std::size_t i = 0; i < edges_.to.size(); ++i)
    contender.check(MPI_Isend(send_.data() + named_.displs[i], named_.counts[i], named_.types[i],
                              edges_.to[i], kTag, contender.comm(), request++));
  contender.check(MPI_Waitall(count_of(edges_.to) + count_of(edges_.from), requests_.data(),
                              MPI_STATUSES_IGNORE));
}

}  // namespace rondo::bench
