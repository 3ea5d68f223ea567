// direct
//
// Idea:     one kernel stores every block into memory that its rank lends, and copies out what
//           others have stored here; short blocks bring their flags with them, 8 bytes of data to a
//           line of 16.
// Source:   Rondo; lines with flags as in NCCL's protocol LL.
// Rounds:   one.
// Sent:     own bytes once; a short block twice over, for its flags.
// Scratch:  2 P (S + 2.2 KiB) that all ranks map.
// Cost:     one kernel: one way to the farthest rank, one copy out.
// Limits:   ranks that reach each other's memory (one process a GPU, or threads), at most 96. Long
//           blocks go through the lent memory: they are copied once more than NCCL's.

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
    auto lacking = failure_in([&] { prepare(blocks); });
    peers_ = make_peers({.comm = setup.comm,
                         .rank = setup.rank,
                         .ranks = setup.ranks,
                         .bytes = call_.region.bytes(),
                         .lacking = std::move(lacking)},
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
    const Trouble& trouble = *call_.trouble;
    switch (__atomic_load_n(&trouble.kind, __ATOMIC_ACQUIRE)) {
      case Trouble::none:
        return;
      case Trouble::late:
        throw Failure(ncclRemoteError, text("direct: rank ", trouble.rank, " did not come within ",
                                            seconds_, " seconds"));
      case Trouble::different:
        throw Failure(ncclInvalidArgument,
                      text("direct: rank ", trouble.rank, " sends ", trouble.sent, " bytes, but ",
                           trouble.expected, " are expected of it"));
      default:
        throw Failure(ncclInvalidArgument,
                      text("direct: ", trouble.sent, " bytes go to rank ", trouble.rank,
                           ", but the plan was made for blocks of ", trouble.expected));
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
      throw Failure(ncclInvalidUsage, text("direct is for up to ", kMostDirectRanks, " ranks, not ",
                                           ranks, "; use nccl_bruck or nccl_grouped"));
    return ranks;
  }

  /// What may fail on this rank alone, before the ranks agree to go on.
  void prepare(int blocks) {
    check_thread_blocks(blocks);
    state_ = device_memory(sizeof(DirectState));
    trouble_ = pinned_memory(sizeof(Trouble));
    gatherer_.clear(state_.get(), sizeof(DirectState));
    call_.state = reinterpret_cast<DirectState*>(state_.get());
    call_.trouble = new (trouble_.get()) Trouble{};
  }

  /// All thread blocks must run at the same time, since they wait for each other's ranks.
  static void check_thread_blocks(int blocks) {
    const int most = most_thread_blocks();
    if (blocks <= most) return;
    throw Failure(ncclInvalidUsage,
                  text("direct: blocks=", blocks, " is more than the ", most,
                       " thread blocks that this GPU runs at once; use nccl_grouped or "
                       "nccl_bruck"));
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
  PinnedMemory trouble_;
  std::unique_ptr<Peers> peers_;
  DirectCall call_{};
};

}  // namespace

std::unique_ptr<Exchange> make_direct(const Setup& setup) {
  return std::make_unique<Direct>(setup);
}

}  // namespace rondo::gpu
