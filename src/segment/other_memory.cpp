#include "segment/other_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

namespace rondo::segment {

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
