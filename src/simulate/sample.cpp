// The time of an exchange is the largest of all ranks' times, so it grows with the number of nodes that are played.
// The largest of random numbers grows at most with the logarithm of how many there are, if they are exponentially
// distributed like the ends of waits, and more slowly if they are sums or bounded. So draws on few nodes, on twice and
// on four times as many give a line over that logarithm. The time on all nodes lies between the line's value for the
// most nodes played and its value for all. The interval adds what another exchange differs from the line, by Student's
// distribution, and what is only approximate: the nodes that stand for others, and steps that are left out.
#include "simulate/sample.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::simulate {

namespace {

constexpr int kDraws = 3;        ///< for each number of nodes
constexpr int kDoublings = 2;    ///< of that number
constexpr int kEnough = 16;      ///< nodes, for which more may be played than asked
constexpr double kPatience = 4;  ///< times as many
constexpr double kApproximate =
    0.001;  ///< how far samples were off where hardly anything was random

/// The least-squares line of times over the logarithm of nodes.
struct Line {
  double draws = 0;
  double mean_x = 0;
  double mean_y = 0;
  double spread = 0;  ///< of x, as a sum of squares
  double slope = 0;
  double deviation = 0;  ///< of a time from the line

  explicit Line(const std::vector<Draw>& all) : draws(static_cast<double>(all.size())) {
    for (const Draw& draw : all) {
      mean_x += std::log(draw.nodes) / draws;
      mean_y += draw.seconds / draws;
    }
    for (const Draw& draw : all) {
      const double x = std::log(draw.nodes) - mean_x;
      spread += x * x;
      slope += x * (draw.seconds - mean_y);
    }
    slope = spread > 0 ? slope / spread : 0;
    double squares = 0;
    for (const Draw& draw : all) squares += std::pow(draw.seconds - at(std::log(draw.nodes)), 2);
    deviation = std::sqrt(squares / (draws - 2));
  }

  double at(double x) const { return mean_y + slope * (x - mean_x); }

  /// The deviation of a new time from what the line says there.
  double deviation_at(double x) const {
    return deviation * std::sqrt(1 + 1 / draws + (x - mean_x) * (x - mean_x) / spread);
  }
};

/// Student's distribution: what 95 % do not exceed in either direction (Abramowitz and Stegun, 26.7.5).
double student(double freedom) {
  constexpr double z = 1.959964;
  const double g1 = (std::pow(z, 3) + z) / 4;
  const double g2 = (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / 96;
  const double g3 = (3 * std::pow(z, 7) + 19 * std::pow(z, 5) + 17 * std::pow(z, 3) - 15 * z) / 384;
  return z + g1 / freedom + g2 / std::pow(freedom, 2) + g3 / std::pow(freedom, 3);
}

}  // namespace

std::vector<int> nodes_of_draws(int nodes, double most) {
  int largest = 2;
  const auto is_affordable = [&](int number, double limit) {
    return 2 * number <= nodes && kDraws * (2 * number - (number >> kDoublings)) <= limit;
  };
  while (is_affordable(2 * largest, largest < kEnough ? kPatience * most : most)) largest *= 2;
  std::vector<int> numbers;
  for (int number = std::max(largest >> kDoublings, 1); number <= largest; number *= 2)
    numbers.insert(numbers.end(), kDraws, number);
  return numbers;
}

Interval extrapolated(const std::vector<Draw>& draws, int nodes) {
  const Line line(draws);
  const double largest = std::log(draws.back().nodes);
  const double growth = std::max(line.slope, 0.0) * (std::log(nodes) - largest);
  const double seconds = line.at(largest) + growth / 2;
  const double error = growth / 2 + kApproximate * seconds +
                       student(line.draws - 2) * line.deviation_at(std::log(nodes));
  return {.seconds = seconds,
          .low_seconds = std::max(seconds - error, 0.0),
          .high_seconds = seconds + error};
}

}  // namespace rondo::simulate
