#include "spmv/halo.hpp"

#include <algorithm>

namespace rondo::spmv {

using support::check_mpi;
using support::Communicator;

namespace {

Communicator connect(const Halo& halo, const Communicator& comm) {
  const auto& [to, from] = std::pair<const Side&, const Side&>(halo.to, halo.from);
  MPI_Comm graph = MPI_COMM_NULL;
  check_mpi(MPI_Dist_graph_create_adjacent(comm.get(), static_cast<int>(from.ranks.size()),
                                           from.ranks.data(), from.counts.data(),
                                           static_cast<int>(to.ranks.size()), to.ranks.data(),
                                           to.counts.data(), MPI_INFO_NULL, 0, &graph),
            "MPI_Dist_graph_create_adjacent");
  Communicator connected(graph);
  check_mpi(MPI_Comm_free(&graph), "MPI_Comm_free");
  return connected;
}

}  // namespace

void Side::add(int rank, int count) {
  displs.push_back(total());
  ranks.push_back(rank);
  counts.push_back(count);
}

Halo::Halo(const Rows& rows, const Dealing& dealing, const Communicator& comm) {
  find_sources(rows, dealing, comm.rank());
  const auto asked = rondo::sparse_alltoallv(wanted, from.ranks, from.counts, comm.get());
  for (std::size_t i = 0; i < asked.sources.size(); ++i) {
    to.add(asked.sources[i], asked.counts[i]);
    for (const std::int64_t column : asked.block(i))
      leaving.push_back(static_cast<std::size_t>(column - rows.first));
  }
}

void Halo::find_sources(const Rows& rows, const Dealing& dealing, int rank) {
  const std::int64_t first = dealing.start(rank), last = dealing.start(rank + 1);
  for (const std::int64_t column : rows.columns)
    if (column < first || column >= last) wanted.push_back(column);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  auto next = wanted.begin();
  for (int source = 0; next != wanted.end(); ++source) {
    const auto end = std::lower_bound(next, wanted.end(), dealing.start(source + 1));
    if (end != next) from.add(source, static_cast<int>(end - next));
    next = end;
  }
}

HaloExchange::HaloExchange(const Halo& halo, std::span<double> vector, std::size_t own,
                           const Communicator& comm)
    : halo_(halo),
      vector_(vector),
      arriving_(vector.subspan(own)),
      leaving_(halo.leaving.size()),
      requests_(halo.to.ranks.size() + halo.from.ranks.size()),
      graph_(connect(halo, comm)) {}

void HaloExchange::use(const std::string& algorithm) {
  algorithm_ = algorithm;
  plan_.reset();
  if (algorithm == kMpi || algorithm == kByHand) return;
  try {
    rondo::set_algorithm(graph_.get(), "neighbor_alltoallv", algorithm);
  } catch (const rondo::Exception& error) {
    throw Error(ErrorClass::argument, error.what());
  }
  plan_ = rondo::Plan::neighbor_alltoallv(leaving_, halo_.to.counts, halo_.to.displs, arriving_,
                                          halo_.from.counts, halo_.from.displs, graph_.get());
}

void HaloExchange::exchange() {
  for (std::size_t i = 0; i < leaving_.size(); ++i) leaving_[i] = vector_[halo_.leaving[i]];
  if (plan_) return plan_->execute(leaving_, arriving_);
  if (algorithm_ == kByHand) return exchange_by_hand();
  check_mpi(MPI_Neighbor_alltoallv(leaving_.data(), halo_.to.counts.data(), halo_.to.displs.data(),
                                   MPI_DOUBLE, arriving_.data(), halo_.from.counts.data(),
                                   halo_.from.displs.data(), MPI_DOUBLE, graph_.get()),
            "MPI_Neighbor_alltoallv");
}

void HaloExchange::exchange_by_hand() {
  constexpr int kTag = 1;
  MPI_Request* request = requests_.data();
  const auto& [to, from] = std::pair<const Side&, const Side&>(halo_.to, halo_.from);
  for (std::size_t i = 0; i < from.ranks.size(); ++i)
    check_mpi(MPI_Irecv(arriving_.data() + from.displs[i], from.counts[i], MPI_DOUBLE,
                        from.ranks[i], kTag, graph_.get(), request++),
              "MPI_Irecv");
  for (std::size_t i = 0; i < to.ranks.size(); ++i)
    check_mpi(MPI_Isend(leaving_.data() + to.displs[i], to.counts[i], MPI_DOUBLE, to.ranks[i], kTag,
                        graph_.get(), request++),
              "MPI_Isend");
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

}  // namespace rondo::spmv
