#include "engines/bruck/fused_rounds.hpp"

#include <limits>

#include "engines/bruck/fused_message.hpp"
#include "engines/bruck/transit.hpp"

namespace rondo::engines {

namespace {

using schedule::Round;
using Rounds = std::span<const Round>;

FusedFrame frame_of(const Round& round) {
  return FusedFrame(round.blocks.size());
}

class Fused {
 public:
  Fused(Call& call, Transit& transit, const Status& status)
      : call_(call), context_(call.context), transit_(transit), arriving_(call), status_(status) {}

  Status run() {
    post_first_receives();
    transit_.schedule().for_each_batch(
        call_.choice.value(registry::Key::ports, transit_.names()), [&](Rounds rounds) {
          send(rounds);
          const std::size_t begin = static_cast<std::size_t>(rounds.data() - first_round());
          context_.early.wait_for_receives(begin, rounds.size());
          receive_detached(rounds);
          context_.messages.wait();
          unpack(rounds);
          for (const Round& round : rounds) first_messages_ += frame_of(round).capacity();
        });
    context_.early.wait();
    return status_;
  }

 private:
  int first_tag() const { return context_.tag(0); }
  int data_tag() const { return context_.tag(1); }
  const Round* first_round() const { return transit_.schedule().rounds().data(); }

  void post_first_receives() {
    std::size_t total = 0;
    for (const Round& round : transit_.schedule().rounds()) total += frame_of(round).capacity();
    first_messages_ = context_.scratch.bytes(Scratch::kIncoming, total);
    transit_.travel().receive(context_.early, transit_.schedule().rounds(), first_messages_,
                              first_tag(),
                              [](const Round& round) { return frame_of(round).capacity(); });
  }

  /// A plan that knows the sizes does not send them, unless the sender knows of a failure: a failed
  /// rank or node may send other lengths. A rank that passes on such a block has learned of the
  /// failure from the message that brought the block. So no message without sizes contains such a
  /// block.
  FusedHeader header_of(const Round& round) const {
    FusedHeader header;
    header.set_status(status_);
    bool is_wide = false;
    round.blocks.for_each([&](int name) {
      const std::size_t bytes = transit_.held(name).bytes;
      header.data_bytes += transit_.travelling(bytes);
      is_wide = is_wide || bytes > std::numeric_limits<std::uint32_t>::max();
    });
    header.size_bytes = is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    if (call_.sizes_known() && !status_.has_failure()) header.size_bytes = 0;
    return header;
  }

  void send(Rounds rounds) {
    std::size_t bytes = 0;
    for (const Round& round : rounds) {
      const FusedHeader header = header_of(round);
      // Each message takes a multiple of 8 bytes, so that the sizes of the next one are aligned.
      bytes += round_up(sizeof header + frame_of(round).sizes_bytes(header) + header.data_bytes, 8);
    }
    std::byte* out = context_.scratch.bytes(Scratch::kOutgoing, bytes);
    for (const Round& round : rounds) out = send(round, out);
  }

  std::byte* send(const Round& round, std::byte* const out) {
    const FusedHeader header = header_of(round);
    const int destination = transit_.travel().destination(round.hop);
    std::memcpy(out, &header, sizeof header);
    std::byte* const sizes = out + sizeof header;
    if (header.size_bytes == sizeof(std::uint32_t))
      transit_.pack_sizes(round, reinterpret_cast<std::uint32_t*>(sizes));
    else if (header.size_bytes == sizeof(std::uint64_t))
      transit_.pack_sizes(round, reinterpret_cast<std::uint64_t*>(sizes));
    std::byte* const data = sizes + frame_of(round).sizes_bytes(header);
    std::byte* const end = transit_.pack(round, data);
    transit_.release(round);
    context_.messages.send(out, frame_of(round).bytes(header), destination, first_tag());
    if (frame_of(round).is_detached(header))
      context_.messages.send(data, header.data_bytes, destination, data_tag());
    return out + round_up(static_cast<std::size_t>(end - out), 8);
  }

