// The device of a test, which RONDO_TEST_DEVICE names as KIND:LIBRARY.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "devices/memory.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// The library is loaded on request, since a program may begin without a device.
class LoadedDevice {
 public:
  LoadedDevice() {
    const char* const named = std::getenv("RONDO_TEST_DEVICE");
    const std::string device = named == nullptr ? "" : named;
    kind_ = device.substr(0, device.find(':'));
    path_ = device.substr(std::min(kind_.size() + 1, device.size()));
  }

  void load() {
    void* const library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto get = reinterpret_cast<DeviceLibrary* (*)()>(dlsym(library, "rondo_test_device"));
    if (get == nullptr) throw std::runtime_error(path_ + " is no library for tests");
    library_ = get();
    library_->set_version(kind_ == "hip5" ? 50700000 : 60000000);
  }

  Home home() const {
    return {&library_->memory, kind_ == "cuda_pool" ? Residence::pool : Residence::device};
  }

  DeviceMemory& memory() const { return library_->memory; }

  /// Takes the counts since the last time. Copies must be complete, and the device in order.
  DeviceMemory::Counts take_counts(Row& row) const {
    const DeviceMemory::Counts counts = library_->memory.take_counts();
    row.expect(counts.unfinished == 0, counts.unfinished, " copies were not waited for");
    const char* complaint = library_->complaint();
    row.expect(complaint == nullptr, complaint == nullptr ? "" : complaint);
    return counts;
  }

 private:
  std::string kind_;
  std::string path_;
  DeviceLibrary* library_ = nullptr;
};

}  // namespace rondo::testing
