// Bruck over NCCL as published: one copy for each block before the rounds, in every round and, if
// blocks travel upward, after them; one group for each round.
//
// nccl_basic_bruck
//   Idea:     rotate the blocks; in round k send the blocks whose bit k is set 2^k ranks up; rotate
//             back.
//   Source:   HPC Asia 2024, Algorithm 2, with the errors in its pseudo-code corrected.
//   Scratch:  3 P S.
//   Cost:     2 P + 2 D copies and K groups, each of them a launch, as published.
// nccl_modified_bruck
//   Idea:     blocks travel down and stay where they must end, so no final rotation is needed.
//   Source:   HPC Asia 2024, section 2.2, after Traff et al. 2014.
//   Scratch:  2 P S; blocks lie in the receive buffer.
//   Cost:     P + 2 D copies and K groups, each of them a launch, as published.
//
// Rounds:   K = ceil(log2 P), one after another.
// Sent:     D S bytes, D <= (P/2) log2 P.
// Limits:   blocks of equal length.

#include "gpu/exchange.hpp"
#include "gpu/failure.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

using registry::Direction;

/// Between rounds, blocks that travel upward lie by name in a separate buffer and are rotated back at
/// the end. Blocks that travel downward lie in the receive buffer, where they must end.
class PublishedBruck final : public Exchange {
 public:
  explicit PublishedBruck(const Setup& setup)
      : comm_(setup.comm),
        rank_(setup.rank),
        direction_(setup.choice.algorithm->handling.direction),
        schedule_(setup.schedule()),
        rotated_(device_memory(direction_ == Direction::upward ? setup.bytes_of(ranks()) : 0)),
        outgoing_(device_memory(setup.bytes_of(ranks()))),
        incoming_(device_memory(setup.bytes_of(ranks()))) {}

  bool is_uniform_only() const override { return true; }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    const schedule::Group& group = schedule_.group();
    const auto copy = [&](std::byte* to, const std::byte* from) {
      copy_async(to, from, blocks.uniform_bytes, stream);
    };
    for (int name = 0; name < group.ranks(); ++name)
      copy(place(blocks, name), blocks.to(destination(name)).data);
    for (const schedule::Round& round : schedule_.rounds()) {
      std::size_t packed = 0;
      round.blocks.for_each([&](int name) {
        copy(outgoing_.get() + packed++ * blocks.uniform_bytes, place(blocks, name));
      });
      const std::size_t bytes = packed * blocks.uniform_bytes;
      in_group([&] {
        send({outgoing_.get(), bytes}, destination(round.hop), comm_, stream);
        receive({incoming_.get(), bytes}, source(round.hop), comm_, stream);
      });
      std::size_t unpacked = 0;
      round.blocks.for_each([&](int name) {
        copy(place(blocks, name), incoming_.get() + unpacked++ * blocks.uniform_bytes);
      });
    }
    if (direction_ == Direction::upward)
      for (int name = 0; name < group.ranks(); ++name)
        copy(blocks.from(source(name)).data, place(blocks, name));
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(schedule_.ranks()); }

  /// The rank to which a name leads from here, and the rank from which it leads here.
  int destination(int name) const { return step(name, direction_ == Direction::upward); }
  int source(int name) const { return step(name, direction_ != Direction::upward); }
  int step(int name, bool up) const {
    const schedule::Group& group = schedule_.group();
    return up ? group.add(rank_, name) : group.subtract(rank_, name);
  }

  /// Where a block lies while it is here. Downward, a block from rank s to rank d has the name s -
  /// d, so its place (this rank + name) is s when it has arrived at d.
  std::byte* place(const Blocks& blocks, int name) const {
    if (direction_ == Direction::downward) return blocks.from(source(name)).data;
    return rotated_.get() + static_cast<std::size_t>(name) * blocks.uniform_bytes;
  }

  ncclComm_t comm_;
  int rank_;
  Direction direction_;
  schedule::Schedule schedule_;
  DeviceMemory rotated_;
  DeviceMemory outgoing_;
  DeviceMemory incoming_;
};

}  // namespace

std::unique_ptr<Exchange> make_published_bruck(const Setup& setup) {
  return std::make_unique<PublishedBruck>(setup);
}

}  // namespace rondo::gpu
