// Memory that the processes of one node share, and the memory of another process of the node, which the kernel lets
// this process read or not.
//
// Linux asks what it asks of a debugger: the same user, dumpable processes that see each other's
// numbers, and no Yama (kernel.yama.ptrace_scope), seccomp filter or container that forbids it. Some
// MPI libraries lift Yama's restriction for their processes. Rondo does not change it, because that
// would hold for every program of the user. Instead, processes try whether they can.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::segment {

/// What neighbours need to open a segment. Its creator sends it to them.
struct Ticket {
  std::array<char, 64> path{};  ///< of a descriptor in /proc, or a name for shm_open
  std::uint64_t bytes = 0;
  std::uint64_t cookie = 0;  ///< also in the segment's first bytes
  bool is_name = false;
};

/// One process creates the segment, and its neighbours open it by its ticket. When all have opened
/// it or failed to, all seal it. From then on it cannot be found by name, and its memory is freed
/// with the last process that has it mapped, however that process ends.
///
/// Pages must be reserved before they are touched. Otherwise a name on a full tmpfs ends the
/// process with SIGBUS. Every process reserves its own part first, so that it lies near its core.
/// The pages of a descriptor lie near the process that touches them first.
class Segment {
 public:
  /// How the memory is made. A descriptor (memfd) is opened through /proc/PID/fd, which needs one
  /// PID namespace and dumpable processes. A name (shm_open, mode 0600) needs /dev/shm.
  enum class Kind { descriptor, name };

  static constexpr std::size_t kCookieBytes = 64;  ///< at the beginning, not for the user

  Segment() = default;
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  /// Both throw an Error(no_memory) that names the failed call and the reason.
  static Segment create(Kind kind, std::size_t bytes);
  static Segment open(const Ticket& ticket);

  const Ticket& ticket() const { return ticket_; }

  /// Reserves pages. It must be called before they are touched and before seal(). Throws
  /// Error(no_memory).
  void reserve(std::size_t offset, std::size_t bytes);

  /// Makes the kernel map pages now, instead of one after another when they are touched. It may do nothing.
  void populate(std::size_t offset, std::size_t bytes, bool writes) const;

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

/// What a process tells the others so that they can try to read its memory.
struct Sample {
  std::int64_t process;   ///< its number
  std::uint64_t address;  ///< of 8 bytes in its memory
  std::uint64_t value;    ///< of these bytes; no other process has it there
};

/// Returns the sample of this process. The value must stay where it is.
Sample sample_of(const std::uint64_t& value);

/// Whether this process can read the memory of the process with that sample. Numbers of processes
/// mean something else in another PID namespace, so the bytes are compared.
bool can_read(const Sample& sample);

/// Copies `bytes` bytes at `address` in the memory of a process. Returns false if the kernel refuses
/// that; any number of bytes may have been copied then.
bool read_memory(std::int64_t process, std::uint64_t address, std::byte* to, std::size_t bytes);

}  // namespace rondo::segment
