// Bruck over NCCL as it was published: a copy for every block, before the rounds, in every round and,
// upward, after them; a group for every round.
//
// nccl_basic_bruck
//   Idea:     rotate the blocks, send those whose bit k is set 2^k ranks up in round k, rotate back.
//   Source:   HPC Asia 2024, Algorithm 2, with the slips of its pseudo-code mended.
//   Scratch:  3 P S.
//   Cost:     2 P + 2 D copies and K groups, each of them a launch, as published.
// nccl_modified_bruck
//   Idea:     blocks travel down and lie where they must end, so that no final rotation is needed.
//   Source:   HPC Asia 2024, section 2.2, after Traff et al. 2014.
//   Scratch:  2 P S; blocks lie in the receive buffer.
//   Cost:     P + 2 D copies and K groups, each of them a launch, as published.
//
// Rounds:   K = ceil(log2 P), one after the other.
// Sent:     D S bytes, D <= (P/2) log2 P.
// Limits:   blocks of equal length.

#include "gpu/exchange.hpp"
#include "gpu/group.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

/// Which way blocks travel, and so where they lie meanwhile.
enum class Direction {
  upward,    ///< by name in a buffer of their own, rotated back in the end
  downward,  ///< in the receive buffer, where they must end
};

class PublishedBruck final : public Exchange {
 public:
  PublishedBruck(const Setup& setup, Direction direction)
      : comm_(setup.comm),
        rank_(setup.rank),
        direction_(direction),
        schedule_(setup.schedule()),
        kept_(device_memory(direction == Direction::upward ? setup.room(ranks()) : 0)),
        outgoing_(device_memory(setup.room(ranks()))),
        incoming_(device_memory(setup.room(ranks()))) {}

  bool is_uniform_only() const override { return true; }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    const schedule::Group& group = schedule_.group();
    const auto copy = [&](std::byte* to, const std::byte* from) {
      copy_async(to, from, blocks.uniform_bytes, stream);
    };
    for (int name = 0; name < group.ranks(); ++name)
      copy(kept(blocks, name), blocks.to(away(name)).data);
    for (const schedule::Round& round : schedule_.rounds()) {
      std::size_t packed = 0;
      round.blocks.for_each([&](int name) {
        copy(outgoing_.get() + packed++ * blocks.uniform_bytes, kept(blocks, name));
      });
      const std::size_t bytes = packed * blocks.uniform_bytes;
      in_group([&] {
        send({outgoing_.get(), bytes}, away(round.hop), comm_, stream);
        receive({incoming_.get(), bytes}, back(round.hop), comm_, stream);
      });
      std::size_t unpacked = 0;
      round.blocks.for_each([&](int name) {
        copy(kept(blocks, name), incoming_.get() + unpacked++ * blocks.uniform_bytes);
      });
    }
    if (direction_ == Direction::upward)
      for (int name = 0; name < group.ranks(); ++name)
        copy(blocks.from(back(name)).data, kept(blocks, name));
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(schedule_.ranks()); }

  /// The rank to which a name leads, and the one from which it leads here.
  int away(int name) const {
    return direction_ == Direction::upward ? schedule_.group().add(rank_, name)
                                           : schedule_.group().subtract(rank_, name);
  }
  int back(int name) const {
    return direction_ == Direction::upward ? schedule_.group().subtract(rank_, name)
                                           : schedule_.group().add(rank_, name);
  }

  /// Where a block lies while it is here. Downward: a block from rank s to rank d has the name s -
  /// d, so that the place (this rank + name) is s when it has come to d.
  std::byte* kept(const Blocks& blocks, int name) const {
    if (direction_ == Direction::downward) return blocks.from(back(name)).data;
    return kept_.get() + static_cast<std::size_t>(name) * blocks.uniform_bytes;
  }

  ncclComm_t comm_;
  int rank_;
  Direction direction_;
  schedule::Schedule schedule_;
  DeviceMemory kept_;
  DeviceMemory outgoing_;
  DeviceMemory incoming_;
};

}  // namespace

std::unique_ptr<Exchange> make_published_bruck(const Setup& setup) {
  const bool rotates_back = setup.choice.algorithm->handling.whole_copies == 2;
  return std::make_unique<PublishedBruck>(setup,
                                          rotates_back ? Direction::upward : Direction::downward);
}

}  // namespace rondo::gpu