  /// Posts receives for the second messages of a batch, behind the blocks in transit that came in
  /// earlier second messages. Those blocks are copied, since the two buffers alternate.
  void receive_detached(Rounds rounds) {
    detached_ = nullptr;
    std::size_t arriving = 0;
    for_each_message(rounds, [&](const Round& round, const std::byte*, const FusedHeader& header) {
      if (frame_of(round).is_detached(header)) arriving += header.data_bytes;
    });
    if (arriving == 0) return;
    const std::size_t staying = bytes_in_transit();
    store_in_first_ = !store_in_first_;
    std::byte* const store = context_.scratch.bytes(
        store_in_first_ ? Scratch::kWork : Scratch::kWorkOther, staying + arriving);
    detached_ = copy_in_transit(store);
    std::byte* at = detached_;
    for_each_message(rounds, [&](const Round& round, const std::byte*, const FusedHeader& header) {
      if (!frame_of(round).is_detached(header)) return;
      context_.messages.receive(at, header.data_bytes, transit_.travel().source(round.hop),
                                data_tag());
      at += header.data_bytes;
    });
    store_ = {store, static_cast<std::size_t>(at - store)};
  }

  bool is_in_store(const ConstBlock& block) const {
    return block.data >= store_.data && block.data < store_.data + store_.bytes;
  }

  std::size_t bytes_in_transit() const {
    std::size_t bytes = 0;
    for (int name = 1; name < transit_.names(); ++name)
      if (is_in_store(transit_.held(name))) bytes += transit_.held(name).bytes;
    return bytes;
  }

  /// Copies the blocks in transit from the store to `to`. Returns the end.
  std::byte* copy_in_transit(std::byte* to) {
    for (int name = 1; name < transit_.names(); ++name) {
      const ConstBlock block = transit_.held(name);
      if (!is_in_store(block)) continue;
      copy_bytes(to, block.data, block.bytes);
      transit_.hold(name, {to, block.bytes});
      to += block.bytes;
    }
    return to;
  }

  void unpack(Rounds rounds) {
    const std::byte* detached = detached_;
    for_each_message(rounds, [&](const Round& round, const std::byte* message,
                                 const FusedHeader& header) {
      const bool is_detached = frame_of(round).is_detached(header);
      const std::byte* data =
          is_detached ? detached : message + sizeof header + frame_of(round).sizes_bytes(header);
      if (is_detached) detached += header.data_bytes;
      status_.merge(header.status());
      arriving_.next_round(
          round, header.size_bytes != 0,
          [&](std::size_t index) { return read_size(message, header, index); },
          [&](int name, std::size_t bytes) {
            const std::size_t travelled = transit_.travelling(bytes);
            const ConstBlock block{travelled == bytes ? data : nullptr, bytes};
            if (round.is_last_hop(name))
              transit_.take(name, block);
            else
              transit_.hold(name, block);
            data += travelled;
          });
    });
  }

  /// Visits the first messages of a batch that has arrived.
  template <class Visit>
  void for_each_message(Rounds rounds, Visit&& visit) const {
    const std::byte* message = first_messages_;
    for (const Round& round : rounds) {
      visit(round, message, read_header(message));
      message += frame_of(round).capacity();
    }
  }

  Call& call_;
  Context& context_;
  Transit& transit_;
  ArrivingLengths arriving_;
  Status status_;                        ///< received so far, and passed on by this rank
  std::byte* first_messages_ = nullptr;  ///< of this batch
  std::byte* detached_ = nullptr;        ///< where the second messages of this batch begin
  ConstBlock store_;                     ///< second messages with blocks in transit
  bool store_in_first_ = false;
};

}  // namespace

Status exchange_fused(Call& call, Transit& transit, const Status& status) {
  return Fused(call, transit, status).run();
}

}  // namespace rondo::engines
