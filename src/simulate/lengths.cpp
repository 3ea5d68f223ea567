// Quantile functions of the distributions, their moments, and draws from them.
#include "simulate/lengths.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"

namespace rondo::simulate {

namespace {

using Kind = Distribution::Kind;

constexpr double kDeviations = 3;    ///< where the normal distribution is cut
constexpr double kDrawnSingly = 16;  ///< the sum of more blocks is nearly normal
constexpr double kMostPartners = 1 << 21;
constexpr int kSamples = 4096;  ///< of a quantile function, for its moments

struct Form {
  std::string_view name;
  Kind kind;
  bool has_value;
};

constexpr Form kForms[] = {{"constant", Kind::constant, false},
                           {"uniform", Kind::uniform, false},
                           {"window", Kind::window, true},
                           {"normal", Kind::normal, false},
                           {"power", Kind::power, true},
                           {"sparse", Kind::sparse, true},
                           {"mix", Kind::mix, true}};

/// What is wrong with a value; nothing if it is valid.
std::string_view fault_of(const Distribution& distribution) {
  const double value = distribution.value;
  const bool is_whole = value >= 0 && value == std::floor(value);
  if (distribution.kind == Kind::window && !(is_whole && value <= 100))
    return "needs a whole number of percent, 0..100";
  if (distribution.kind == Kind::power && !(value > 0 && value <= 1))
    return "needs a base above 0, at most 1";
  if (distribution.kind == Kind::sparse && !(is_whole && value <= kMostPartners))
    return "needs a whole number of destinations, at most 2097152";
  return {};
}

double normal_share(double deviations) {
  return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

/// The number at the beginning of `text`, which is cut off. Negative if there is none.
double cut_number(std::string_view& text) {
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} ? number : -1;
}

/// The parts of "FRACTION=SHARE,...", with the sum of shares in the last one. Empty if anything is wrong.
std::vector<Distribution::Part> parse_parts(std::string_view text) {
  std::vector<Distribution::Part> parts;
  double sum = 0;
  while (true) {
    const double fraction = cut_number(text);
    if (!(fraction >= 0 && fraction <= 1) || !text.starts_with('=')) return {};
    text.remove_prefix(1);
    const double share = cut_number(text);
    if (!(share >= 0 && share <= 1)) return {};
    parts.push_back({fraction, sum += share});
    if (text.empty()) break;
    if (!text.starts_with(',')) return {};
    text.remove_prefix(1);
  }
  if (!std::ranges::is_sorted(parts, {}, &Distribution::Part::fraction) || sum == 0) return {};
  for (Distribution::Part& part : parts) part.up_to_share /= sum;
  return parts;
}

/// Newton's method, which converges from the mean for every u of the table.
double solve_normal(double u) {
  const double density_at_0 = 1 / std::sqrt(2 * std::numbers::pi);
  double low = -9;
  double high = 9;
  double x = 0;
  for (int step = 0; step < 100 && high - low > 1e-13; ++step) {
    (normal_share(x) < u ? low : high) = x;
    const double density = density_at_0 * std::exp(-x * x / 2);
    const double next = x + (u - normal_share(x)) / density;
    x = next > low && next < high ? next : (low + high) / 2;
  }
  return x;
}

constexpr int kIntervals = 4096;

/// Quantiles at i / kIntervals. The ends are half an interval inside.
const std::array<double, kIntervals + 1>& normal_table() {
  static const auto table = [] {
    std::array<double, kIntervals + 1> values{};
    for (int i = 0; i <= kIntervals; ++i)
      values[static_cast<std::size_t>(i)] =
          solve_normal(std::clamp<double>(i, 0.5, kIntervals - 0.5) / kIntervals);
    return values;
  }();
  return table;
}

}  // namespace

void Distribution::refuse(std::string_view text, std::string_view reason, const Wording& wording) {
  throw Error(ErrorClass::argument,
              rondo::text(wording.before, "'", text, "' ", reason,
                          "; there is uniform, window:R, power:BASE, normal, constant, sparse:K, "
                          "mix:FRACTION=SHARE,...",
                          wording.others));
}

Distribution Distribution::parse(std::string_view text, const Wording& wording) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto form = std::ranges::find(kForms, text.substr(0, colon), &Form::name);
  if (form == std::end(kForms)) refuse(text, "is not known", wording);
  if (!form->has_value && colon != text.size())
    refuse(text, "has a value where none belongs", wording);
  if (form->has_value && colon + 1 >= text.size())
    refuse(text, "lacks its value after the colon", wording);
  Distribution distribution{form->kind};
  if (!form->has_value) return distribution;
  if (form->kind == Kind::mix) {
    distribution.parts = parse_parts(text.substr(colon + 1));
    if (distribution.parts.empty())
      refuse(text,
             "needs fractions of S in ascending order, each with its share of the blocks, 0..1",
             wording);
    return distribution;
  }
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + colon + 1, last, distribution.value);
  if (error != std::errc{} || end != last) distribution.value = -1;  // valid nowhere
  if (const std::string_view fault = fault_of(distribution); !fault.empty())
    refuse(text, fault, wording);
  return distribution;
}

