#include "select/watch.hpp"

#include <algorithm>

#include "select/duel.hpp"

namespace rondo::select {

namespace {

/// Reviews whose mean is the incumbent's time.
constexpr int kMostReviews = 8;

constexpr std::uint64_t kClose = 8;
constexpr std::uint64_t kLeast = 16;
constexpr std::uint64_t kMost = 1024;
constexpr std::int64_t kCallsOfAgreement = 256;

}  // namespace

std::size_t count_longer(std::span<const std::int64_t> times, std::int64_t other,
                         std::int64_t thousandths) {
  return static_cast<std::size_t>(std::ranges::count_if(
      times, [&](std::int64_t time) { return ratio_of(time, other) > thousandths; }));
}

void Watch::begin(std::int64_t time) {
  time_ = time;
  reviews_ = 0;
  suspicion_ = 0;
}

bool Watch::is_change(std::span<const std::int64_t> times, std::int64_t median) {
  const int before = suspicion_;
  suspicion_ = reviews_ == 0 ? 0 : deviation(times);
  if (suspicion_ != 0) {
    if (suspicion_ != before) return false;
    begin(median);
    return true;
  }
  if (reviews_ == 0) time_ = median;
  if (reviews_ < kMostReviews) time_ += (median - time_) / ++reviews_;
  return false;
}

int Watch::deviation(std::span<const std::int64_t> times) const {
  if (count_longer(times, time_, kSame * 6 / 5) >= kMany) return 1;
  return count_longer(times, time_, kSame * 5 / 6) <= times.size() - kMany ? -1 : 0;
}

std::uint64_t Watch::spacing(std::int64_t agreement) const {
  if (reviews_ == 0 || suspicion_ != 0) return kClose;
  std::uint64_t spacing = kLeast;
  while (spacing < kMost &&
         static_cast<std::int64_t>(kReviewed * spacing) * kSame < kCallsOfAgreement * agreement)
    spacing *= 2;
  return spacing;
}

}  // namespace rondo::select
