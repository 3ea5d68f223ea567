#include "barrier.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <thread>

#include "cluster.hpp"

namespace rondo::bench {

namespace {

using Clock = std::chrono::steady_clock;  // on Linux the same for all processes of a node

}  // namespace

/// The counts only grow, so nobody ever sets them back. They stand apart: who waits must not disturb who
/// counts.
struct Barrier::Shared {
  alignas(64) std::atomic<std::uint64_t> arrived{0};   ///< ranks, over all barriers
  alignas(64) std::atomic<std::uint64_t> released{0};  ///< barriers
  Clock::time_point start;                             ///< nobody passes the last one before
};

namespace {

/// What another rank waits for may still lie in MPI's queues here, though the call that sent it has
/// returned.
void keep_mpi_going(MPI_Comm comm) {
  constexpr int kNoMessagesTag = 1;
  int is_there = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kNoMessagesTag, comm, &is_there, MPI_STATUS_IGNORE),
            "MPI_Iprobe");
}

void disseminate(MPI_Comm comm) {
  constexpr int kTag = 0;
  int rank = 0;
  int ranks = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  for (long distance = 1; distance < ranks; distance *= 2) {
    const auto hop = static_cast<int>(distance);
    const int to = (rank + hop) % ranks;
    const int from = (rank - hop + ranks) % ranks;
    check_mpi(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, kTag, nullptr, 0, MPI_BYTE, from, kTag, comm,
                           MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
  }
}

}  // namespace

Barrier::Barrier(const Communicator& comm) {
  check_mpi(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_),
            "MPI_Comm_split_type");
  int node_ranks = 0;
  int local = 0;
  check_mpi(MPI_Comm_size(node_, &node_ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(node_, &local), "MPI_Comm_rank");
  node_ranks_ = static_cast<std::uint64_t>(node_ranks);
  shares_cores_ = node_ranks > cores();
  check_mpi(MPI_Comm_split(comm.get(), local == 0 ? 0 : MPI_UNDEFINED, 0, &leaders_),
            "MPI_Comm_split");

  // The first rank's memory is everybody's; the others bring none.
  void* memory = nullptr;
  const MPI_Aint own = local == 0 ? static_cast<MPI_Aint>(sizeof(Shared) + alignof(Shared)) : 0;
  check_mpi(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node_, &memory, &window_),
            "MPI_Win_allocate_shared");
  MPI_Aint bytes = 0;
  int unit = 0;
  check_mpi(MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory), "MPI_Win_shared_query");
  auto room = static_cast<std::size_t>(bytes);
  memory = std::align(alignof(Shared), sizeof(Shared), memory, room);
  shared_ = local == 0 ? new (memory) Shared : static_cast<Shared*>(memory);
  check_mpi(MPI_Barrier(node_), "MPI_Barrier");
}

Barrier::~Barrier() {
  // Freeing is collective, and a rank that fails alone unwinds without the others.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_free(&window_);
  if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
  MPI_Comm_free(&node_);
}

/// Look again and again where every rank has a core, else give others theirs between looks.
template <class IsThere>
void Barrier::wait_until(IsThere&& is_there) const {
  constexpr unsigned kPatientLooks = 2000;
  constexpr unsigned kYields = 16;  // as in src/node/wait.hpp
  const unsigned looks_before_yield = shares_cores_ ? 1 : kPatientLooks;
  for (unsigned long looks = 1; !is_there(); ++looks) {
    if (looks % looks_before_yield != 0) continue;
    if (looks % (looks_before_yield * kYields) == 0) keep_mpi_going(node_);
    std::this_thread::yield();
  }
}

void Barrier::wait() {
  ++passed_;
  shared_->arrived.fetch_add(1);
  if (leaders_ != MPI_COMM_NULL)
    lead();
  else
    wait_until([&] { return shared_->released.load() >= passed_; });
  // The one who lets go is not to be first.
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

}  // namespace rondo::bench
