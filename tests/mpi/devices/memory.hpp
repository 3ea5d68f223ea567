// Device memory for tests without a device: pages that the host cannot touch, and other pages with
// the same bytes, which only the copying functions know. Whatever touches device memory without
// them ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rondo::testing {

enum class Residence {
  device,
  pool,     ///< of the device, but of none of its contexts
  managed,  ///< host and device may touch it
  host,     ///< the host's, and known to the device
};

struct Allocation {
  std::byte* view = nullptr;  ///< where the host finds the bytes
  std::size_t bytes = 0;
  Residence residence = Residence::device;
};

/// All memory of one kind of device, and its default stream. One thread at a time.
class DeviceMemory {
 public:
  std::byte* allocate(std::size_t bytes, Residence residence);
  void release(std::byte* address);

  /// What holds the byte, or null.
  const Allocation* find(std::uintptr_t address) const;

  /// The host's view of a byte that is allocated.
  std::byte* view(std::byte* address) const;

  /// To be done by synchronize(): what is copied must be inside one allocation. False if it is not,
  /// or was said to fail.
  bool begin_read(std::byte* host, std::uintptr_t device, std::size_t bytes);
  bool begin_write(std::uintptr_t device, const std::byte* host, std::size_t bytes);
  void synchronize();

  /// What is before this address, and what is behind it, count as two allocations from now on.
  void put_border(std::byte* address) {
    borders_.insert(reinterpret_cast<std::uintptr_t>(address));
  }
  void remove_borders() { borders_.clear(); }

  /// Lets `copies` copies succeed, then one fail, then all others succeed.
  void fail_after(int copies) { copies_until_failure_ = copies; }

  struct Counts {
    int reads = 0;
    int writes = 0;
    std::size_t written_bytes = 0;
    int unfinished = 0;  ///< begun, but not synchronized
  };
  Counts take_counts();

 private:
  /// Begun, and not to be seen before synchronize().
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::vector<std::byte> staged;  ///< in place of `from`
    std::size_t bytes;
  };

  bool may_begin(std::uintptr_t device, std::size_t bytes);

  std::map<std::uintptr_t, Allocation> allocations_;
  std::set<std::uintptr_t> borders_;
  std::vector<Copy> pending_;
  Counts counts_;
  int copies_until_failure_ = -1;
};

/// Where a test's buffer is to be.
struct Home {
  DeviceMemory* memory = nullptr;  ///< null: memory of the host that no device knows
  Residence residence = Residence::device;
};

/// What a library of devices offers to tests, as "rondo_test_device".
struct DeviceLibrary {
  DeviceMemory memory;

  /// What the library's caller has left undone; null if nothing.
  const char* (*complaint)();

  /// Take the ways of another version of the library.
  void (*set_version)(int version);
};

}  // namespace rondo::testing
