// Messages that are not played: the clocks go on as they did.
#include "simulate/network.hpp"

#include <cmath>
#include <numeric>

namespace rondo::simulate {

namespace {

/// Clocks that advanced from `before` to `now` in a stretch. In `times` as many messages they advance by as much
/// on average. What they did differently from each other was random, so it grows as the root.
void go_on_as_since(const std::vector<double>& before, std::vector<double>& now, double times) {
  const double mean = (std::accumulate(now.begin(), now.end(), 0.0) -
                       std::accumulate(before.begin(), before.end(), 0.0)) /
                      static_cast<double>(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i] += times * mean + std::sqrt(times) * (now[i] - before[i] - mean);
}

}  // namespace

Network::Flight Network::flight() const {
  Flight flight{.out = out_};
  for (const Clock& clock : clocks_) {
    flight.port.push_back(clock.port);
    flight.matching.push_back(clock.matching);
  }
  return flight;
}

void Network::go_on(const Flight& before, double times, double matching) {
  Flight now = flight();
  go_on_as_since(before.port, now.port, times);
  go_on_as_since(before.out, out_, times);
  for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
    clocks_[rank].port = now.port[rank];
    clocks_[rank].matching += times * matching * (now.matching[rank] - before.matching[rank]);
  }
}

}  // namespace rondo::simulate
