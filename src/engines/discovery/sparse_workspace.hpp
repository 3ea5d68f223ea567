// What sparse exchanges keep from call to call on one communicator.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/blocks.hpp"
#include "base/status.hpp"

namespace rondo::engines {

/// A block that a rank sends in a sparse exchange, and its destination.
struct Destination {
  int rank;
  ConstBlock block;
};

/// A rank from which a block comes in a sparse exchange, and the length of the block.
struct Source {
  int rank;
  std::uint64_t bytes;
};

/// What the rounds of a consensus send and receive.
struct ConsensusWorkspace {
  static constexpr std::size_t kMostRounds = 32;

  std::array<Status, kMostRounds> sent;
  std::array<Status, kMostRounds> received;
  std::array<MPI_Request, kMostRounds> sends;
  std::array<MPI_Request, kMostRounds> receives;
  int rounds = 0;  ///< with requests
};

/// One-sided counters: for each parity, how many messages were announced to this rank.
class Counters {
 public:
  /// Collective. Makes the counters, which are 0.
  explicit Counters(MPI_Comm comm);

  /// Begins the use of the counters, when all ranks have made them.
  void open();

  /// Collective. Must be called before `comm` is freed.
  void close();

  /// Begins an exchange, which uses the counters of the other parity.
  void begin() { ++exchanges_; }

  /// Adds one to the counter of `rank`.
  void count(int rank);

  /// Waits until everything that this rank has counted is in the counters.
  void flush();

  /// Returns how many have counted at this rank since its last exchange of this parity.
  std::int64_t counted();

 private:
  static constexpr std::size_t kParities = 2;

  std::size_t parity() const { return exchanges_ % kParities; }

  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0;
  std::uint64_t exchanges_ = 0;
  std::array<std::int64_t, kParities> known_{};
};

struct SparseWorkspace {
  /// A short block that has arrived, in `data`.
  struct Arrival {
    int rank;
    std::size_t offset;
    std::uint64_t bytes;
  };

  std::vector<Destination> destinations;
  std::vector<Source> sources;
  std::vector<Arrival> arrivals;
  std::vector<std::byte> data;
  std::vector<MPI_Request> sends;
  std::vector<ConstBlock> sent_by_rank;  ///< of a dense exchange; all empty between exchanges
  std::vector<Block> received_by_rank;   ///< of a dense exchange
  ConsensusWorkspace consensus;

  /// Of `rma`. In place, because a rank without memory for it would leave the others in MPI_Win_allocate.
  std::optional<Counters> counters;

  /// Of the window of the counters: the same on all ranks, and no other window has it. 0 without one.
  std::uint64_t window_number = 0;

  /// Makes `sources` those of the blocks of these lengths, by rank, that are not empty.
  void list_sources(std::span<const std::uint64_t> lengths);

  /// Collective. Throws on all ranks if the MPI library cannot make the window of the counters.
  void make_counters(MPI_Comm comm);

  /// Collective. Frees the window, if there is one.
  void close();

  /// Gives up what is in flight, after an error. The communicator must not be used again.
  void abandon();
};

}  // namespace rondo::engines
