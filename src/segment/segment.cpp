#include "segment/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system.hpp"

namespace rondo::segment {

namespace {

[[noreturn]] void throw_system_error(const char* call, int error) {
  throw Error(ErrorClass::no_memory, text(call, ": ", reason_of(error)));
}

/// Returns whether the file has that length now; else errno tells why not.
bool set_length(int descriptor, std::size_t bytes) {
  const HeldSignals held;
  return ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

template <class... Arguments>
void print(std::array<char, 64>& path, const char* format, Arguments... arguments) {
  std::snprintf(path.data(), path.size(), format, arguments...);
}

}  // namespace

Segment::~Segment() {
  seal();
  close();
}

Segment::Segment(Segment&& other) noexcept {
  *this = std::move(other);
}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(ticket_, other.ticket_);
  std::swap(data_, other.data_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(is_creator_, other.is_creator_);
  return *this;
}

Segment Segment::create(Kind kind, std::size_t bytes) {
  Segment segment;
  Ticket& ticket = segment.ticket_;
  ticket = {.bytes = bytes, .cookie = random_number(), .is_name = kind == Kind::name};
  if (ticket.is_name) {
    print(ticket.path, "/rondo-%016llx%016llx", static_cast<unsigned long long>(random_number()),
          static_cast<unsigned long long>(random_number()));
    segment.descriptor_ = shm_open(ticket.path.data(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (segment.descriptor_ < 0) throw_system_error("shm_open", errno);
  } else {
    segment.descriptor_ = memfd_create("rondo", MFD_CLOEXEC);
    if (segment.descriptor_ < 0) throw_system_error("memfd_create", errno);
    print(ticket.path, "/proc/%ld/fd/%d", static_cast<long>(getpid()), segment.descriptor_);
  }
  segment.is_creator_ = true;
  if (!set_length(segment.descriptor_, bytes)) throw_system_error("ftruncate", errno);
  segment.map();
  segment.reserve(0, kCookieBytes);
  std::memcpy(segment.data_, &ticket.cookie, sizeof ticket.cookie);
  return segment;
}

Segment Segment::open(const Ticket& ticket) {
  Segment segment;
  segment.ticket_ = ticket;
  const char* path = ticket.path.data();
  segment.descriptor_ =
      ticket.is_name ? shm_open(path, O_RDWR, 0) : ::open(path, O_RDWR | O_CLOEXEC);
  if (segment.descriptor_ < 0) throw_system_error(path, errno);
  // A descriptor of another process may lead to any file. A regular file of the right size neither
  // blocks nor is too short, and the cookie proves that it is the segment.
  struct stat status {};
  if (fstat(segment.descriptor_, &status) != 0) throw_system_error("fstat", errno);
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != ticket.bytes)
    throw Error(ErrorClass::no_memory, text(path, " is not the segment of this node"));
  segment.map();
  std::uint64_t cookie = 0;
  std::memcpy(&cookie, segment.data_, sizeof cookie);
  if (cookie != ticket.cookie)
    throw Error(ErrorClass::no_memory, text(path, " is not the segment of this node"));
  return segment;
}

void Segment::map() {
  void* memory = mmap(nullptr, ticket_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) throw_system_error("mmap", errno);
  data_ = static_cast<std::byte*>(memory);
}

/// Only a name lies on a file system that can be full. The pages of a descriptor are allocated when
/// they are touched, like a program's own memory, since most slots of most communicators never hold
/// a long block.
///
/// Reserves a piece at a time. Some kernels undo a call that a signal interrupts, so under a
/// profiler's timer a long call would never end.
void Segment::reserve(std::size_t offset, std::size_t bytes) {
  if (!ticket_.is_name) return;
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  for (const std::size_t end = offset + bytes; offset < end;) {
    const std::size_t piece = std::min(end - offset, kPieceBytes);
    const int error =
        posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(piece));
    if (error == EINTR) continue;
    if (error != 0) throw_system_error("posix_fallocate", error);
    offset += piece;
  }
}

/// Kernels before 5.14 refuse. Pages have 64 KiB on some systems with Arm or Power processors.
void Segment::populate(std::size_t offset, std::size_t bytes, bool writes) const {
#if defined(MADV_POPULATE_READ) && defined(MADV_POPULATE_WRITE)
  static const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page_bytes * page_bytes;
  madvise(data_ + begin, offset + bytes - begin, writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
#else
  static_cast<void>(offset), static_cast<void>(bytes), static_cast<void>(writes);
#endif
}

void Segment::seal() {
  if (is_creator_ && ticket_.is_name) shm_unlink(ticket_.path.data());
  is_creator_ = false;
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void Segment::close() {
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), ticket_.bytes);
}

Sample sample_of(const std::uint64_t& value) {
  return {.process = getpid(), .address = reinterpret_cast<std::uintptr_t>(&value), .value = value};
}

bool can_read(const Sample& sample) {
  std::uint64_t found = 0;
  return read_memory(sample.process, sample.address, reinterpret_cast<std::byte*>(&found),
                     sizeof found) &&
         found == sample.value;
}

/// One call copies less than asked where it reaches memory that it cannot read, and at most 2 GiB.
bool read_memory(std::int64_t process, std::uint64_t address, std::byte* to, std::size_t bytes) {
  while (bytes != 0) {
    const iovec local{.iov_base = to, .iov_len = bytes};
    const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
    const ssize_t copied = process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
    if (copied <= 0) return false;
    const auto done = static_cast<std::size_t>(copied);
    to += done;
    address += done;
    bytes -= done;
  }
  return true;
}

}  // namespace rondo::segment
