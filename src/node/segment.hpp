// Memory that the processes of one node share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::node {

/// How neighbours find a segment: bytes that its creator tells them.
struct Ticket {
  std::array<char, 64> path{};  ///< of a descriptor in /proc, or a name for shm_open
  std::uint64_t bytes = 0;
  std::uint64_t cookie = 0;  ///< stands in the segment's first bytes
  bool is_name = false;
};

/// One process creates it, its neighbours open it by its ticket, and when all have (or have not),
/// all seal it: then nothing can be found by name any more, and the memory goes with the last
/// process that has it mapped, however that ends.
///
/// Pages must be reserved before they are touched: a name on a full tmpfs kills with SIGBUS
/// otherwise. Every process reserves its own part first, so that it lies near its core. The pages of
/// a descriptor lie near whoever touches them first.
class Segment {
 public:
  /// How the memory is made. A descriptor (memfd) is reached through /proc/PID/fd, which needs one
  /// PID namespace and dumpable processes; a name (shm_open, mode 0600) needs /dev/shm.
  enum class Kind { descriptor, name };

  static constexpr std::size_t kCookieBytes = 64;  ///< not the user's, at the beginning

  Segment() = default;
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  /// Both throw Error(no_memory) that says which call failed and why.
  static Segment create(Kind kind, std::size_t bytes);
  static Segment open(const Ticket& ticket);

  const Ticket& ticket() const { return ticket_; }

  /// Reserve pages, to be called before they are touched and before seal(). Throws
  /// Error(no_memory).
  void reserve(std::size_t offset, std::size_t bytes);

  void seal();

  std::byte* at(std::size_t offset) const { return data_ + offset; }

 private:
  void map();
  void close();

  Ticket ticket_;
  std::byte* data_ = nullptr;
  int descriptor_ = -1;
  bool is_creator_ = false;
};

}  // namespace rondo::node
