#include "support/exchange_timer.hpp"

#include <numeric>

namespace rondo::apps {

namespace {

void over_ranks(std::span<double> values, MPI_Op operation, const bench::Communicator& comm) {
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
  outside_seconds_ = 0;
  start_ = departure_ = Clock::now();
}

Run ExchangeTimer::end_run() {
  const Clock::time_point end = Clock::now();
  double total = seconds(start_, end);
  over_ranks({&total, 1}, MPI_MAX, comm_);
  double compute = (outside_seconds_ + seconds(departure_, end)) / comm_.ranks();
  over_ranks({&compute, 1}, MPI_SUM, comm_);
  reduce(steps_);
  return {.total_seconds = total,
          .exchange_seconds = std::accumulate(steps_.begin(), steps_.end(), 0.0),
          .compute_seconds = compute};
}

void ExchangeTimer::reduce(std::span<double> steps) const {
  if (!barrier_)
    for (double& step : steps) step /= comm_.ranks();
  over_ranks(steps, barrier_ ? MPI_MAX : MPI_SUM, comm_);
}

}  // namespace rondo::apps
