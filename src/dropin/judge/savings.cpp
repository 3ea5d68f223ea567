#include "dropin/judge/savings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dropin/judge/pairs.hpp"

namespace rondo::dropin::ab {

namespace {

using Matrix = std::vector<std::vector<double>>;

/// The pairs with Rondo first and those with the library first: how many, and the mean of their values.
struct Orders {
  Orders(const std::vector<Pair>& pairs, const std::vector<double>& values) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      counts[pairs[i].library_is_first] += 1;
      means[pairs[i].library_is_first] += values[i];
    }
    for (const int order : {0, 1}) means[order] /= counts[order];
  }

  double counts[2] = {};
  double means[2] = {};
};

/// The mean of the two orders' means. What depends only on the position in the pair cancels.
double balanced_mean(const std::vector<Pair>& pairs, const std::vector<double>& values) {
  const Orders orders(pairs, values);
  return (orders.means[1] + orders.means[0]) / 2;
}

/// The difference between the two turns of each pair, per call of a turn.
std::vector<double> elapsed_differences(const std::vector<Pair>& pairs) {
  std::vector<double> all;
  for (const Pair& pair : pairs)
    all.push_back((pair.library.elapsed - pair.rondo.elapsed) / kTurnCalls);
  return all;
}

/// For each pair: how many more of another series' calls were the library's during the library's
/// turn than during Rondo's turn, per call of a turn.
std::vector<double> other_differences(const std::vector<Pair>& pairs, const Balance& other) {
  std::vector<double> all;
  for (const Pair& pair : pairs)
    all.push_back((other.during(pair.library) - other.during(pair.rondo)) / (2 * kTurnCalls));
  return all;
}

/// Gauss-Jordan elimination with pivoting by column. A pivot is 1 for a single series, and close to
/// 0 if two series took their turns in step with each other.
std::optional<Matrix> inverse_of(Matrix matrix) {
  constexpr double kLeastPivot = 0.25;
  const std::size_t size = matrix.size();
  Matrix inverse(size, std::vector<double>(size));
  for (std::size_t i = 0; i < size; ++i) inverse[i][i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t best = column;
    for (std::size_t row = column; row < size; ++row)
      if (std::abs(matrix[row][column]) > std::abs(matrix[best][column])) best = row;
    const double pivot = matrix[best][column];
    if (!(std::abs(pivot) >= kLeastPivot)) return std::nullopt;
    std::swap(matrix[best], matrix[column]);
    std::swap(inverse[best], inverse[column]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column) continue;
      const double factor = matrix[row][column] / pivot;
      for (std::size_t i = 0; i < size; ++i) {
        matrix[row][i] -= factor * matrix[column][i];
        inverse[row][i] -= factor * inverse[column][i];
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      matrix[column][i] /= pivot;
      inverse[column][i] /= pivot;
    }
  }
  return inverse;
}

/// The 97.5 % quantile of Student's t distribution divided by that of the normal distribution
/// (Cornish and Fisher).
double student_factor(double freedom) {
  constexpr double z = 1.96;
  const double z2 = z * z;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / freedom) / freedom) / freedom;
}

/// The values minus the mean of their order, scaled to make up for the two means that were
/// subtracted.
std::vector<double> noise_of(const std::vector<Pair>& pairs, const std::vector<double>& values) {
  const Orders orders(pairs, values);
  const auto size = static_cast<double>(pairs.size());
  const double scale = student_factor(size - 2) * std::sqrt(size / (size - 2)) * (size / 2) /
                       std::sqrt(orders.counts[0] * orders.counts[1]);
  std::vector<double> noise;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    noise.push_back(scale * (values[i] - orders.means[pairs[i].library_is_first]));
  return noise;
}

/// The equations of all series: the measured means, and how much each estimate contributes to them.
struct Equations {
  std::vector<std::vector<Pair>> pairs;                 ///< by series
  std::vector<std::vector<double>> elapsed;             ///< by series and pair
  std::vector<std::vector<std::vector<double>>> calls;  ///< by series, other series and pair
};

Equations equations_of(std::span<const SeriesTimes* const> series) {
  std::vector<Balance> balances;
  for (const SeriesTimes* times : series) balances.emplace_back(*times);
  Equations all;
  for (std::size_t own = 0; own < series.size(); ++own) {
    const auto& pairs = all.pairs.emplace_back(pairs_of(*series[own]));
    all.elapsed.push_back(elapsed_differences(pairs));
    auto& calls = all.calls.emplace_back();
    for (std::size_t other = 0; other < series.size(); ++other)
      calls.push_back(other == own ? std::vector<double>(pairs.size(), 1)
                                   : other_differences(pairs, balances[other]));
  }
  return all;
}

std::vector<double> unexplained(const Equations& equations, std::size_t own,
                                const std::vector<double>& per_call) {
  std::vector<double> values = equations.elapsed[own];
  for (std::size_t other = 0; other < per_call.size(); ++other)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] -= per_call[other] * equations.calls[own][other][i];
  return values;
}

}  // namespace

bool can_estimate(const SeriesTimes& series) {
  const std::vector<Pair> pairs = pairs_of(series);
  const auto firsts = std::ranges::count(pairs, true, &Pair::library_is_first);
  return pairs.size() >= kFewestPairs && firsts > 0 && firsts < std::ssize(pairs);
}

std::optional<Savings> savings_of(std::span<const SeriesTimes* const> series) {
  const Equations equations = equations_of(series);
  const std::size_t size = series.size();
  Matrix matrix(size, std::vector<double>(size));
  std::vector<double> means(size);
  for (std::size_t own = 0; own < size; ++own) {
    means[own] = balanced_mean(equations.pairs[own], equations.elapsed[own]);
    for (std::size_t other = 0; other < size; ++other)
      matrix[own][other] = balanced_mean(equations.pairs[own], equations.calls[own][other]);
  }
  auto influence = inverse_of(std::move(matrix));
  if (!influence) return std::nullopt;
  Savings savings{
      .per_call = std::vector<double>(size), .influence = std::move(*influence), .noise = {}};
  for (std::size_t own = 0; own < size; ++own)
    for (std::size_t other = 0; other < size; ++other)
      savings.per_call[own] += savings.influence[own][other] * means[other];
  for (std::size_t own = 0; own < size; ++own) {
    const auto& pairs = equations.pairs[own];
    savings.noise.push_back(noise_of(pairs, unexplained(equations, own, savings.per_call)));
    savings.pairs += pairs.size();
  }
  return savings;
}

}  // namespace rondo::dropin::ab
