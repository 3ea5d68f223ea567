// sloav
//
// Idea:     for comparison. Every round packs the sizes and the blocks into one combined buffer,
//           and sends first the length of that buffer, then the buffer. What arrives is unpacked
//           into a temporary buffer, which is reached through an array of pointers and an array of
//           sizes. At the end everything is rotated and scanned from there into the receive buffer.
// Source:   Xu et al., CCGrid 2013, as HPDC 2022, section 6.1 describes it.
// Rounds:   K = ceil(log2 P), each with two messages.
// Sent:     the bytes of D blocks, 8 D bytes of sizes and 8 K bytes of lengths.
// Scratch:  two temporary buffers, each at most twice what arrives over all rounds; a combined
//           buffer in each direction; 24 P of table.
// Cost:     2 K alpha + (blocks + 8 D) beta + two copies a hop, at most one more for resizing, and
//           one of each block at the end.
// Limits:   none.

#include <cstdint>

#include "engines/bruck/transit.hpp"
#include "engines/engines.hpp"

namespace rondo::engines {

namespace {

using Size = std::uint64_t;

class Sloav {
 public:
  Sloav(Call& call, const Blocks& blocks)
      : call_(call),
        context_(call.context),
        transit_(call, blocks, Travel(call), {.mismatch = &mismatch_}),
        arriving_(call),
        stored_(context_.scratch.array<std::size_t>(Scratch::kSizes,
                                                    static_cast<std::size_t>(context_.ranks))) {}

  void run() {
    for (const schedule::Round& round : transit_.schedule().rounds()) {
      const std::size_t length = exchange_lengths(round, pack(round));
      exchange_buffers(round, length);
      unpack(round, length);
    }
    scan();
    call_.mismatch = mismatch_.error(context_.rank);
  }

 private:
  /// Builds the combined buffer. Returns its length.
  std::size_t pack(const schedule::Round& round) {
    const std::size_t sizes_bytes =
        call_.sizes_known() ? 0 : static_cast<std::size_t>(round.blocks.size()) * sizeof(Size);
    const std::size_t bytes = sizes_bytes + transit_.leaving_bytes(round);
    std::byte* out = context_.scratch.bytes(Scratch::kOutgoing, bytes);
    if (sizes_bytes != 0) transit_.pack_sizes(round, reinterpret_cast<Size*>(out));
    transit_.pack(round, out + sizes_bytes);
    return bytes;
  }

  /// Returns the length of the combined buffer that arrives.
  std::size_t exchange_lengths(const schedule::Round& round, std::size_t leaving) {
    const int tag = context_.tag(0);
    leaving_ = leaving;
    if (call_.sizes_known()) return arriving_.known_bytes(round);
    Size out = leaving;
    Size in = 0;
    context_.messages.receive(reinterpret_cast<std::byte*>(&in), sizeof in,
                              transit_.travel().source(round.hop), tag);
    context_.messages.send(reinterpret_cast<const std::byte*>(&out), sizeof out,
                           transit_.travel().destination(round.hop), tag);
    context_.messages.wait();
    return in;
  }

  void exchange_buffers(const schedule::Round& round, std::size_t length) {
    const int tag = context_.tag(1);
    std::byte* const in = context_.scratch.bytes(Scratch::kIncoming, length);
    context_.messages.receive(in, length, transit_.travel().source(round.hop), tag);
    context_.messages.send(context_.scratch.bytes(Scratch::kOutgoing, 0), leaving_,
                           transit_.travel().destination(round.hop), tag);
    context_.messages.wait();
  }

  /// Separates sizes from data. The data goes to the end of the temporary buffer.
  void unpack(const schedule::Round& round, std::size_t length) {
    const std::byte* in = context_.scratch.bytes(Scratch::kIncoming, 0);
    const auto* sizes = reinterpret_cast<const Size*>(in);
    if (!call_.sizes_known()) in += static_cast<std::size_t>(round.blocks.size()) * sizeof(Size);
    grow(length);
    arriving_.next_round(
        round, !call_.sizes_known(),
        [&](std::size_t index) { return static_cast<std::size_t>(sizes[index]); },
        [&](int name, std::size_t bytes) {
          copy_bytes(temporary_ + used_, in, bytes);
          in += bytes;
          stored_[static_cast<std::size_t>(name)] = used_;
          transit_.hold(name, {temporary_ + used_, bytes});
          used_ += bytes;
        });
  }

  /// Resizes the temporary buffer so that `more` bytes fit, and moves its contents.
  void grow(std::size_t more) {
    if (used_ + more <= capacity_) return;
    const std::size_t capacity = 2 * (used_ + more);
    in_first_ = !in_first_;
    std::byte* const larger =
        context_.scratch.bytes(in_first_ ? Scratch::kWork : Scratch::kWorkOther, capacity);
    copy_bytes(larger, temporary_, used_);
    for (int name = 1; name < context_.ranks; ++name) {
      const ConstBlock block = transit_.held(name);
      const bool is_stored = block.data >= temporary_ && block.data < temporary_ + used_;
      if (is_stored)
        transit_.hold(name, {larger + stored_[static_cast<std::size_t>(name)], block.bytes});
    }
    temporary_ = larger;
    capacity_ = capacity;
  }

  /// The final rotation and scan: copies every block to the place of its source in the receive
  /// buffer.
  void scan() {
    for (int name = 1; name < context_.ranks; ++name) transit_.deliver(name, transit_.held(name));
  }

  Call& call_;
  Context& context_;
  Mismatch mismatch_;
  Transit transit_;
  ArrivingLengths arriving_;
  std::span<std::size_t> stored_;  ///< offset in the temporary buffer, by name
  std::byte* temporary_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::size_t leaving_ = 0;
  bool in_first_ = false;
};

}  // namespace

void sloav(Call& call, const Blocks& blocks) {
  Sloav(call, blocks).run();
}

}  // namespace rondo::engines
