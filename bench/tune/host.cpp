#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/shared_object.hpp"
#include "tune/machine.hpp"

namespace rondo::bench {

namespace {

constexpr int kRepeats = 9;

/// Returns the shortest of several times, since other programs on the machine only add to it.
template <class Trial>
double least_of_trials(Trial&& trial) {
  double least = trial();
  for (int repeat = 1; repeat < kRepeats; ++repeat) least = std::min(least, trial());
  return least;
}

/// Keeps the compiler from removing a copy.
void use(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

double copy_seconds_per_byte() {
  constexpr std::size_t kBytes = 1 << 15;
  constexpr int kCopies = 200;
  std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  const double seconds = least_of_trials([&] {
    const double start = MPI_Wtime();
    for (int copy = 0; copy < kCopies; ++copy) {
      std::memcpy(to.data(), from.data(), kBytes);
      use(to.data());
    }
    return MPI_Wtime() - start;
  });
  return seconds / kCopies / kBytes;
}

constexpr int kBlocks = 512;
constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kStride = 64;

/// Copies short blocks of a strided buffer, by memcpy or by MPI's datatypes.
template <class Copy>
double seconds_per_block(Copy&& copy) {
  constexpr int kRounds = 50;
  return least_of_trials([&] {
           const double start = MPI_Wtime();
           for (int round = 0; round < kRounds; ++round) copy();
           return MPI_Wtime() - start;
         }) /
         kRounds / kBlocks;
}

struct BlockCosts {
  double copied;
  double typed;
};

BlockCosts block_costs() {
  std::vector<char> from(kBlocks * kStride, 1);
  std::vector<char> to(kBlocks * kBlockBytes);
  // The length is read each time, as the length of a user's block is.
  volatile std::size_t length = kBlockBytes;
  const double copied = seconds_per_block([&] {
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::memcpy(to.data() + block * kBlockBytes, from.data() + block * kStride, length);
      use(to.data());
    }
  });
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_vector(kBlocks, kBlockBytes, kStride, MPI_BYTE, &strided), "MPI_Type_vector");
  check_mpi(MPI_Type_commit(&strided), "MPI_Type_commit");
  const double typed = seconds_per_block([&] {
    int position = 0;
    check_mpi(MPI_Pack(from.data(), 1, strided, to.data(), static_cast<int>(to.size()), &position,
                       MPI_COMM_SELF),
              "MPI_Pack");
    use(to.data());
  });
  check_mpi(MPI_Type_free(&strided), "MPI_Type_free");
  return {.copied = copied, .typed = std::max(typed - copied, 0.0)};
}

/// A cache line that two ranks share.
struct alignas(64) SharedLine {
  std::atomic<int> flag{0};
};

/// Two ranks, each on a core of its own, hand a cache line to each other.
double arrival_seconds(std::atomic<int>& flag, int rank) {
  constexpr int kTurns = 2000;
  int turn = rank;
  return least_of_trials([&] {
    const double start = MPI_Wtime();
    for (const int end = turn + 2 * kTurns; turn < end; turn += 2) {
      // If the two do not have a core each, they must not wait for time slices.
      for (int looks = 0; flag.load(std::memory_order_acquire) != turn; ++looks)
        if (looks > 1000) sched_yield();
      flag.store(turn + 1, std::memory_order_release);
    }
    return (MPI_Wtime() - start) / (2 * kTurns);
  });
}

/// Two threads on one core hand it to each other.
double switch_seconds() {
  constexpr int kTurns = 5000;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0)
    throw Error(ErrorClass::other, "sched_getaffinity failed");
  int core = 0;
  while (!CPU_ISSET(core, &usable)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  std::atomic<int> turn{0};
  const auto take_turns = [&](int first) {
    sched_setaffinity(0, sizeof one, &one);
    for (int own = first; own < 2 * kTurns; own += 2) {
      while (turn.load(std::memory_order_acquire) != own) sched_yield();
      turn.store(own + 1, std::memory_order_release);
    }
  };
  const double seconds = least_of_trials([&] {
    turn = 0;
    const double start = MPI_Wtime();
    std::thread first(take_turns, 0);
    std::thread second(take_turns, 1);
    first.join();
    second.join();
    return MPI_Wtime() - start;
  });
  return seconds / (2 * kTurns);
}

}  // namespace

model::Host measure_host(const Communicator& comm, const Communicator* pair,
                         const model::Host& typical) {
  constexpr double kSeconds = 0.4;
  constexpr double kArrivalSeconds = 0.05;
  model::Host host = typical;
  host.cores = static_cast<int>(std::max(support::cores(), 1L));
  measure_alone(comm, comm.rank() == 0, kSeconds, [&] {
    const BlockCosts blocks = block_costs();
    host.copy_seconds_per_byte = copy_seconds_per_byte();
    host.copy_seconds_per_block = blocks.copied;
    host.typed_seconds_per_block = blocks.typed;
    host.switch_seconds = switch_seconds();
  });
  std::optional<support::SharedObject<SharedLine>> line;
  if (pair != nullptr && pair->ranks() > 1 && host.cores > 1) line.emplace(*pair);
  measure_alone(comm, line.has_value(), kArrivalSeconds,
                [&] { host.arrival_seconds = arrival_seconds((*line)->flag, pair->rank()); });
  support::broadcast(comm, host);
  return host;
}

}  // namespace rondo::bench
