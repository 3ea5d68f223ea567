#include "mpi/agreement.hpp"

#include <algorithm>
#include <limits>

#include "mpi/error.hpp"
#include "mpi/messages.hpp"
#include "mpi/outstanding.hpp"

namespace rondo::mpi {

void send_and_receive(const TaggedComm& tagged_comm, int distance, const void* sent, void* received,
                      std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const int above = (tagged_comm.rank + distance) % tagged_comm.ranks;
  const int below = (tagged_comm.rank - distance + tagged_comm.ranks) % tagged_comm.ranks;
  MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  check(
      PMPI_Irecv(received, count, MPI_BYTE, below, tagged_comm.tag, tagged_comm.comm, &requests[0]),
      "MPI_Irecv");
  const int code =
      PMPI_Isend(sent, count, MPI_BYTE, above, tagged_comm.tag, tagged_comm.comm, &requests[1]);
  if (code != MPI_SUCCESS) {
    // The memory that is received is the caller's. Return codes no longer matter.
    PMPI_Cancel(&requests[0]);
    PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  check(code, "MPI_Isend");
  check(wait_for_all(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// Between the rotations the integers are by distance: those that still go to a rank so far above, and at the end
/// those from a rank so far below.
void exchange_integers(const TaggedComm& tagged_comm, std::span<std::uint64_t> integers,
                       std::span<std::uint64_t> workspace) {
  std::ranges::rotate(integers, integers.begin() + tagged_comm.rank);
  const auto for_each_with = [&](int bit, auto&& visit) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < integers.size(); ++i)
      if ((i & static_cast<std::size_t>(bit)) != 0) visit(integers[i], count++);
    return count;
  };
  for (int bit = 1; bit < tagged_comm.ranks; bit *= 2) {
    const std::size_t count =
        for_each_with(bit, [&](std::uint64_t& one, std::size_t at) { workspace[at] = one; });
    const auto arrived = workspace.subspan(count, count);
    send_and_receive(tagged_comm, bit, workspace.data(), arrived.data(), arrived.size_bytes());
    for_each_with(bit, [&](std::uint64_t& one, std::size_t at) { one = arrived[at]; });
  }
  std::ranges::reverse(integers);
  std::ranges::rotate(integers, integers.end() - 1 - tagged_comm.rank);
}

/// The parent of a rank is the rank without its lowest bit.
void broadcast(const TaggedComm& tagged_comm, std::byte* data, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const int lowest = tagged_comm.rank & -tagged_comm.rank;
  MPI_Request requests[std::numeric_limits<int>::digits];
  int sends = 0;
  if (tagged_comm.rank != 0) {
    check(PMPI_Irecv(data, count, MPI_BYTE, tagged_comm.rank - lowest, tagged_comm.tag,
                     tagged_comm.comm, &requests[0]),
          "MPI_Irecv");
    wait_for(requests[0]);
  }
  for (int bit = 1;
       tagged_comm.rank + bit < tagged_comm.ranks && (tagged_comm.rank == 0 || bit < lowest);
       bit *= 2)
    check(PMPI_Isend(data, count, MPI_BYTE, tagged_comm.rank + bit, tagged_comm.tag,
                     tagged_comm.comm, &requests[sends++]),
          "MPI_Isend");
  check(wait_for_all(sends, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

std::string text_of_rank_0(const TaggedComm& tagged_comm,
                           const std::function<std::string()>& write) {
  // Most texts are short enough for the first message.
  struct Head {
    std::uint64_t bytes;
    std::array<char, 1016> text;
  };
  std::string text;
  if (tagged_comm.rank == 0) text = write();
  Head head{.bytes = text.size(), .text = {}};
  text.copy(head.text.data(), head.text.size());
  broadcast(tagged_comm, reinterpret_cast<std::byte*>(&head), sizeof head);
  if (tagged_comm.rank != 0)
    text.assign(head.text.data(), std::min<std::size_t>(head.bytes, head.text.size()));
  if (head.bytes <= head.text.size()) return text;
  text.resize(head.bytes);
  broadcast(tagged_comm, reinterpret_cast<std::byte*>(text.data()), text.size());
  return text;
}

namespace {

struct FailedRank {
  int rank;
  int mpi_class;
};

/// Open MPI confuses its nonblocking collectives with those of an MPI_Comm_idup of the same communicator that
/// the program has pending (4.1). What is started goes on in those that wait, too: progress.hpp. SimGrid's
/// nonblocking ones send a message between every two ranks.
#if defined(OPEN_MPI) || defined(SMPI_H)
constexpr bool kWaitsInLibrary = true;
#else
constexpr bool kWaitsInLibrary = false;
#endif

/// Runs the collective that waits, or the one that begins and then waits for its request. `name` is the
/// function's, for errors.
template <class Waiting, class Beginning>
void run_library_collective(const char* name, Waiting&& waiting, Beginning&& beginning) {
  if (kWaitsInLibrary) {
    before_library_call();
    return check(waiting(), name);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(beginning(&request), name);
  wait_for(request);
}

}  // namespace

void fail_together(const TaggedComm& tagged_comm, const std::optional<Error>& failure) {
  constexpr int kNoRank = INT32_MAX;
  FailedRank first{kNoRank, 0};
  if (failure) first = {tagged_comm.rank, mpi_class_of(*failure)};
  first = least_of_all(tagged_comm, first, &FailedRank::rank);
  if (failure) throw Error(*failure);
  if (first.rank != kNoRank) throw failure_elsewhere(first.rank, first.mpi_class);
}

void broadcast_on(MPI_Comm comm, void* data, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  run_library_collective(
      kWaitsInLibrary ? "MPI_Bcast" : "MPI_Ibcast",
      [&] { return PMPI_Bcast(data, count, MPI_BYTE, 0, comm); },
      [&](MPI_Request* request) { return PMPI_Ibcast(data, count, MPI_BYTE, 0, comm, request); });
}

void reduce_on(MPI_Comm comm, void* values, int count, MPI_Datatype type, MPI_Op operation) {
  run_library_collective(
      kWaitsInLibrary ? "MPI_Allreduce" : "MPI_Iallreduce",
      [&] { return PMPI_Allreduce(MPI_IN_PLACE, values, count, type, operation, comm); },
      [&](MPI_Request* request) {
        return PMPI_Iallreduce(MPI_IN_PLACE, values, count, type, operation, comm, request);
      });
}

void gather_on(MPI_Comm comm, const void* own, void* all, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  run_library_collective(
      kWaitsInLibrary ? "MPI_Allgather" : "MPI_Iallgather",
      [&] { return PMPI_Allgather(own, count, MPI_BYTE, all, count, MPI_BYTE, comm); },
      [&](MPI_Request* request) {
        return PMPI_Iallgather(own, count, MPI_BYTE, all, count, MPI_BYTE, comm, request);
      });
}

void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure,
                      std::span<std::int64_t> numbers) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  // The lower the rank, the greater the number.
  constexpr int kRankBits = 32;
  constexpr std::int64_t kLast = INT32_MAX;
  numbers.front() = failure ? (kLast - rank) << kRankBits | mpi_class_of(*failure) : 0;
  reduce_on(comm, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX);
  if (failure) throw Error(*failure);
  if (numbers.front() != 0)
    throw failure_elsewhere(static_cast<int>(kLast - (numbers.front() >> kRankBits)),
                            static_cast<int>(numbers.front() & UINT32_MAX));
}

void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure) {
  std::array<std::int64_t, 1> numbers{};
  fail_together_on(comm, failure, numbers);
}

}  // namespace rondo::mpi
