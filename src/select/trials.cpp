#include "select/trials.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace rondo::select {

namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::infinity();

}  // namespace

Trials::Trials(std::size_t choices, std::uint64_t seed)
    : random_(seed), order_(choices), durations_(kTimed * choices, kNotMeasured) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::size_t Trials::next() {
  const std::size_t round = turn_ / choices();
  const std::size_t place = turn_++ % choices();
  if (place == 0 && round != 0)
    for (std::size_t left = choices(); left > 1; --left)
      std::swap(order_[left - 1], order_[random_() % left]);
  return order_[place];
}

void Trials::record(double seconds) {
  const std::size_t round = (turn_ - 1) / choices();
  const std::size_t choice = order_[(turn_ - 1) % choices()];
  if (round != 0) durations_[choice * kTimed + round - 1] = seconds;
}

double Trials::seconds(std::size_t choice) const {
  std::array<double, kTimed> sorted{};
  std::copy_n(durations_.begin() + static_cast<std::ptrdiff_t>(choice * kTimed), kTimed,
              sorted.begin());
  std::ranges::sort(sorted);
  const auto measured =
      static_cast<std::size_t>(std::ranges::lower_bound(sorted, kNotMeasured) - sorted.begin());
  if (measured == 0) return kNotMeasured;
  return std::midpoint(sorted[(measured - 1) / 2], sorted[measured / 2]);
}

std::size_t Trials::winner() const {
  std::size_t best = 0;
  for (std::size_t choice = 1; choice < choices(); ++choice)
    if (seconds(choice) < seconds(best)) best = choice;
  return seconds(0) <= (1 + kTie) * seconds(best) ? 0 : best;
}

}  // namespace rondo::select
