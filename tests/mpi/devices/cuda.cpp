// libcuda.so.1 for tests: the functions of CUDA's driver that Rondo calls, and no others.

#include "devices/memory.hpp"

namespace {

using namespace rondo::testing;

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kInvalidContext = 201;

int g_context = 0;  ///< its address is the one context, that of device 3
std::vector<void*> g_current;
int g_retained = 0;

const char* complaint() {
  if (!g_current.empty()) return "a context is still current";
  if (g_retained != 0) return "a primary context is still retained";
  return nullptr;
}

void set_version(int) {}

DeviceLibrary g_library{{}, complaint, set_version};

/// CU_POINTER_ATTRIBUTE_CONTEXT, MEMORY_TYPE, IS_MANAGED and DEVICE_ORDINAL.
bool set_attribute(int attribute, void* value, const Allocation* allocation) {
  const bool is_known = allocation != nullptr;
  const Residence residence = is_known ? allocation->residence : Residence::host;
  const bool has_context = is_known && residence != Residence::pool;
  switch (attribute) {
    case 1:
      *static_cast<void**>(value) = has_context ? &g_context : nullptr;
      return true;
    case 2:
      *static_cast<unsigned*>(value) = !is_known ? 0 : residence == Residence::host ? 1 : 2;
      return true;
    case 8:
      *static_cast<bool*>(value) = is_known && residence == Residence::managed;
      return true;
    case 9:
      *static_cast<int*>(value) = is_known ? 3 : -2;
      return true;
    default:
      return false;
  }
}

}  // namespace

extern "C" {

DeviceLibrary* rondo_test_device() {
  return &g_library;
}

int cuPointerGetAttributes(unsigned number, int* attributes, void** values, std::uint64_t address) {
  const Allocation* const allocation = g_library.memory.find(address);
  for (unsigned i = 0; i < number; ++i)
    if (!set_attribute(attributes[i], values[i], allocation)) return kInvalidValue;
  return kSuccess;
}

int cuCtxPushCurrent_v2(void* context) {
  if (context != &g_context) return kInvalidContext;
  g_current.push_back(context);
  return kSuccess;
}

int cuCtxPopCurrent_v2(void** context) {
  if (g_current.empty()) return kInvalidContext;
  *context = g_current.back();
  g_current.pop_back();
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device != 3) return 101;
  *context = &g_context;
  ++g_retained;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease(int device) {
  if (device != 3) return 101;
  --g_retained;
  return kSuccess;
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  if (g_current.empty()) return kInvalidContext;
  const bool begun =
      stream == nullptr && g_library.memory.begin_read(static_cast<std::byte*>(to), from, bytes);
  return begun ? kSuccess : kInvalidValue;
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  if (g_current.empty()) return kInvalidContext;
  const bool begun = stream == nullptr &&
                     g_library.memory.begin_write(to, static_cast<const std::byte*>(from), bytes);
  return begun ? kSuccess : kInvalidValue;
}

int cuStreamSynchronize(void* stream) {
  if (g_current.empty() || stream != nullptr) return kInvalidContext;
  g_library.memory.synchronize();
  return kSuccess;
}

int cuGetErrorString(int code, const char** words) {
  *words = code == kInvalidValue ? "invalid argument" : "some other error";
  return kSuccess;
}

}  // extern "C"
