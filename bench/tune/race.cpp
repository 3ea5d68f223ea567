#include "tune/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "measure.hpp"

namespace rondo::bench {

namespace {

constexpr int kFirstSamples = 3;
constexpr int kEnoughSamples = 3000;
constexpr int kMostSamplesAtOnce = 50;

/// The share of the time in which nobody is dropped: memory is touched for the first time, and ranks
/// find their cores.
constexpr double kSettling = 0.1;

/// How far behind the best a contender is dropped: far at first, when little is known.
double times_the_best(int samples) {
  if (samples < 9) return 2;
  return samples < 100 ? 1.3 : 1.1;
}

/// The mean of the middle half of the times. If ranks share cores, times come in two or three kinds,
/// depending on whose turn it was, and a median would jump from one kind to another.
double middle(std::vector<double> times) {
  std::ranges::sort(times);
  const std::size_t cut = std::min((times.size() + 2) / 4, (times.size() - 1) / 2);
  const std::span half = std::span(times).subspan(cut, times.size() - 2 * cut);
  return std::accumulate(half.begin(), half.end(), 0.0) / static_cast<double>(half.size());
}

class Race {
 public:
  Race(const Communicator& comm, const std::vector<const Contender*>& contenders,
       std::deque<Exchange>& exchanges, const RaceRules& rules)
      : comm_(comm),
        exchanges_(exchanges),
        rules_(rules),
        running_(contenders),
        numbers_(contenders.size()),
        samples_(contenders.size(), Samples(exchanges.size())),
        scores_(contenders.size()) {
    for (std::size_t number = 0; number < numbers_.size(); ++number) numbers_[number] = number;
  }

  Scores run() {
    const double start = MPI_Wtime();
    int done = 0;
    for (int count = kFirstSamples; count > 0; count = next_count(start, done)) {
      sample(count, done);
      done += count;
      const bool is_settled = MPI_Wtime() - start >= kSettling * rules_.seconds;
      drop(is_settled ? times_the_best(done) : std::numeric_limits<double>::infinity());
    }
    return scores_;
  }

 private:
  using Samples = std::vector<std::vector<double>>;  ///< by exchange

  void sample(int count, int done) {
    for (std::size_t at = 0; at < exchanges_.size(); ++at) {
      const Method method{.iterations = count,
                          .warmup = done == 0 ? 1 : 0,
                          .seed = rules_.seed + static_cast<std::uint64_t>(done)};
      const Measurement measured =
          measure(comm_, running_, exchanges_[at], method,
                  [&](const Contender& contender, int) { rules_.announce(contender); });
      if (comm_.rank() != 0) continue;
      for (std::size_t i = 0; i < running_.size(); ++i) {
        auto& all = samples_[numbers_[i]][at];
        all.insert(all.end(), measured.microseconds[i].begin(), measured.microseconds[i].end());
      }
    }
  }

  /// On rank 0.
  double score(std::size_t number) const {
    double logarithms = 0;
    for (const auto& times : samples_[number])
      logarithms += std::log(std::max(middle(times), 1e-3));
    return std::exp(logarithms / static_cast<double>(exchanges_.size()));
  }

  /// Keeps the contenders with up to `most` times the best score, by rank 0's scores.
  void drop(double most) {
    std::vector<double> scores(running_.size());
    if (comm_.rank() == 0)
      std::ranges::transform(numbers_, scores.begin(), [&](auto number) { return score(number); });
    double limit = std::ranges::min(scores) * most;
    check_mpi(MPI_Bcast(scores.data(), static_cast<int>(scores.size()), MPI_DOUBLE, 0, comm_.get()),
              "MPI_Bcast");
    support::broadcast(comm_, limit);
    std::vector<const Contender*> running;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const bool is_left = scores[i] <= limit;
      scores_[numbers_[i]] = is_left ? std::optional(scores[i]) : std::nullopt;
      if (!is_left) continue;
      running.push_back(running_[i]);
      numbers.push_back(numbers_[i]);
    }
    running_ = std::move(running);
    numbers_ = std::move(numbers);
  }

  /// Returns how many samples come next: as many as fit into a third of the time that is left, by rank
  /// 0's clock. 0 ends the race.
  int next_count(double start, int done) const {
    const double spent = MPI_Wtime() - start;
    const double left = rules_.seconds - spent;
    const double one = spent / done;
    int count =
        std::clamp(static_cast<int>(left / 3 / one), left > one ? 1 : 0, kMostSamplesAtOnce);
    if (running_.size() == 1 || done >= kEnoughSamples) count = 0;
    support::broadcast(comm_, count);
    return count;
  }

  const Communicator& comm_;
  std::deque<Exchange>& exchanges_;
  const RaceRules& rules_;
  std::vector<const Contender*> running_;
  std::vector<std::size_t> numbers_;  ///< of those that are running
  std::vector<Samples> samples_;      ///< by contender; on rank 0
  Scores scores_;
};

}  // namespace

Scores race(const Communicator& comm, const std::vector<const Contender*>& contenders,
            std::deque<Exchange>& exchanges, const RaceRules& rules) {
  return Race(comm, contenders, exchanges, rules).run();
}

}  // namespace rondo::bench
