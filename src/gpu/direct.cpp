// direct
//
// Idea:     one kernel stores every block into memory that the destination lends, and copies out
//           what others have stored here. Short blocks travel with their flags, 8 bytes of data in
//           a line of 16.
// Source:   Rondo; lines with flags as in NCCL's protocol LL.
// Rounds:   one.
// Sent:     own bytes once; twice as many for short blocks, which travel with flags.
// Scratch:  2 P (S + 2.2 KiB) that all ranks map.
// Cost:     one kernel: the one-way latency to the farthest rank, one copy out.
// Limits:   at most 96 ranks, which must reach each other's memory (one process for each GPU, or
//           threads). Long blocks go through the lent memory, so they are copied once more than in
//           NCCL.

#include <algorithm>
#include <new>
#include <utility>

#include "gpu/exchange.hpp"
#include "gpu/gather.hpp"
#include "gpu/kernels.hpp"
#include "gpu/peers.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

constexpr double kTimeoutSeconds = 10;

class Direct final : public Exchange {
 public:
  explicit Direct(const Setup& setup)
      : ranks_(checked_ranks(setup.ranks)), gatherer_(setup.comm, setup.ranks) {
    const int blocks = setup.choice.value(registry::Key::thread_blocks, 1);
    call_.rank = setup.rank;
    call_.region = Region::of(setup.ranks, blocks, setup.block_bytes);
    call_.longest = setup.block_bytes;
    auto failure = failure_in([&] { prepare(blocks); });
    peers_ = make_peers({.comm = setup.comm,
                         .rank = setup.rank,
                         .ranks = setup.ranks,
                         .bytes = call_.region.bytes(),
                         .failure = std::move(failure)},
                        gatherer_);
    std::ranges::copy(peers_->bases(), call_.peers);
    set_timeout(kTimeoutSeconds);
  }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    check_device();
    call_.blocks = blocks;
    if (blocks.is_uniform() || blocks.on_device) return direct(call_, nullptr, stream);
    const LengthTable table = copied(blocks);
    direct(call_, &table, stream);
  }

  bool takes_device_counts() const override { return true; }

  void check_device() const override {
    const DeviceError& error = *call_.error;
    switch (__atomic_load_n(&error.kind, __ATOMIC_ACQUIRE)) {
      case DeviceError::none:
        return;
      case DeviceError::timeout:
        throw Failure(ncclRemoteError, text("direct: rank ", error.rank, " did not arrive within ",
                                            seconds_, " seconds"));
      case DeviceError::mismatch:
        throw Failure(ncclInvalidArgument, text("direct: rank ", error.rank, " sends ", error.sent,
                                                " bytes, but this rank expects ", error.expected));
      case DeviceError::too_many:
        throw Failure(ncclInvalidArgument,
                      text("direct: the blocks for the ranks up to ", error.rank, " have ",
                           error.sent, " rows, but the send buffer has ", error.expected));
      case DeviceError::no_room:
        throw Failure(
            ncclInvalidArgument,
            text("direct: the blocks from the ranks up to ", error.rank, " have ", error.sent,
                 " rows, but the receive buffer has room for ", error.expected));
      case DeviceError::refused:
        throw Failure(ncclRemoteError, text("direct: rank ", error.rank,
                                            " sends nothing: its counts exceed its send buffer"));
      case DeviceError::too_long_from:
        throw Failure(ncclInvalidArgument,
                      text("direct: the block from rank ", error.rank, " has ", error.sent,
                           " bytes, but the plan was made for at most ", error.expected));
      default:
        throw Failure(ncclInvalidArgument,
                      text("direct: the block for rank ", error.rank, " has ", error.sent,
                           " bytes, but the plan was made for at most ", error.expected));
    }
  }

  void set_timeout(double seconds) override {
    seconds_ = seconds;
    constexpr double kForever = 1e18;
    call_.timeout_nanoseconds = static_cast<std::uint64_t>(std::min(seconds * 1e9, kForever));
  }

 private:
  static int checked_ranks(int ranks) {
    if (ranks > kMostDirectRanks)
      throw Failure(ncclInvalidUsage,
                    text("direct supports at most ", kMostDirectRanks, " ranks, not ", ranks,
                         "; use nccl_bruck or nccl_grouped"));
    return ranks;
  }

  /// Does what may fail on this rank alone. The ranks agree on failures afterwards.
  void prepare(int blocks) {
    check_thread_blocks(blocks);
    state_ = device_memory(sizeof(DirectState));
    error_ = pinned_memory(sizeof(DeviceError));
    gatherer_.clear(state_.get(), sizeof(DirectState));
    call_.state = reinterpret_cast<DirectState*>(state_.get());
    call_.error = new (error_.get()) DeviceError{};
  }

  /// All thread blocks must run at the same time, since each waits for all ranks.
  static void check_thread_blocks(int blocks) {
    const int most = most_thread_blocks();
    if (blocks <= most) return;
    throw Failure(ncclInvalidUsage,
                  text("direct: blocks=", blocks, ", but this GPU runs only ", most,
                       " thread blocks at once; use nccl_grouped or nccl_bruck"));
  }

  LengthTable copied(const Blocks& blocks) const {
    const auto ranks = static_cast<std::size_t>(ranks_);
    LengthTable table{};
    std::copy_n(blocks.send_counts, ranks, table.send_counts);
    std::copy_n(blocks.send_displacements, ranks, table.send_displacements);
    std::copy_n(blocks.receive_counts, ranks, table.receive_counts);
    std::copy_n(blocks.receive_displacements, ranks, table.receive_displacements);
    return table;
  }

  int ranks_;
  double seconds_ = kTimeoutSeconds;
  Gatherer gatherer_;
  DeviceMemory state_;
  PinnedMemory error_;
  std::unique_ptr<Peers> peers_;
  DirectCall call_{};
};

}  // namespace

std::unique_ptr<Exchange> make_direct(const Setup& setup) {
  return std::make_unique<Direct>(setup);
}

}  // namespace rondo::gpu
