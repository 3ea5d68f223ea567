// What a process tells the other processes of its node while it is watched: a line for each of its communicators.
// Exchanges write their line and never read another one; only who has waited for long reads those of others. No MPI.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "segment/segment.hpp"

namespace rondo::watch {

/// The exchanges of one rank on one communicator. One thread at a time exchanges there, as MPI demands.
struct alignas(64) Line {
  static constexpr std::int32_t kUnknownForm = -1;
  static constexpr std::uint64_t kUnknownBytes = UINT64_MAX;

  // Written in every exchange.
  std::atomic<std::uint64_t> begun;  ///< the number of the last one that has begun: 1, 2, ...
  std::atomic<std::uint64_t> ended;  ///< that of the last one that is over
  std::atomic<std::int32_t> form;
  std::atomic<std::uint64_t> bytes;    ///< that this rank sends
  std::atomic<std::uint64_t> longest;  ///< of the blocks that it sends
  std::atomic<bool> has_chosen;        ///< whether it is known what it runs
  std::atomic<bool> is_forwarded;      ///< to the MPI library, before Rondo has set itself up

  // Written by this process's watcher.
  std::atomic<std::uint64_t>
      told;  ///< the number of the last exchange in which it had waited for long
  std::atomic<std::uint64_t> told_of;  ///< that of the last one of which it has told for any reason
  std::atomic<std::int64_t> told_at;   ///< when, in milliseconds of the node's steady clock
  std::atomic<bool>
      is_in_library;  ///< whether the exchange in progress is the MPI library's by choice

  // Written when the line is taken.
  std::atomic<bool> is_taken;
  std::atomic<std::uint64_t>
      members;  ///< a number that communicators of the same ranks have in common
  std::atomic<std::uint64_t>
      communicator;  ///< the same number on all of its ranks; 0 until they have agreed
  std::array<char, 80> name;

  void begin(std::int32_t of_form) {
    form.store(of_form, std::memory_order_relaxed);
    bytes.store(kUnknownBytes, std::memory_order_relaxed);
    has_chosen.store(false, std::memory_order_relaxed);
    is_forwarded.store(false, std::memory_order_relaxed);
    begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  void end() { ended.store(begun.load(std::memory_order_relaxed), std::memory_order_release); }
  bool is_busy() const {
    return begun.load(std::memory_order_acquire) != ended.load(std::memory_order_acquire);
  }

  /// Ends what it was in until its ranks had agreed on the number of the communicator.
  void agree(std::uint64_t number) {
    begun = told = told_of = 0;
    communicator = number;
  }

  void give_back() { is_taken = false; }
};
static_assert(std::atomic<bool>::is_always_lock_free);

class Board {
 public:
  /// On further communicators a process does not say where it is.
  static constexpr std::size_t kLines = 1024;

  /// Throws Error(no_memory).
  static Board make();

  /// The board of this process, made at the first call.
  static Board& own();

  /// That of another process of this node. Throws Error(no_memory) if it has ended, or may not be looked at.
  static Board open(const segment::Ticket& ticket);

  const segment::Ticket& ticket() const { return segment_.ticket(); }

  /// Returns a line that nobody uses, or null.
  Line* take(std::string_view name, std::uint64_t members);

  /// Those that have been taken at some time. The others have no memory yet.
  std::span<Line> lines() const { return {shared().lines.data(), shared().used}; }

 private:
  struct Shared {
    alignas(64) std::atomic<std::size_t> used;
    std::array<Line, kLines> lines;
  };
  static constexpr std::size_t kOffset = segment::Segment::kCookieBytes;

  explicit Board(segment::Segment segment) : segment_(std::move(segment)) {}
  Shared& shared() const { return *reinterpret_cast<Shared*>(segment_.at(kOffset)); }

  segment::Segment segment_;
};

}  // namespace rondo::watch
