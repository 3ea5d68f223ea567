// The kernel of `direct`, for any kind of thread: CUDA's, or the tests' own on the host.
#pragma once

#include "gpu/areas.hpp"
#include "gpu/direct_call.hpp"

namespace rondo::gpu {

/// One thread's part of one exchange. A Thread has
///   index(), count()   its number in its thread block, and how many threads that has
///   block()            the number of its thread block, below DirectCall::region.blocks
///   sync()             a barrier of its thread block
///   shared()           the SharedNumbers of its thread block
///   load, load_acquire, store_release, add   for words that other threads or ranks write
///   load_line, store_line                    for lines; each of the two words arrives whole
///   publish()          makes its earlier writes visible to other ranks before its later ones
///   nanoseconds(), pause()
template <class Thread>
class DirectBody {
 public:
  RONDO_DEVICE DirectBody(Thread& thread, const DirectCall& call, const Blocks& blocks)
      : thread_(thread),
        call_(call),
        blocks_(blocks),
        region_(call.region),
        ranks_(call.region.ranks),
        number_(thread.load(&call.state->number) + 1) {}

  RONDO_DEVICE void run() {
    if (!has_stopped()) {
      if (!blocks_.is_dynamic() || can_place_sent()) {
        push();
        pull();
      } else {
        refuse();
      }
    }
    thread_.sync();
    if (thread_.index() == 0) finish();
  }

 private:
  /// What thread 0 finds. All threads of a thread block must reach the same barriers.
  template <class Find>
  RONDO_DEVICE bool agreed(Find&& find) {
    if (thread_.index() == 0) thread_.shared().answer = find();
    thread_.sync();
    const bool answer = thread_.shared().answer;
    thread_.sync();
    return answer;
  }

  /// Whether an earlier exchange had an error. In the exchange that has it, every thread block still sends its part:
  /// other ranks wait for it.
  RONDO_DEVICE bool has_stopped() {
    return agreed([&] { return thread_.load(&call_.state->stopped) != 0; });
  }

  RONDO_DEVICE bool has_failed() {
    return agreed([&] { return thread_.load(&call_.state->failed) != 0; });
  }

  // Where blocks are if only their senders know how long they are.

  /// Places the blocks to send. Returns false if the buffer does not hold them.
  RONDO_DEVICE bool can_place_sent() {
    SharedNumbers& shared = thread_.shared();
    const bool fit = place(blocks_.send_counts, shared.send_displacements,
                           blocks_.arriving.sent_rows, DeviceError::too_many);
    blocks_.send_displacements = shared.send_displacements;
    blocks_.receive_counts = shared.receive_counts;
    blocks_.receive_displacements = shared.receive_displacements;
    return fit;
  }

  /// Places the blocks that have arrived, copies this rank's own, and tells the caller. Returns false
  /// if a block has not arrived or there is no room.
  RONDO_DEVICE bool can_place_arrived() {
    SharedNumbers& shared = thread_.shared();
    if (has_failed() || !place(shared.receive_counts, shared.receive_displacements,
                               blocks_.arriving.room, DeviceError::no_room))
      return false;
    copy_own(blocks_.to(call_.rank), blocks_.from(call_.rank));
    if (thread_.block() != 0) return true;
    for (int source = thread_.index(); source < ranks_; source += thread_.count()) {
      blocks_.arriving.counts[source] = shared.receive_counts[source];
      blocks_.arriving.displacements[source] = shared.receive_displacements[source];
    }
    return true;
  }

  /// Places blocks one after the other. Returns whether they fit.
  RONDO_DEVICE bool place(const std::size_t* counts, std::size_t* displacements, std::size_t rows,
                          DeviceError::Kind kind) {
    return agreed([&] {
      std::size_t at = 0;
      for (int peer = 0; peer < ranks_; at += counts[peer++]) {
        displacements[peer] = at;
        if (counts[peer] <= rows - at) continue;
        fail(kind, peer, at + counts[peer], rows);
        return false;
      }
      return true;
    });
  }

  // Sending.

  RONDO_DEVICE void push() {
    for (int offset = 0; offset < ranks_; ++offset) {
      const int peer = wrap(call_.rank + offset);
      const ConstBlock block = blocks_.to(peer);
      if (peer == call_.rank) {
        if (!blocks_.is_dynamic()) copy_own(block, blocks_.from(peer));
      } else {
        push_to(peer, offset, block);
      }
    }
    thread_.publish();
    thread_.sync();
    for (int peer = thread_.index(); peer < ranks_; peer += thread_.count())
      if (peer != call_.rank && is_long(blocks_.to(peer).bytes))
        thread_.store_release(flag(peer, call_.rank), number_);
  }

