#include "measure.hpp"

#include <algorithm>

#include "one_core.hpp"
#include "random.hpp"
#include "support/barrier.hpp"

namespace rondo::bench {

namespace {

using support::Barrier;

/// This rank's own samples and errors, contender by contender.
struct Local {
  std::vector<double> microseconds;
  std::vector<std::uint64_t> errors;
  std::vector<Mistake> mistakes;  ///< the first of each, if it has errors
  double sent_bytes = 0;          ///< in the iterations that count
  std::vector<std::string> ran{};
};

double timed_run_microseconds(Exchange& exchange, const Contender& contender, int batch) {
  const double start = MPI_Wtime();
  for (int call = 0; call < batch; ++call) exchange.run(contender);
  return (MPI_Wtime() - start) * 1e6 / batch;
}

std::size_t figures_of(std::span<const Take> takes) {
  std::size_t figures = 0;
  for (const Take& take : takes) figures += take.figures;
  return figures;
}

/// Takes the samples of one contender in one iteration.
class Turn {
 public:
  Turn(Barrier& barrier, Exchange& exchange, std::span<const Take> takes, bool check)
      : barrier_(barrier), exchange_(exchange), takes_(takes), check_(check) {}

  /// Writes all figures, adds the wrong bytes to `errors`, and notes the first mistake.
  void take(const Contender& contender, int iteration, std::span<double> figures,
            std::uint64_t& errors, Mistake& first) {
    for (const Take& take : takes_) {
      const bool checks = check_ && take.exchanges;
      if (checks) exchange_.poison_receive_buffer();
      barrier_.wait();
      take.run(contender, figures.first(take.figures));
      figures = figures.subspan(take.figures);
      if (!checks) continue;
      // A rank that checked its bytes sooner could take the core from a rank that is not done.
      barrier_.wait();
      const std::uint64_t wrong = exchange_.wrong_bytes(iteration);
      if (wrong == 0) continue;
      if (errors == 0) first = exchange_.first_mistake(iteration);
      errors += wrong;
      exchange_.fill(iteration);  // what it may have written there is not for others to send
    }
  }

