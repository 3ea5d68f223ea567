#include "support/barrier.hpp"

#include <thread>

#include "support/cluster.hpp"

namespace rondo::support {

namespace {

/// A message that another rank waits for may still be in MPI's queues here, although the call that
/// sent it has returned.
void progress_mpi(MPI_Comm comm) {
  constexpr int kNoMessagesTag = 1;
  int is_there = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kNoMessagesTag, comm, &is_there, MPI_STATUS_IGNORE),
            "MPI_Iprobe");
}

void disseminate(const Communicator& comm) {
  constexpr int kTag = 0;
  const int rank = comm.rank();
  const int ranks = comm.ranks();
  for (long distance = 1; distance < ranks; distance *= 2) {
    const auto hop = static_cast<int>(distance);
    const int to = (rank + hop) % ranks;
    const int from = (rank - hop + ranks) % ranks;
    check_mpi(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, kTag, nullptr, 0, MPI_BYTE, from, kTag,
                           comm.get(), MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
  }
}

}  // namespace

Barrier::Barrier(const Communicator& comm)
    : node_(comm.of_node()),
      leaders_(comm.split(node_.rank() == 0 ? 0 : MPI_UNDEFINED)),
      shared_(node_),
      node_ranks_(static_cast<std::uint64_t>(node_.ranks())),
      shares_cores_(node_.ranks() > cores()) {}

/// Spins if every rank has a core, and yields the core between looks otherwise.
template <class IsThere>
void Barrier::wait_until(IsThere&& is_there) const {
  constexpr unsigned kPatientLooks = 2000;
  constexpr unsigned kYields = 16;  // as in src/segment/wait.hpp
  const unsigned looks_before_yield = shares_cores_ ? 1 : kPatientLooks;
  for (unsigned long looks = 1; !is_there(); ++looks) {
    if (looks % looks_before_yield != 0) continue;
    if (looks % (looks_before_yield * kYields) == 0) progress_mpi(node_.get());
    std::this_thread::yield();
  }
}

void Barrier::wait() {
  ++passed_;
  shared_->arrived.fetch_add(1);
  if (leaders_.get() != MPI_COMM_NULL)
    lead();
  else
    wait_until([&] { return shared_->released.load() >= passed_; });
  // The rank that releases the others must not start first.
  if (shares_cores_) return;
  while (Clock::now() < shared_->start) {
  }
}

void Barrier::lead() {
  const std::uint64_t all = passed_ * node_ranks_;
  wait_until([&] { return shared_->arrived.load() >= all; });
  disseminate(leaders_);
  constexpr std::chrono::microseconds kUntilAllKnow{1};
  shared_->start = Clock::now() + kUntilAllKnow;
  shared_->released.store(passed_);
}

}  // namespace rondo::support
