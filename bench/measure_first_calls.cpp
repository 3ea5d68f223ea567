#include "measure_first_calls.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace rondo::bench {

namespace {

constexpr int kFirst = 100;
constexpr double kFirstSeconds = 0.3;  ///< for those of each
constexpr double kAllSeconds = 1;
constexpr int kMostCalls = 3000;
constexpr int kBetweenLooks = 20;
constexpr std::size_t kWindow = 100;  ///< calls, in which one algorithm runs except in a few trials
constexpr std::ptrdiff_t kNearlyAll = 90;

/// Calls of one contender, and what they took on this rank.
class Calls {
 public:
  Calls(const Contender& contender, Exchange& exchange)
      : contender_(contender), exchange_(exchange) {}

  void make(int count) {
    for (; count > 0; --count) {
      exchange_.draw(made_++);
      const double start = MPI_Wtime();
      exchange_.run(contender_);
      seconds_ += MPI_Wtime() - start;
    }
  }

  int made() const { return made_; }
  double seconds() const { return seconds_; }

 private:
  const Contender& contender_;
  Exchange& exchange_;
  int made_ = 0;
  double seconds_ = 0;
};

/// Collective. The slowest rank's.
double longest(const Communicator& comm, double seconds) {
  support::all_reduce(comm, {&seconds, 1}, MPI_MAX);
  return seconds;
}

/// Collective. Makes `most` calls, or fewer if they take long. Returns the mean microseconds of one.
double time_first(const Communicator& comm, Calls& calls, int most) {
  for (int next = 1; calls.made() < most && longest(comm, calls.seconds()) < kFirstSeconds;
       next = std::min(2 * next, kBetweenLooks))
    calls.make(std::min(next, most - calls.made()));
  return 1e6 * longest(comm, calls.seconds()) / calls.made();
}

/// What has run most in the window that ends here, if it ran nearly always and is Rondo's choice.
std::string kept(const std::vector<std::string>& ran, std::size_t end) {
  std::map<std::string, std::ptrdiff_t> counts;
  for (std::size_t call = end - kWindow; call < end; ++call) ++counts[ran[call]];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return most->second >= kNearlyAll && most->first != "forwarded" ? most->first : std::string();
}

/// By rank 0's clock, so that all ranks go on or end together.
double seconds_left(const Communicator& comm, double start) {
  double left = kAllSeconds - (MPI_Wtime() - start);
  support::broadcast(comm, left);
  return left;
}

/// The algorithm of the last window is that of the window before it.
bool is_settled(const std::vector<std::string>& ran) {
  if (ran.size() < 2 * kWindow) return false;
  const std::string last = kept(ran, ran.size());
  return !last.empty() && last == kept(ran, ran.size() - kWindow);
}

}  // namespace

FirstCalls make_first_calls(const Communicator& comm, const Contender& automatic,
                            const Contender& mpi, Exchange& exchange) {
  const double start = MPI_Wtime();
  exchange.draw(0);
  exchange.run(mpi);  // touches the buffers, and makes the connections of both
  FirstCalls first;
  Calls own(automatic, exchange);
  first.auto_us = time_first(comm, own, kFirst);
  first.calls = own.made();
  Calls library(mpi, exchange);
  first.mpi_us = time_first(comm, library, first.calls);
  std::vector<std::string> ran;
  while (!first.has_learned && own.made() < kMostCalls) {
    const double left = seconds_left(comm, start);
    if (left <= 0) break;
    const double fitting = 1e6 * left / first.auto_us;
    const int count = static_cast<int>(std::clamp(fitting, 1.0, double{kBetweenLooks}));
    for (int call = 0; call < count; ++call) {
      own.make(1);
      ran.push_back(automatic.last_run());
    }
    // Ranks that learn alike see alike; one that does not must not leave the others behind.
    first.has_learned = is_settled(ran);
    support::broadcast(comm, first.has_learned);
  }
  first.all_calls = own.made();
  return first;
}

}  // namespace rondo::bench
