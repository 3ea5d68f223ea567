#include "support/exchange_timer.hpp"

#include <numeric>

namespace rondo::apps {

namespace {

void reduce(std::span<double> values, MPI_Op operation, const bench::Communicator& comm) {
  bench::check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                                 MPI_DOUBLE, operation, comm.get()),
                   "MPI_Allreduce");
}

}  // namespace

ExchangeTimer::ExchangeTimer(const bench::Communicator& comm, bool meet) : comm_(comm) {
  if (meet) barrier_.emplace(comm);
}

void ExchangeTimer::begin_run() {
  bench::check_mpi(MPI_Barrier(comm_.get()), "MPI_Barrier");
  steps_.clear();
  meeting_seconds_ = 0;
  start_ = Clock::now();
}

Run ExchangeTimer::end_run() {
  double total = seconds(start_, Clock::now());
  reduce({&total, 1}, MPI_MAX, comm_);
  const int ranks = comm_.ranks();
  double meeting = meeting_seconds_ / ranks;
  reduce({&meeting, 1}, MPI_SUM, comm_);
  if (!barrier_)
    for (double& step : steps_) step /= ranks;
  reduce(steps_, barrier_ ? MPI_MAX : MPI_SUM, comm_);
  return {.total_seconds = total,
          .exchange_seconds = std::accumulate(steps_.begin(), steps_.end(), 0.0),
          .meeting_seconds = barrier_ ? meeting : 0};
}

}  // namespace rondo::apps
