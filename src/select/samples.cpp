#include "select/samples.hpp"

#include <algorithm>

#include "select/duel.hpp"

namespace rondo::select {

namespace {

/// Of one rank: 18 minutes. The sum over a run and 2^20 ranks still has room.
constexpr std::int64_t kLongestOfCall = std::int64_t{1} << 40;

}  // namespace

void Samples::begin(Kind kind, std::size_t times, const Blocks& blocks, std::uint64_t orders) {
  kind_ = kind;
  planned_ = times;
  blocks_ = blocks;
  orders_ = orders;
  blocks_over_ = 0;
  call_ = 0;
  times_.fill(0);
}

bool Samples::is_challengers_turn() const {
  const bool is_second = blocks_over_ % 2 != 0;
  const bool is_challenger_first = (orders_ >> (blocks_over_ / 2)) % 2 != 0;
  return kind_ == Kind::duel && is_challenger_first != is_second;
}

void Samples::record(std::int64_t nanoseconds) {
  const std::size_t of = is_challengers_turn() ? 1 : 0;
  const std::size_t place = kind_ == Kind::duel ? blocks_over_ / 2 * 2 + of : blocks_over_;
  if (nanoseconds == kFailed) ++times_[planned_ + 1 + of];
  times_[place] += std::clamp<std::int64_t>(nanoseconds, 0, kLongestOfCall);
  advance();
}

void Samples::advance() {
  if (++call_ < block().calls()) return;
  call_ = 0;
  ++blocks_over_;
}

void Samples::set_agreement(std::int64_t nanoseconds) {
  times_[planned_] = std::clamp<std::int64_t>(nanoseconds, 0, kLongestOfCall);
}

void Samples::clean() {
  const auto calls = static_cast<std::int64_t>(block().timed);
  for (std::size_t i = 0; i < planned_; ++i)
    times_[i] = std::clamp<std::int64_t>(times_[i] / calls, 1, kLongest);
  times_[planned_] = std::clamp<std::int64_t>(times_[planned_], 0, kLongest);
}

std::int64_t Samples::typical(std::size_t first) const {
  const std::size_t step = kind_ == Kind::duel ? 2 : 1;
  const std::size_t count = planned_ / step;
  std::array<std::int64_t, kMostSums> values{};
  for (std::size_t i = 0; i < count; ++i) values[i] = times_[first + i * step];
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

std::int64_t Samples::shortest(std::size_t first) const {
  std::int64_t least = kLongest;
  for (std::size_t i = first; i < planned_; i += 2) least = std::min(least, times_[i]);
  return least;
}

}  // namespace rondo::select
