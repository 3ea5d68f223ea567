/// rondo::Mailbox for C++20: small items from any rank to any rank, gathered and sent together.
/// Header-only.
///
///     rondo::Mailbox<Item> mailbox(comm, [&](int source, std::span<const Item> items) { ... });
///     for (...) mailbox.send(rank, item);
///     mailbox.finish();
///
/// A rank sends items one at a time, and the mailbox gathers them by destination. When there is no
/// more room for a destination, the ranks exchange everything, in one dynamic exchange. The handler
/// gets what has arrived, a batch from each source, and may send more. Items from one rank to one
/// rank arrive in the order in which they were sent. Rondo chooses the algorithm of the exchanges;
/// inside a node items go through its shared memory.
///
/// Exchanges are collective. A rank takes part in one when it calls exchange(), when it calls send()
/// and there is no room, and in finish(). So a rank that sends much waits there for ranks that are
/// still computing, and all ranks must call finish() in the end.
#ifndef RONDO_MAILBOX_HPP
#define RONDO_MAILBOX_HPP

#include <rondo/rondo.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

/// Items travel as bytes, so the ranks must represent them alike.
template <class T>
requires(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t)) class Mailbox {
 public:
  /// Called with the items that have come from one rank, in their order. They are valid during the
  /// call. It may call send(), but not exchange() or finish(), and no other collective on the
  /// communicator.
  using Handler = std::function<void(int source, std::span<const T> items)>;

  /// Items for one rank that are sent together, unless the constructor is told otherwise.
  static constexpr std::size_t kCapacity = std::max<std::size_t>(1, 8192 / sizeof(T));

  /// Local. The mailbox has room for `capacity` items for every rank, or for as many as together
  /// have less than 2 GiB. Ranks may have different capacities.
  Mailbox(MPI_Comm comm, Handler handler, std::size_t capacity = kCapacity)
      : comm_(comm),
        handler_(std::move(handler)),
        ranks_(detail::peers(comm)),
        capacity_(std::clamp<std::size_t>(capacity, 1, most_items(ranks_))),
        stride_(kHeaderBytes + capacity_ * sizeof(T)),
        outgoing_(std::make_unique_for_overwrite<std::byte[]>(ranks_ * stride_)),
        sizes_(ranks_, 0),
        overflow_(ranks_),
        send_counts_(ranks_),
        send_displs_(ranks_),
        recv_counts_(ranks_),
        recv_displs_(ranks_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      send_displs_[rank] = static_cast<int>(rank * stride_);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Sends an item to a rank, which may be this one. Exchanges if there is no room, except in the
  /// handler, where the item waits for the next exchange.
  void send(int rank, const T& item) {
    const auto to = static_cast<std::size_t>(rank);
    if (sizes_[to] == capacity_) [[unlikely]] {
      if (is_delivering_) return keep(to, item);
      while (sizes_[to] == capacity_) exchange();
    }
    std::memcpy(place(to, sizes_[to]++), &item, sizeof(T));
  }

  /// Collective. Exchanges what there is, and handles what arrives.
  void exchange() { run(true); }

  /// Collective. Exchanges until no rank has anything left, including what handlers send. All ranks
  /// return from it after the same exchange, and may then send again.
  void finish() {
    while (run(!is_empty())) continue;
  }

 private:
  /// What comes before the items of a block: whether its sender may send more.
  static constexpr std::size_t kHeaderBytes = std::max(sizeof(std::uint64_t), alignof(T));

  /// Items that did not fit while the handler ran.
  struct Overflow {
    std::vector<T> items;
    std::size_t taken = 0;
  };

  /// While one lives, the handler runs.
  class Delivering {
   public:
    explicit Delivering(bool& flag) : flag_(flag) { flag_ = true; }
    ~Delivering() { flag_ = false; }
    Delivering(const Delivering&) = delete;
    Delivering& operator=(const Delivering&) = delete;

   private:
    bool& flag_;
  };

  /// Displacements are ints, in bytes.
  static std::size_t most_items(std::size_t ranks) {
    const std::size_t bytes = static_cast<std::size_t>(INT_MAX) / ranks;
    return bytes < kHeaderBytes + sizeof(T) ? 1 : (bytes - kHeaderBytes) / sizeof(T);
  }

  std::byte* place(std::size_t rank, std::size_t item) {
    return outgoing_.get() + rank * stride_ + kHeaderBytes + item * sizeof(T);
  }

  bool is_empty() const {
    return std::ranges::all_of(sizes_, [](std::size_t size) { return size == 0; });
  }

  /// Exchanges once. Returns whether any rank `is_active`: it has sent something or may send more.
  bool run(bool is_active) {
    const std::uint64_t header = is_active ? 1 : 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      std::memcpy(outgoing_.get() + rank * stride_, &header, sizeof header);
      send_counts_[rank] = static_cast<int>(kHeaderBytes + sizes_[rank] * sizeof(T));
    }
    const std::byte* received = nullptr;
    detail::call(Rondo_Alltoallv_dynamic_alloc, outgoing_.get(), send_counts_.data(),
                 send_displs_.data(), MPI_BYTE, nullptr, nullptr, &received, recv_counts_.data(),
                 recv_displs_.data(), MPI_BYTE, comm_);
    std::ranges::fill(sizes_, 0);
    refill();
    return deliver(received);
  }

  /// Returns whether any rank was active.
  bool deliver(const std::byte* received) {
    std::uint64_t active = 0;
    const Delivering delivering(is_delivering_);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::byte* const block = received + recv_displs_[rank];
      std::uint64_t header = 0;
      std::memcpy(&header, block, sizeof header);
      active |= header;
      const std::size_t items =
          (static_cast<std::size_t>(recv_counts_[rank]) - kHeaderBytes) / sizeof(T);
      if (items != 0)
        handler_(static_cast<int>(rank),
                 std::span(reinterpret_cast<const T*>(block + kHeaderBytes), items));
    }
    return active != 0;
  }

  void keep(std::size_t rank, const T& item) {
    overflow_[rank].items.push_back(item);
    has_overflow_ = true;
  }

  /// Moves what waits into the room that there is, so that it goes before anything sent later. Where
  /// something must wait on, there is no room left.
  void refill() {
    if (!has_overflow_) return;
    has_overflow_ = false;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      Overflow& waiting = overflow_[rank];
      const std::size_t moved =
          std::min(capacity_ - sizes_[rank], waiting.items.size() - waiting.taken);
      if (moved != 0)
        std::memcpy(place(rank, sizes_[rank]), waiting.items.data() + waiting.taken,
                    moved * sizeof(T));
      sizes_[rank] += moved;
      waiting.taken += moved;
      if (waiting.taken != waiting.items.size())
        has_overflow_ = true;
      else
        waiting = {};
    }
  }

  MPI_Comm comm_;
  Handler handler_;
  std::size_t ranks_;
  std::size_t capacity_;
  std::size_t stride_;  ///< bytes for each rank in outgoing_
  std::unique_ptr<std::byte[]> outgoing_;
  std::vector<std::size_t> sizes_;  ///< items in outgoing_, by rank
  std::vector<Overflow> overflow_;  ///< by rank
  std::vector<int> send_counts_, send_displs_, recv_counts_, recv_displs_;
  bool is_delivering_ = false;
  bool has_overflow_ = false;
};

}  // namespace rondo

#endif
