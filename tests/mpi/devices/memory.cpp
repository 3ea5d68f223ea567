#include "devices/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace rondo::testing {

namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::byte* map(int descriptor, std::size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace

std::byte* DeviceMemory::allocate(std::size_t bytes, Residence residence) {
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);
  const int descriptor = memfd_create("rondo-test-device", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(mapped)) != 0)
    throw std::bad_alloc();
  std::byte* const view = map(descriptor, mapped, PROT_READ | PROT_WRITE);
  const bool is_hidden = residence == Residence::device || residence == Residence::pool;
  std::byte* const address = is_hidden ? map(descriptor, mapped, PROT_NONE) : view;
  close(descriptor);
  allocations_[number_of(address)] = {view, mapped, residence};
  return address;
}

void DeviceMemory::release(std::byte* address) {
  const auto found = allocations_.find(number_of(address));
  if (found == allocations_.end()) throw std::logic_error("this is no device memory");
  munmap(address, found->second.bytes);
  if (found->second.view != address) munmap(found->second.view, found->second.bytes);
  allocations_.erase(found);
}

const Allocation* DeviceMemory::find(std::uintptr_t address) const {
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return nullptr;
  const auto& [begin, allocation] = *std::prev(above);
  return address - begin < allocation.bytes ? &allocation : nullptr;
}

std::byte* DeviceMemory::view(std::byte* address) const {
  const auto above = allocations_.upper_bound(number_of(address));
  const auto& [begin, allocation] = *std::prev(above);
  return allocation.view + (number_of(address) - begin);
}

bool DeviceMemory::may_begin(std::uintptr_t device, std::size_t bytes) {
  if (copies_until_failure_ >= 0 && copies_until_failure_-- == 0) return false;
  const Allocation* const first = find(device);
  if (first == nullptr || bytes == 0 || first != find(device + bytes - 1)) return false;
  const auto border = borders_.upper_bound(device);
  return border == borders_.end() || *border >= device + bytes;
}

bool DeviceMemory::begin_read(std::byte* host, std::uintptr_t device, std::size_t bytes) {
  if (!may_begin(device, bytes)) return false;
  const std::byte* const from = view(reinterpret_cast<std::byte*>(device));
  pending_.push_back({.to = host, .from = from, .staged = {}, .bytes = bytes});
  ++counts_.reads;
  return true;
}

bool DeviceMemory::begin_write(std::uintptr_t device, const std::byte* host, std::size_t bytes) {
  if (!may_begin(device, bytes)) return false;
  std::byte* const to = view(reinterpret_cast<std::byte*>(device));
  pending_.push_back({.to = to, .from = nullptr, .staged = {host, host + bytes}, .bytes = bytes});
  ++counts_.writes;
  counts_.written_bytes += bytes;
  return true;
}

void DeviceMemory::synchronize() {
  for (const Copy& copy : pending_)
    std::memcpy(copy.to, copy.from != nullptr ? copy.from : copy.staged.data(), copy.bytes);
  pending_.clear();
}

DeviceMemory::Counts DeviceMemory::take_counts() {
  counts_.unfinished = static_cast<int>(pending_.size());
  return std::exchange(counts_, {});
}

}  // namespace rondo::testing
