#include "communicator/deferral.hpp"

#include <array>
#include <atomic>
#include <bit>

#include "engines/node/node.hpp"
#include "mpi/collectives.hpp"

namespace rondo::communicator {

namespace {

/// How long this process's last set-up took, in clock ticks, by the bit width of the number of
/// ranks; 0 if there was none.
std::array<std::atomic<std::int64_t>, 32> g_last_cost{};

std::atomic<std::int64_t>& last_cost(int ranks) {
  return g_last_cost[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks)))];
}

/// The estimate before the first set-up: the time that a process needs to run its code for the first time and to map
/// shared memory, and the number of collective calls, each about as long as an exchange of the MPI library. A first
/// set-up was measured to take 0.25 to 0.35 ms with 2 ranks, as estimated, and 1.2 to 1.5 with 8 that share 2 cores,
/// twice as long: there waiting on would cost more, because forwarded calls are the slowest.
constexpr std::chrono::microseconds kMapping{250};
constexpr std::int64_t kCollectives = 10;

/// What set-up is assumed to save of a call for each of its ranks, at most: not what it takes to copy the bytes of long
/// blocks. On one machine calls of 2 ranks saved 0.2 to 1.4 microseconds, whatever their lengths.
constexpr std::chrono::nanoseconds kMostSaved{500};

/// A set-up that took longer than so many estimates was disturbed.
constexpr std::int64_t kMostEstimates = 8;

}  // namespace

/// Between nodes, and where ranks share cores, all of a call may be saved.
Deferral::Deferral(std::int64_t calls, int ranks)
    : fixed_calls_(calls),
      ranks_(ranks),
      most_saved_(engines::Node::has_core_for_each(ranks) ? Clock::duration(kMostSaved) * ranks
                                                          : Clock::duration::max()) {}

bool Deferral::defers(MPI_Comm comm) {
  const std::int64_t call = calls_++;
  if (fixed_calls_ >= 0) return call < fixed_calls_;
  const bool compares =
      call >= kFirstComparison && std::has_single_bit(static_cast<std::uint64_t>(call));
  return !compares || !pays(comm);
}

void Deferral::add(Clock::duration call) {
  measured_ += call;
  saved_ += std::min(call, most_saved_);
  longest_ = std::max(longest_, call);
}

/// Compares the averages over all ranks, so that a rank that waits long for the others does not
/// decide.
bool Deferral::pays(MPI_Comm comm) const {
  std::int64_t gain = (saved_ * kStride - expected_cost()).count();
  mpi::reduce_on(comm, &gain, 1, MPI_INT64_T, MPI_SUM);
  return gain >= 0;
}

Deferral::Clock::duration Deferral::expected_cost() const {
  const Clock::duration estimate = kMapping + saved_ * kStride * kCollectives / calls_;
  const Clock::duration known(last_cost(ranks_));
  return known == Clock::duration::zero() ? estimate : std::min(known, kMostEstimates * estimate);
}

void Deferral::remember(int ranks, Clock::duration cost) {
  last_cost(ranks) = cost.count();
}

}  // namespace rondo::communicator
