#include "buffers/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace rondo::buffers {

namespace {

using Find = const Device* (*)();

/// A kind of device and, once the program has loaded its library, the Device. The library then
/// stays loaded.
struct Kind {
  Find find;
  std::array<const char*, 2> queries;  ///< of MPI libraries, whether they support it
  std::atomic<const Device*> found = nullptr;
};

/// The first queries are Open MPI's. MPICH has the first and the last one.
std::array<Kind, 2>& kinds() {
  static constinit std::array<Kind, 2> all{
      {{find_cuda, {"MPIX_Query_cuda_support"}},
       {find_hip, {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"}}}};
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

/// What find_loaded() looks for, and what it has found.
struct Search {
  std::string_view stem;
  std::string path;
};

/// Visits loaded libraries until one has the file name that a Search asks for.
int find_loaded(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::string_view path = info->dlpi_name;
  const bool is_found = path.substr(path.rfind('/') + 1).starts_with(search.stem);
  if (is_found) search.path = path;
  return is_found ? 1 : 0;
}

/// Takes no lock: a library's constructor may get here while the dynamic linker holds its own lock.
void look_for(Kind& kind) {
  if (kind.found.load(std::memory_order_acquire) != nullptr) return;
  const Device* found = kind.find();
  const Device* other = nullptr;
  if (found != nullptr && !kind.found.compare_exchange_strong(other, found)) delete found;
}

}  // namespace

/// dlopen() with a name alone would look through every folder of libraries before it says that none is loaded, which
/// takes as long as all the rest of the first exchange.
LoadedLibrary::LoadedLibrary(std::string_view stem) {
  Search search{.stem = stem, .path = {}};
  dl_iterate_phdr(find_loaded, &search);
  if (!search.path.empty()) handle_ = dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

int Device::copy_all(Direction direction, std::span<const DeviceCopy> copies) const {
  int code = 0;
  for (const DeviceCopy& copy : copies)
    if (code == 0) code = begin(direction, copy);
  // Copies in flight use our memory, so wait for them even after a failure.
  const int end = wait();
  return code != 0 ? code : end;
}

void Device::check(int code, std::string_view doing) const {
  if (code == 0) return;
  throw Error(ErrorClass::other,
              text(doing, " failed: ", name_, " reports ", describe(code), " (", code,
                   "); check that the buffer is as large as its counts, displacements and types "
                   "require, and that the program's own work on the device succeeded"));
}

void Device::run(Direction direction, std::span<const DeviceCopy> copies) const {
  if (copies.empty()) return;
  const char* const way = direction == Direction::to_host ? "from " : "to ";
  check(copy_all(direction, copies), text("copying ", way, name_, " device memory"));
}

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

bool library_supports_devices() {
  const auto is_supported = [](const char* query) {
    void* const function = query == nullptr ? nullptr : dlsym(RTLD_DEFAULT, query);
    return function != nullptr && reinterpret_cast<int (*)()>(function)() != 0;
  };
  return std::ranges::all_of(kinds(), [&](const Kind& kind) {
    return kind.found.load(std::memory_order_acquire) == nullptr ||
           std::ranges::any_of(kind.queries, is_supported);
  });
}

const Device* device_at(std::uintptr_t address) {
  for (const Kind& kind : kinds()) {
    const Device* device = kind.found.load(std::memory_order_acquire);
    if (device != nullptr && device->holds(address)) return device;
  }
  return nullptr;
}

}  // namespace rondo::buffers
