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
    for (const int rank : ranks) {
      named.counts.push_back(all.counts[static_cast<std::size_t>(rank)]);
      named.displs.push_back(all.displs[static_cast<std::size_t>(rank)]);
    }
    return named;
  };
  named_ = name(edges.to, sending_);
  named_sources_ = name(edges.from, receiving_);
  requests_.resize(edges.to.size() + edges.from.size());
}

Rondo_Plan Exchange::make_neighbor_plan(const Contender& contender) {
  Rondo_Plan plan = RONDO_PLAN_NULL;
  contender.check(Rondo_Neighbor_alltoallv_plan(
      send_.data(), named_.counts.data(), named_.displs.data(), MPI_BYTE, receive_.data(),
      named_sources_.counts.data(), named_sources_.displs.data(), MPI_BYTE, contender.comm(),
      MPI_INFO_NULL, &plan));
  return plan;
}

void Exchange::run_on_edges(const Contender& contender) {
  if (contender.is_by_hand()) return run_by_hand(contender);
  const auto exchange = contender.is_mpi() ? MPI_Neighbor_alltoallv : Rondo_Neighbor_alltoallv;
  contender.check(exchange(send_.data(), named_.counts.data(), named_.displs.data(), MPI_BYTE,
                           receive_.data(), named_sources_.counts.data(),
                           named_sources_.displs.data(), MPI_BYTE, contender.comm()));
}

void Exchange::run_by_hand(const Contender& contender) {
  constexpr int kTag = 1;
  MPI_Request* request = requests_.data();
  for (std::size_t i = 0; i < edges_.from.size(); ++i)
    contender.check(MPI_Irecv(receive_.data() + named_sources_.displs[i], named_sources_.counts[i],
                              MPI_BYTE, edges_.from[i], kTag, contender.comm(), request++));
  for (std::size_t i = 0; i < edges_.to.size(); ++i)
    contender.check(MPI_Isend(send_.data() + named_.displs[i], named_.counts[i], MPI_BYTE,
                              edges_.to[i], kTag, contender.comm(), request++));
  contender.check(MPI_Waitall(count_of(edges_.to) + count_of(edges_.from), requests_.data(),
                              MPI_STATUSES_IGNORE));
}

}  // namespace rondo::bench
