#include "buffers/device.hpp"

#include <link.h>

#include <array>
#include <atomic>

namespace rondo::buffers {

namespace {

using Find = const Device* (*)();

/// A kind of device and, once the program has loaded its library, the Device. The library then
/// stays loaded.
struct Kind {
  Find find;
  std::atomic<const Device*> found = nullptr;
};

std::array<Kind, 2>& kinds() {
  static constinit std::array<Kind, 2> all{{{find_cuda}, {find_hip}}};
  return all;
}

/// Returns how many libraries this process has loaded so far.
unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;  // the number is the same for every library, so stop after the first
      },
      &loads);
  return loads;
}

/// Takes no lock: a library's constructor may get here while the dynamic linker holds its own lock.
void look_for(Kind& kind) {
  if (kind.found.load(std::memory_order_acquire) != nullptr) return;
  const Device* found = kind.find();
  const Device* other = nullptr;
  if (found != nullptr && !kind.found.compare_exchange_strong(other, found)) delete found;
}

}  // namespace

bool may_use_devices() {
  static std::atomic<unsigned long long> known_loads = 0;
  const unsigned long long loads = loads_so_far();
  if (known_loads.load(std::memory_order_acquire) != loads) {
    for (Kind& kind : kinds()) look_for(kind);
    known_loads.store(loads, std::memory_order_release);
  }
  for (const Kind& kind : kinds())
    if (kind.found.load(std::memory_order_acquire) != nullptr) return true;
  return false;
}

const Device* device_at(std::uintptr_t address) {
  for (const Kind& kind : kinds()) {
    const Device* device = kind.found.load(std::memory_order_acquire);
    if (device != nullptr && device->holds(address)) return device;
  }
  return nullptr;
}

}  // namespace rondo::buffers