 private:
  Barrier& barrier_;
  Exchange& exchange_;
  std::span<const Take> takes_;
  bool check_;
};

/// Collective. On rank 0 the first mistake of one contender: of the first iteration that has one, that
/// of its lowest rank.
std::optional<FirstMistake> first_of_all(const Communicator& comm, std::uint64_t errors,
                                         const Mistake& own) {
  struct Found {
    std::uint64_t errors;
    Mistake mistake;
  };
  static_assert(std::is_trivially_copyable_v<Found>);
  const Found found{.errors = errors, .mistake = own};
  std::vector<Found> all(static_cast<std::size_t>(comm.rank() == 0 ? comm.ranks() : 0));
  check_mpi(
      MPI_Gather(&found, sizeof found, MPI_BYTE, all.data(), sizeof found, MPI_BYTE, 0, comm.get()),
      "MPI_Gather");
  std::optional<FirstMistake> first;
  for (int rank = 0; const Found& one : all) {
    if (one.errors != 0 && (!first || one.mistake.iteration < first->mistake.iteration))
      first = {.rank = rank, .mistake = one.mistake};
    ++rank;
  }
  return first;
}

/// One reduction for all samples together: reductions between samples would disturb them.
Measurement combine(const Communicator& comm, const Local& local, std::size_t contenders,
                    int iterations) {
  Measurement measurement{.microseconds = {},
                          .errors = local.errors,
                          .mistakes = {},
                          .bytes_per_rank = local.sent_bytes,
                          .ran = local.ran};
  std::vector<double> slowest(local.microseconds.size());
  check_mpi(
      MPI_Reduce(local.microseconds.data(), slowest.data(),
                 static_cast<int>(local.microseconds.size()), MPI_DOUBLE, MPI_MAX, 0, comm.get()),
      "MPI_Reduce");
  support::all_reduce(comm, measurement.errors, MPI_SUM);
  measurement.mistakes.resize(contenders);
  for (std::size_t contender = 0; contender < contenders; ++contender)
    if (measurement.errors[contender] != 0)
      measurement.mistakes[contender] =
          first_of_all(comm, local.errors[contender], local.mistakes[contender]);
  support::all_reduce(comm, {&measurement.bytes_per_rank, 1}, MPI_SUM);
  measurement.bytes_per_rank /= static_cast<double>(comm.ranks()) * iterations;
  // Figures of one iteration are together; samples of one figure shall be.
  const auto samples = static_cast<std::size_t>(iterations);
  const std::size_t figures = slowest.size() / contenders / samples;
  for (std::size_t contender = 0; contender < contenders; ++contender)
    for (std::size_t figure = 0; figure < figures; ++figure) {
      auto& series = measurement.microseconds.emplace_back();
      for (std::size_t sample = 0; sample < samples; ++sample)
        series.push_back(slowest[(contender * samples + sample) * figures + figure]);
    }
  return measurement;
}

/// They follow one another as in a program, without barriers.
void let_learn(std::span<const Contender* const> contenders, Exchange& exchange, int calls) {
  for (const Contender* const contender : contenders)
    for (int call = 0; contender->is_auto() && call < calls; ++call) {
      exchange.draw(call);
      exchange.run(*contender);
    }
}

}  // namespace

Measurement measure(const Communicator& comm, std::span<const Contender* const> contenders,
                    std::span<const Take> takes, Exchange& exchange, const Method& method,
                    const std::function<void(const Contender&, int)>& announce) {
  const auto samples = static_cast<std::size_t>(method.iterations);
  const std::size_t figures = figures_of(takes);
  Local local{.microseconds = std::vector<double>(contenders.size() * samples * figures),
              .errors = std::vector<std::uint64_t>(contenders.size()),
              .mistakes = std::vector<Mistake>(contenders.size())};
  std::vector<double> found(figures);
  Barrier barrier(comm);
  Turn turns(barrier, exchange, takes, method.check);
  OneCore one_core(comm, method.one_core);
  let_learn(contenders, exchange, method.learn);
  for (int iteration = -method.warmup; iteration < method.iterations; ++iteration) {
    one_core.begin(iteration);
    exchange.draw(iteration);
    if (iteration >= 0) local.sent_bytes += static_cast<double>(exchange.sent_bytes());
    if (method.check || iteration == -method.warmup) exchange.fill(iteration);
    const Permutation order(
        contenders.size(), hash(Draw::order, {method.seed, static_cast<std::uint64_t>(iteration)}));
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = order(turn);
      if (iteration < 0 && method.is_auto_unprepared && contenders[at]->is_auto()) continue;
      announce(*contenders[at], iteration);
      turns.take(*contenders[at], iteration, found, local.errors[at], local.mistakes[at]);
      if (iteration < 0) continue;
      if (method.notes_runs && contenders[at]->is_auto()) {
        barrier.wait();  // as where bytes are checked
        local.ran.push_back(contenders[at]->last_run());
      }
      const std::size_t sample = at * samples + static_cast<std::size_t>(iteration);
      std::ranges::copy(found,
                        local.microseconds.begin() + static_cast<std::ptrdiff_t>(sample * figures));
    }
  }
  return combine(comm, local, contenders.size(), method.iterations);
}

Measurement measure(const Communicator& comm, std::span<const Contender* const> contenders,
                    Exchange& exchange, const Method& method,
                    const std::function<void(const Contender&, int)>& announce) {
  const Take take{.run = [&](const Contender& contender, std::span<double> microseconds) {
    microseconds.front() = timed_run_microseconds(exchange, contender, method.batch);
  }};
  return measure(comm, contenders, {&take, 1}, exchange, method, announce);
}

}  // namespace rondo::bench
