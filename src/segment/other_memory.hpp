// The memory of another process of this node, which the kernel lets this process read or not.
//
// Linux asks what it asks of a debugger: the same user, dumpable processes that see each other's
// numbers, and no Yama (kernel.yama.ptrace_scope), seccomp filter or container that forbids it. Some
// MPI libraries lift Yama's restriction for their processes. Rondo does not change it, because that
// would hold for every program of the user. Instead, processes try whether they can.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::segment {

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