  /// Copies the block of this rank to itself.
  RONDO_DEVICE void copy_own(const ConstBlock& sent, const Block& expected) {
    if (sent.bytes == expected.bytes)
      copy_slice(expected.data, sent.data, sent.bytes);
    else
      fail(DeviceError::mismatch, call_.rank, sent.bytes, expected.bytes);
  }

  RONDO_DEVICE void push_to(int peer, int offset, const ConstBlock& block) {
    const bool fits = block.bytes <= call_.longest;
    if (!fits)
      fail(DeviceError::too_long, peer, block.bytes, call_.longest);
    else if (is_long(block.bytes))
      copy_slice(call_.peers[peer] + region_.slot(number_, call_.rank), block.data, block.bytes);
    if (offset % region_.blocks == thread_.block())
      push_lines(lines(peer, call_.rank), block, fits && !is_long(block.bytes));
  }

  /// Sends the length of a block, by which the other rank knows whether it may come, and the block
  /// itself if it travels in lines.
  RONDO_DEVICE void push_lines(Line* line, const ConstBlock& block, bool in_lines) {
    if (thread_.index() == 0) put(line, block.bytes);
    if (!in_lines) return;
    for (std::size_t at = position(); at < block.bytes; at += step())
      put(line + 1 + at / kLineDataBytes, gather(block.data + at, piece(block.bytes, at)));
  }

  /// Tells the other ranks that nothing comes, so that they do not wait.
  RONDO_DEVICE void refuse() {
    if (thread_.block() != 0) return;
    for (int peer = thread_.index(); peer < ranks_; peer += thread_.count())
      if (peer != call_.rank) put(lines(peer, call_.rank), kRefused);
  }

  // Receiving.

  RONDO_DEVICE void pull() {
    SharedNumbers& shared = thread_.shared();
    for (int source = thread_.index(); source < ranks_; source += thread_.count()) {
      shared.has_arrived[source] = source != call_.rank && has_arrived(source);
      if (source == call_.rank && blocks_.is_dynamic())
        shared.receive_counts[source] = blocks_.send_counts[source];
    }
    thread_.sync();
    if (blocks_.is_dynamic() && !can_place_arrived()) return;
    for (int offset = 1; offset < ranks_; ++offset) {
      const int source = wrap(call_.rank - offset + ranks_);
      if (!shared.has_arrived[source]) continue;
      const Block block = blocks_.from(source);
      const std::byte* const own = call_.peers[call_.rank];
      if (is_long(block.bytes))
        copy_slice(block.data, own + region_.slot(number_, source), block.bytes);
      else if (offset % region_.blocks == thread_.block())
        pull_lines(block, lines(call_.rank, source), source);
    }
  }

  /// Waits for the length of a block and, if it is long, for this thread block's slice of it. Every
  /// thread block must wait for every rank in every exchange: see Region.
  RONDO_DEVICE bool has_arrived(int source) {
    std::uint64_t sent = 0;
    if (!get(lines(call_.rank, source), source, sent)) return false;
    if (sent > call_.longest) {
      const auto kind = sent == kRefused ? DeviceError::refused : DeviceError::too_long_from;
      fail(kind, source, sent, call_.longest);
      return false;
    }
    const std::size_t row = blocks_.element_bytes;
    if (blocks_.is_dynamic()) thread_.shared().receive_counts[source] = sent / row;
    // Of a dynamic exchange: whole rows, in other words the other rank's rows are as long.
    const std::size_t expected =
        blocks_.is_dynamic() ? sent / row * row : blocks_.from(source).bytes;
    if (sent != expected) {
      fail(DeviceError::mismatch, source, sent, expected);
      return false;
    }
    if (!is_long(sent)) return true;
    return wait(source, [&] { return thread_.load_acquire(flag(call_.rank, source)) == number_; });
  }

  RONDO_DEVICE void pull_lines(const Block& block, const Line* line, int source) {
    for (std::size_t at = position(); at < block.bytes; at += step()) {
      std::uint64_t data = 0;
      if (!get(line + 1 + at / kLineDataBytes, source, data)) return;
      scatter(block.data + at, piece(block.bytes, at), data);
    }
  }

  // Lines.

  /// Never 0, because new memory holds zeros.
  RONDO_DEVICE std::uint64_t line_flag() const { return number_ % 0xffffffffU + 1; }

  RONDO_DEVICE void put(Line* line, std::uint64_t data) {
    const std::uint64_t flag = line_flag() << 32;
    thread_.store_line(line, {(data & 0xffffffffU) | flag, (data >> 32) | flag});
  }

