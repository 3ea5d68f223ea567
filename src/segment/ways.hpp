// The ways in which a long block gets from one rank of a node to another, and which of them is the fastest.
//
// That depends on the length, on whether the two cores share a cache, on the system, and on how many ranks share
// a core; and on a virtual machine it changes while a program runs. So it is not assumed but measured. Ranks
// take the time of what they copy for long blocks anyway, and the sender of a block chooses its way by these
// times: its own, and those of the reader, which are in shared memory. It tries every way first, with blocks of
// all lengths in the same exchanges, and goes on trying the slower ones now and then, the more rarely the slower they
// are. Each try is several exchanges long, since a way does not take as long after another one as after itself. What
// a process has learned on one communicator, it knows on the next.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::segment {

enum class Way : std::uint32_t {
  copied,    ///< through shared memory: the sender copies it in, the reader out
  streamed,  ///< the same, but the sender writes past its caches
  pulled,    ///< the reader copies it straight from the sender's memory
  sent,      ///< in a message of the MPI library, where there is no other way
};
inline constexpr std::size_t kChosenWays = 3;  ///< the first ones, among which there is a choice

/// Copies past the caches of this core. What is copied is not complete for other cores before
/// end_stream().
void stream(std::byte* to, const std::byte* from, std::size_t bytes);
void end_stream();

/// Whether stream() is more than a copy on this processor.
bool can_stream();

/// How far a rank is from another of its node. Ranks that may move between caches are near each other.
enum class Distance : std::uint8_t { near, other_cache, other_socket };

/// What one rank's copies for long blocks took, in nanoseconds a byte: in shared memory, written by this rank
/// only. 0 where nothing is known.
class alignas(64) Times {
 public:
  enum Part { write_copied, write_streamed, read_copied, read_streamed, pull };
  static constexpr std::size_t kParts = 5;
  static constexpr std::size_t kDistances = 3;

  /// Blocks from here on are long; those up to twice, four times, ... as long make a class of their own.
  static constexpr std::size_t kShortest = 4 * 1024;
  static constexpr std::size_t kClasses = 10;
  static std::size_t class_of(std::size_t bytes) {
    const auto octave = static_cast<std::size_t>(std::bit_width(bytes / kShortest));
    return std::min(std::max<std::size_t>(octave, 1), kClasses) - 1;
  }

  float of(Part part, Distance distance, std::size_t length_class) const {
    return times_[index(distance)][length_class][part].load(std::memory_order_relaxed);
  }

  /// Sets it to the mean of what copies have taken.
  void set(Part part, Distance distance, std::size_t length_class, float mean) {
    times_[index(distance)][length_class][part].store(mean, std::memory_order_relaxed);
  }

 private:
  static std::size_t index(Distance distance) { return static_cast<std::size_t>(distance); }

  std::array<std::array<std::array<std::atomic<float>, kParts>, kClasses>, kDistances> times_;
};
static_assert(std::atomic<float>::is_always_lock_free);

/// Chooses the ways of the blocks that one rank sends.
class Ways {
 public:
  /// What else counts besides copies.
  struct Setting {
    bool can_pull = false;       ///< this rank's memory can be read by the others
    std::size_t pipe_bytes = 0;  ///< that a rank can write in the end before the reader takes any
    float wait_nanoseconds = 0;  ///< for the other rank, once more
    bool shares_cores = false;   ///< ranks do, and so the caches of their cores
  };

  /// `times` has the times of all ranks of the node; `distances` are those from this rank.
  Ways(std::span<Times> times, int self, std::vector<Distance> distances, const Setting& setting);

  /// Begins with what this process has learned on communicators before, or keeps what it has learned here.
  void recall();
  void remember() const;

  /// Returns the way of the next block to `reader`.
  Way choose(int reader, std::size_t bytes);

  /// What is known of blocks to `reader`, in lines to print; nothing if none was long.
  std::string figures(int reader) const;

  /// Adds what a copy of `bytes` bytes took, of a block from or to rank `other`.
  void add(Times::Part part, int other, std::size_t block_bytes, double nanoseconds,
           std::size_t bytes);

  /// This rank cannot pull such blocks from rank `other`, so senders choose another way.
  void rule_out_pulls(int other, std::size_t block_bytes) {
    times_[self_].set(Times::pull, distance(other), Times::class_of(block_bytes),
                      std::numeric_limits<float>::infinity());
  }

  /// Runs copy(), which copies `bytes` bytes of a block from or to rank `other`, and takes its time.
  template <class Copy>
  void timed(Times::Part part, int other, std::size_t block_bytes, std::size_t bytes, Copy&& copy) {
    const Clock::time_point begin = Clock::now();
    copy();
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    add(part, other, block_bytes, taken.count(), bytes);
  }

 private:
  using Clock = std::chrono::steady_clock;

  using Samples = std::array<std::uint32_t, Times::kParts>;

  /// What this rank has done with blocks of one class to ranks at one distance.
  struct Record {
    std::optional<std::uint32_t> begin;  ///< the exchange in which its tries begin
    std::uint32_t span = 0;
    Way way = Way::sent;  ///< in this span
    Samples samples{};
  };

  /// The ranks at one distance, and the blocks of all classes to and from them.
  struct Group {
    std::uint32_t ranks = 0;
    std::uint32_t blocks = 0;
    Samples samples{};
  };

  bool is_open(Way way) const;
  /// Among which there is a choice.
  std::span<const Way> candidates() const { return std::span(chosen_).first(open_); }
  bool knows_all(int reader, std::size_t bytes) const;
  Way pick(std::uint32_t span, int reader, std::size_t bytes) const;
  float price_of(Way way, int reader, std::size_t bytes) const;
  Distance distance(int other) const { return distances_[static_cast<std::size_t>(other)]; }
  Group& group(int other) { return groups_[static_cast<std::size_t>(distance(other))]; }
  Record& record(int other, std::size_t bytes) {
    return records_[static_cast<std::size_t>(distance(other))][Times::class_of(bytes)];
  }

  std::span<Times> times_;
  std::size_t self_;
  std::vector<Distance> distances_;
  Setting setting_;
  std::array<Way, kChosenWays> chosen_{};
  std::size_t open_ = 0;  ///< of these
  std::array<Group, Times::kDistances> groups_{};
  std::array<std::array<Record, Times::kClasses>, Times::kDistances> records_{};
};

}  // namespace rondo::segment
