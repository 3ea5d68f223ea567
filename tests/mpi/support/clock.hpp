// std::chrono::steady_clock, with which the library measures, but with a hand that a test can move. A
// program that links clock.cpp defines the clock before the C++ library does.
#pragma once

#include <chrono>

namespace rondo::testing::clock {

/// From now on it is that much later on this rank.
void advance(std::chrono::nanoseconds duration);

}  // namespace rondo::testing::clock
