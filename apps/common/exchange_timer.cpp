#include "common/exchange_timer.hpp"

#include <numeric>

namespace rondo::apps {

ExchangeTimer::ExchangeTimer(const support::Communicator& comm, bool meet) : comm_(comm) {
  if (meet) barrier_.emplace(comm);
}

void ExchangeTimer::begin_run() {
  support::check_mpi(MPI_Barrier(comm_.get()), "MPI_Barrier");
  steps_.clear();
  outside_seconds_ = 0;
  start_ = departure_ = Clock::now();
}

Run ExchangeTimer::end_run() {
  const Clock::time_point end = Clock::now();
  double total = seconds(start_, end);
  support::all_reduce(comm_, {&total, 1}, MPI_MAX);
  double compute = (outside_seconds_ + seconds(departure_, end)) / comm_.ranks();
  support::all_reduce(comm_, {&compute, 1}, MPI_SUM);
  reduce(steps_);
  return {.total_seconds = total,
          .exchange_seconds = std::accumulate(steps_.begin(), steps_.end(), 0.0),
          .compute_seconds = compute};
}

void ExchangeTimer::reduce(std::span<double> steps) const {
  if (!barrier_)
    for (double& step : steps) step /= comm_.ranks();
  support::all_reduce(comm_, steps, barrier_ ? MPI_MAX : MPI_SUM);
}

}  // namespace rondo::apps
