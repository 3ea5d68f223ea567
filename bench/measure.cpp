#include "measure.hpp"

#include "random.hpp"
#include "support/barrier.hpp"

namespace rondo::bench {

namespace {

using support::Barrier;

/// This rank's own samples and errors, contender by contender.
struct Local {
  std::vector<double> microseconds;
  std::vector<std::uint64_t> errors;
  double sent_bytes = 0;  ///< in the iterations that count
};

double timed_run_microseconds(Barrier& barrier, Exchange& exchange, const Contender& contender,
                              int batch) {
  barrier.wait();
  const double start = MPI_Wtime();
  for (int call = 0; call < batch; ++call) exchange.run(contender);
  return (MPI_Wtime() - start) * 1e6 / batch;
}

/// One reduction for all samples together: reductions between samples would disturb them.
Measurement combine(const Communicator& comm, const Local& local, std::size_t contenders) {
  Measurement measurement{
      .microseconds = {}, .errors = local.errors, .bytes_per_rank = local.sent_bytes};
  std::vector<double> slowest(local.microseconds.size());
  check_mpi(
      MPI_Reduce(local.microseconds.data(), slowest.data(),
                 static_cast<int>(local.microseconds.size()), MPI_DOUBLE, MPI_MAX, 0, comm.get()),
      "MPI_Reduce");
  support::all_reduce(comm, measurement.errors, MPI_SUM);
  support::all_reduce(comm, {&measurement.bytes_per_rank, 1}, MPI_SUM);
  const auto each = static_cast<std::ptrdiff_t>(slowest.size() / contenders);
  measurement.bytes_per_rank /= comm.ranks() * static_cast<double>(each);
  for (auto first = slowest.begin(); first != slowest.end(); first += each)
    measurement.microseconds.emplace_back(first, first + each);
  return measurement;
}

}  // namespace

Measurement measure(const Communicator& comm, std::span<const Contender* const> contenders,
                    Exchange& exchange, const Method& method,
                    const std::function<void(const Contender&, int)>& announce) {
  const auto samples = static_cast<std::size_t>(method.iterations);
  Local local{.microseconds = std::vector<double>(contenders.size() * samples),
              .errors = std::vector<std::uint64_t>(contenders.size())};
  Barrier barrier(comm);
  for (int iteration = -method.warmup; iteration < method.iterations; ++iteration) {
    exchange.draw(iteration);
    if (iteration >= 0) local.sent_bytes += static_cast<double>(exchange.sent_bytes());
    if (method.check || iteration == -method.warmup) exchange.fill(iteration);
    const Permutation order(
        contenders.size(), hash(Draw::order, {method.seed, static_cast<std::uint64_t>(iteration)}));
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = order(turn);
      announce(*contenders[at], iteration);
      if (method.check) exchange.poison_receive_buffer();
      const double microseconds =
          timed_run_microseconds(barrier, exchange, *contenders[at], method.batch);
      if (iteration >= 0)
        local.microseconds[at * samples + static_cast<std::size_t>(iteration)] = microseconds;
      if (!method.check) continue;
      // A rank that checked its bytes sooner could take the core from a rank that is not done.
      barrier.wait();
      local.errors[at] += exchange.wrong_bytes(iteration);
    }
  }
  return combine(comm, local, contenders.size());
}

}  // namespace rondo::bench