  RONDO_DEVICE bool get(const Line* line, int source, std::uint64_t& data) {
    const std::uint64_t flag = line_flag();
    return wait(source, [&] {
      const Line seen = thread_.load_line(line);
      data = (seen.low & 0xffffffffU) | seen.high << 32;
      return seen.low >> 32 == flag && seen.high >> 32 == flag;
    });
  }

  RONDO_DEVICE static std::uint64_t gather(const std::byte* from, std::size_t bytes) {
    std::uint64_t data = 0;
    for (std::size_t i = 0; i < bytes; ++i) data |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    return data;
  }
  RONDO_DEVICE static void scatter(std::byte* to, std::size_t bytes, std::uint64_t data) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(data >> (8 * i) & 0xffU);
  }

  RONDO_DEVICE std::size_t position() const {
    return static_cast<std::size_t>(thread_.index()) * kLineDataBytes;
  }
  RONDO_DEVICE std::size_t step() const {
    return static_cast<std::size_t>(thread_.count()) * kLineDataBytes;
  }
  RONDO_DEVICE static std::size_t piece(std::size_t bytes, std::size_t at) {
    return bytes - at < kLineDataBytes ? bytes - at : kLineDataBytes;
  }

  // Waiting and errors.

  /// Waits until done() is true. Returns false if another thread of this rank fails or the time is
  /// up.
  template <class Done>
  RONDO_DEVICE bool wait(int source, Done&& done) {
    constexpr unsigned kLooks = 256;  // between two readings of the clock
    std::uint64_t start = 0;
    for (unsigned look = 1; !done(); ++look) {
      thread_.pause();
      if (look % kLooks != 0) continue;
      if (thread_.load(&call_.state->failed) != 0) return false;
      const std::uint64_t now = thread_.nanoseconds();
      if (start == 0) start = now;
      if (now - start <= call_.timeout_nanoseconds) continue;
      fail(DeviceError::timeout, source, 0, 0);
      return false;
    }
    return true;
  }

  /// Reports an error to the host, unless there was an earlier one.
  RONDO_DEVICE void fail(DeviceError::Kind kind, int rank, std::uint64_t sent,
                         std::uint64_t expected) {
    if (thread_.add(&call_.state->failed) != 0) return;
    call_.error->rank = rank;
    call_.error->sent = sent;
    call_.error->expected = expected;
    thread_.store_release(&call_.error->kind, static_cast<std::uint32_t>(kind));
  }

  /// The last thread block ends the exchange.
  RONDO_DEVICE void finish() {
    const auto blocks = static_cast<std::uint32_t>(region_.blocks);
    if (thread_.add(&call_.state->finished) + 1 != blocks) return;
    thread_.store_release(&call_.state->finished, std::uint32_t{0});
    thread_.store_release(&call_.state->stopped, thread_.load(&call_.state->failed));
    thread_.store_release(&call_.state->number, number_);
  }

  // Places.

  RONDO_DEVICE static bool is_long(std::size_t bytes) { return bytes > kLineBlockBytes; }
  RONDO_DEVICE int wrap(int rank) const { return rank >= ranks_ ? rank - ranks_ : rank; }

  /// Where, in the region of `owner`, `source` writes its lines and its flag for this thread block.
  RONDO_DEVICE Line* lines(int owner, int source) const {
    return reinterpret_cast<Line*>(call_.peers[owner] + region_.lines(number_, source));
  }
  RONDO_DEVICE std::uint64_t* flag(int owner, int source) const {
    return reinterpret_cast<std::uint64_t*>(call_.peers[owner] +
                                            region_.flag(number_, source, thread_.block()));
  }

  /// Copies this thread's part of this thread block's slice.
  RONDO_DEVICE void copy_slice(std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto blocks = static_cast<std::size_t>(region_.blocks);
    const std::size_t slice = ((bytes + blocks - 1) / blocks + 15) / 16 * 16;
    const std::size_t begin = slice * static_cast<std::size_t>(thread_.block());
    if (begin >= bytes) return;
    copy_part(to + begin, from + begin, bytes - begin < slice ? bytes - begin : slice,
              static_cast<std::size_t>(thread_.index()), static_cast<std::size_t>(thread_.count()));
  }

  Thread& thread_;
  const DirectCall& call_;
  Blocks blocks_;  ///< of dynamic exchanges: with arrays that the thread block shares
  const Region region_;
  const int ranks_;
  const std::uint64_t number_;
};

}  // namespace rondo::gpu
