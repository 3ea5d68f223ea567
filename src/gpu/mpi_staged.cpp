// mpi_staged
//
// Idea:     copy to the host, exchange there by any algorithm, copy back. Blocks of equal length
//           are cut into slices. While one slice is exchanged, the next ones come from the device
//           and earlier ones return to it.
// Source:   HPC Asia 2024, section 4.2; its code copies one block of P, this code copies all.
// Rounds:   those of the inner algorithm, for every slice.
// Sent:     as the inner algorithm.
// Scratch:  2 P S of pinned host memory.
// Cost:     the inner algorithm and two copies over the bus.
// Limits:   the call waits for its stream, so it cannot be captured. Blocks of different length are
//           exchanged in one slice, since the number of slices must not depend on what only one
//           rank knows.

#include <algorithm>
#include <vector>

#include "gpu/exchange.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

/// Short enough for several slices in flight, long enough for the bus and the network.
constexpr std::size_t kSliceBytes = std::size_t{1} << 22;

class Staged final : public Exchange {
 public:
  explicit Staged(const Setup& setup)
      : ranks_(static_cast<std::size_t>(setup.ranks)),
        algorithm_(registry::algorithms()[static_cast<std::size_t>(
            setup.choice.value(registry::Key::inner, 0))]),
        host_(checked_host(setup.host)),
        send_(pinned_memory(setup.bytes_of(ranks_))),
        receive_(pinned_memory(setup.bytes_of(ranks_))),
        back_(make_stream()) {}

  bool is_capturable() const override { return false; }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    refuse_capture(stream);
    blocks.is_uniform() ? run_in_slices(blocks, stream) : run_whole(blocks, stream);
  }

 private:
  void run_in_slices(const Blocks& blocks, cudaStream_t stream) {
    const std::size_t slice = slice_bytes(blocks.uniform_bytes);
    const std::size_t slices = slice == 0 ? 0 : (blocks.uniform_bytes + slice - 1) / slice;
    while (arrived_.size() < slices) arrived_.push_back(make_event());
    for (std::size_t at = 0; at < slices; ++at) {
      copy_slice(part_of(blocks, slice, at), stream);
      check(cudaEventRecord(arrived_[at].get(), stream), "cudaEventRecord");
    }
    for (std::size_t at = 0; at < slices; ++at) {
      const Part part = part_of(blocks, slice, at);
      check(cudaEventSynchronize(arrived_[at].get()), "cudaEventSynchronize");
      exchange(part);
      return_slice(part);
    }
    wait_for(back_.get());
  }

  void run_whole(const Blocks& blocks, cudaStream_t stream) {
    lay_out(blocks);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const ConstBlock block = blocks.to(static_cast<int>(rank));
      copy_async(send_.get() + sent_.offsets[rank], block.data, block.bytes, stream,
                 cudaMemcpyDeviceToHost);
    }
    wait_for(stream);
    exchange(send_.get(), receive_.get());
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const Block block = blocks.from(static_cast<int>(rank));
      copy_async(block.data, receive_.get() + received_.offsets[rank], block.bytes, stream,
                 cudaMemcpyHostToDevice);
    }
    wait_for(stream);
  }

  /// The bytes [begin, begin + bytes) of every block. In host memory they have no gaps between
  /// them.
  struct Part {
    const Blocks& blocks;
    std::size_t begin;
    std::size_t bytes;
  };

  /// One side in host memory, by rank.
  struct Lengths {
    std::vector<std::size_t> bytes;
    std::vector<std::size_t> offsets;

    void clear() {
      bytes.clear();
      offsets.clear();
    }
    /// Puts a block behind those before it.
    void add(std::size_t block_bytes) {
      offsets.push_back(offsets.empty() ? 0 : offsets.back() + bytes.back());
      bytes.push_back(block_bytes);
    }
  };

  static Rondo_nccl_host checked_host(const Rondo_nccl_host* host) {
    if (host == nullptr || host->alltoall == nullptr || host->alltoallv == nullptr)
      throw Failure(ncclInvalidArgument,
                    "mpi_staged needs the functions of Rondo_nccl_host: see rondo_nccl_mpi.h");
    return *host;
  }

  static void refuse_capture(cudaStream_t stream) {
    if (is_captured(stream))
      throw Failure(
          ncclInvalidUsage,
          "mpi_staged waits for its stream and cannot be captured; use another algorithm");
  }

  static void check_host(int code) {
    if (code != 0)
      throw Failure(ncclRemoteError,
                    text("mpi_staged: the exchange between the hosts failed with code ", code));
  }

  std::size_t slice_bytes(std::size_t block_bytes) const {
    const std::size_t whole = std::max<std::size_t>(kSliceBytes / ranks_ / 16 * 16, 16);
    return std::min(whole, block_bytes);
  }
  static Part part_of(const Blocks& blocks, std::size_t slice, std::size_t at) {
    const std::size_t begin = at * slice;
    return {blocks, begin, std::min(slice, blocks.uniform_bytes - begin)};
  }

  void copy_slice(const Part& part, cudaStream_t stream) {
    check(cudaMemcpy2DAsync(send_.get() + part.begin * ranks_, part.bytes,
                            part.blocks.send + part.begin, part.blocks.uniform_bytes, part.bytes,
                            ranks_, cudaMemcpyDeviceToHost, stream),
          "cudaMemcpy2DAsync");
  }
  void return_slice(const Part& part) {
    check(cudaMemcpy2DAsync(part.blocks.receive + part.begin, part.blocks.uniform_bytes,
                            receive_.get() + part.begin * ranks_, part.bytes, part.bytes, ranks_,
                            cudaMemcpyHostToDevice, back_.get()),
          "cudaMemcpy2DAsync");
  }

  void exchange(const Part& part) {
    const std::byte* const send = send_.get() + part.begin * ranks_;
    std::byte* const receive = receive_.get() + part.begin * ranks_;
    if (algorithm_.collective == registry::Collective::alltoall)
      return check_host(
          host_.alltoall(host_.state, algorithm_.name.data(), send, receive, part.bytes));
    lay_out({.uniform_bytes = part.bytes});
    exchange(send, receive);
  }

  void exchange(const std::byte* send, std::byte* receive) {
    check_host(host_.alltoallv(host_.state, algorithm_.name.data(), send, sent_.bytes.data(),
                               sent_.offsets.data(), receive, received_.bytes.data(),
                               received_.offsets.data()));
  }

  /// Lays out the blocks one after another.
  void lay_out(const Blocks& blocks) {
    if (registry::find(registry::Collective::alltoallv, algorithm_.name) == nullptr)
      throw Failure(ncclInvalidUsage,
                    text("mpi_staged: inner=", algorithm_.name,
                         " supports only blocks of equal length; use another algorithm"));
    sent_.clear();
    received_.clear();
    for (int rank = 0; rank < static_cast<int>(ranks_); ++rank) {
      sent_.add(blocks.to(rank).bytes);
      received_.add(blocks.from(rank).bytes);
    }
  }

  std::size_t ranks_;
  const registry::Algorithm& algorithm_;
  Rondo_nccl_host host_;
  PinnedMemory send_;
  PinnedMemory receive_;
  Stream back_;
  std::vector<Event> arrived_;
  Lengths sent_;
  Lengths received_;
};

}  // namespace

std::unique_ptr<Exchange> make_mpi_staged(const Setup& setup) {
  return std::make_unique<Staged>(setup);
}

}  // namespace rondo::gpu
