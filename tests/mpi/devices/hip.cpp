// libamdhip64.so.6 for tests: the functions of HIP's run-time library that Rondo calls, and no others.

#include <utility>

#include "devices/memory.hpp"

namespace {

using namespace rondo::testing;

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;

int g_version = 60000000;
int g_last_error = kSuccess;

const char* complaint() {
  return g_last_error == kSuccess ? nullptr : "an error is left for the program to find";
}

void set_version(int version) {
  g_version = version;
}

DeviceLibrary g_library{{}, complaint, set_version};

/// hipMemoryTypeHost and so on.
int memory_type(Residence residence) {
  const bool is_new = g_version >= 60000000;
  switch (residence) {
    case Residence::managed:
      return is_new ? 3 : 4;
    case Residence::host:
      return is_new ? 1 : 0;
    default:
      return is_new ? 2 : 1;
  }
}

struct PointerAttributes {
  int type;
  int device;
  void* device_pointer;
  void* host_pointer;
  int is_managed;
  unsigned flags;
};

}  // namespace

extern "C" {

DeviceLibrary* rondo_test_device() {
  return &g_library;
}

int hipRuntimeGetVersion(int* version) {
  *version = g_version;
  return kSuccess;
}

int hipPointerGetAttributes(PointerAttributes* attributes, const void* address) {
  const auto* allocation = g_library.memory.find(reinterpret_cast<std::uintptr_t>(address));
  if (allocation == nullptr) return g_last_error = kInvalidValue;
  *attributes = {.type = memory_type(allocation->residence),
                 .device = 0,
                 .device_pointer = const_cast<void*>(address),
                 .host_pointer = nullptr,
                 .is_managed = allocation->residence == Residence::managed,
                 .flags = 0};
  return kSuccess;
}

int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  DeviceMemory& memory = g_library.memory;
  bool begun = false;
  if (stream == nullptr && kind == 1)
    begun = memory.begin_write(reinterpret_cast<std::uintptr_t>(to),
                               static_cast<const std::byte*>(from), bytes);
  if (stream == nullptr && kind == 2)
    begun = memory.begin_read(static_cast<std::byte*>(to), reinterpret_cast<std::uintptr_t>(from),
                              bytes);
  return begun ? kSuccess : kInvalidValue;
}

int hipStreamSynchronize(void*) {
  g_library.memory.synchronize();
  return kSuccess;
}

int hipGetLastError() {
  return std::exchange(g_last_error, kSuccess);
}

const char* hipGetErrorString(int code) {
  return code == kInvalidValue ? "invalid argument" : "some other error";
}

}  // extern "C"