double normal_quantile(double u) {
  const auto& table = normal_table();
  const double at = u * kIntervals;
  const auto below = std::min(static_cast<std::size_t>(at), std::size_t{kIntervals - 1});
  return table[below] + (at - static_cast<double>(below)) * (table[below + 1] - table[below]);
}

Lengths::Lengths(const Distribution& distribution, double largest_bytes, int ranks)
    : distribution_(distribution), largest_(largest_bytes), least_(0), ranks_(ranks) {
  if (distribution.kind == Kind::window)
    least_ = largest_ - std::floor(largest_ * distribution.value / 100);
}

double Lengths::other_quantile(double u) const {
  switch (distribution_.kind) {
    case Kind::constant:
      return largest_;
    case Kind::uniform:
    case Kind::window:
      break;
    case Kind::normal: {
      const double cut = normal_share(-kDeviations);
      const double deviations = normal_quantile(cut + u * (1 - 2 * cut));
      return largest_ * (0.5 + deviations / (2 * kDeviations));
    }
    case Kind::power:
      return largest_ * std::pow(distribution_.value, std::floor((1 - u) * ranks_));
    case Kind::sparse:
      return u > 1 - share_of_blocks() ? largest_ : 0;
    case Kind::mix: {
      const auto& parts = distribution_.parts;
      const auto part = std::ranges::lower_bound(parts, u, {}, &Distribution::Part::up_to_share);
      return std::round(largest_ * (part == parts.end() ? parts.back() : *part).fraction);
    }
  }
  return 0;
}

double Lengths::share_of_blocks() const {
  return std::min(distribution_.value / ranks_, 1.0);
}

/// Exact, because samples could miss the few blocks with bytes.
Moments Lengths::sparse_moments(double limit) const {
  const double share = share_of_blocks();
  if (largest_ > limit) return {.above_share = share, .above_mean = largest_};
  return {.mean = share * largest_,
          .deviation = std::sqrt(share * (1 - share)) * largest_,
          .largest = largest_};
}

/// Exact as well.
Moments Lengths::mix_moments(double limit) const {
  Moments found;
  double squares = 0;
  double before = 0;
  for (const Distribution::Part& part : distribution_.parts) {
    const double share = part.up_to_share - std::exchange(before, part.up_to_share);
    const double length = std::round(largest_ * part.fraction);
    if (length > limit) {
      found.above_share += share;
      found.above_mean += share * length;
    } else if (share > 0) {
      found.mean += share * length;
      squares += share * length * length;
      found.largest = length;
    }
  }
  if (found.above_share > 0) found.above_mean /= found.above_share;
  found.deviation = std::sqrt(std::max(0.0, squares - found.mean * found.mean));
  return found;
}

double Lengths::share_up_to(double limit) const {
  if (quantile(1 - 0x1.0p-53) <= limit) return 1;
  double low = 0;
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (middle > 0 && quantile(middle) > limit ? high : low) = middle;
  }
  return low;
}

Moments Lengths::moments(double limit) const {
  if (distribution_.kind == Kind::sparse) return sparse_moments(limit);
  if (distribution_.kind == Kind::mix) return mix_moments(limit);
  const double share = share_up_to(limit);
  // Over u in [begin, end]. Powers are steep at the upper end, so samples are dense there.
  const auto sum = [&](double begin, double end, int power) {
    double total = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double v = (i + 0.5) / kSamples;
      const bool steep = distribution_.kind == Kind::power;
      const double u = steep ? end - (end - begin) * v * v * v : begin + (end - begin) * v;
      const double weight = (end - begin) / kSamples * (steep ? 3 * v * v : 1);
      total += weight * std::pow(quantile(std::clamp(u, 1e-12, 1 - 1e-12)), power);
    }
    return total;
  };
  Moments found;
  found.above_share = 1 - share;
  if (share > 0) {
    found.mean = sum(0, share, 1);
    found.deviation = std::sqrt(std::max(0.0, sum(0, share, 2) - found.mean * found.mean));
    found.largest = std::min(largest_, limit);
  }
  if (share < 1) found.above_mean = sum(share, 1, 1) / (1 - share);
  if (!vary() && share == 1) found.deviation = 0;
  return found;
}

Sums::Sums(const Lengths& lengths, double limit, std::uint64_t seed)
    : lengths_(lengths), limit_(limit), seed_(seed), moments_(lengths.moments(limit)) {
  if (!lengths.vary()) moments_.mean = lengths.largest() <= limit ? lengths.largest() : 0;
}

double Sums::draw_sum(double blocks, std::uint64_t bits) const {
  if (!lengths_.vary()) return blocks * moments_.mean;
  if (blocks <= kDrawnSingly) {
    double total = 0;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(blocks); ++i)
      total += draw_one(random_bits(bits, i));
    return total;
  }
  const double sum =
      blocks * moments_.mean + std::sqrt(blocks) * moments_.deviation * normal_quantile(unit(bits));
  return std::clamp(sum, 0.0, blocks * moments_.largest);
}

}  // namespace rondo::simulate
