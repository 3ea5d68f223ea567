// std::chrono::steady_clock, with which the library measures, but with a hand that a test can move. A
// program that links clock.cpp defines the clock before the C++ library does.
#pragma once

#include <chrono>
#include <cstdint>

namespace rondo::testing::clock {

/// From now on it is that much later on this rank.
void advance(std::chrono::nanoseconds duration);

/// From now on it goes at a tenth to ten times its rate, and one look in eight finds it somewhere else, up to an hour
/// ahead or behind. All that depends on the seed, 0 of which makes it right again.
void go_wrong(std::uint64_t seed);

}  // namespace rondo::testing::clock
