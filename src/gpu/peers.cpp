#include "gpu/peers.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "gpu/gather.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

/// Whether all ranks can go on; a rank alone must not turn back.
bool all_can(ncclComm_t comm, int ranks, bool can) {
  const auto answers = gather(comm, ranks, static_cast<char>(can));
  return std::ranges::all_of(answers, [](char answer) { return answer != 0; });
}

void clear(void* memory, std::size_t bytes) {
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// A window of NCCL. Its functions are looked for at run time: programs are built with older headers.
class Window final : public Peers {
 public:
  using GetPointer = ncclResult_t (*)(ncclWindow_t, std::size_t, int, void**);

  /// Nothing if this NCCL has no windows that the host can ask, which is the same on all ranks, or the
  /// window does not reach all of them.
  static std::unique_ptr<Peers> make(ncclComm_t comm, int ranks, std::size_t bytes) {
    const auto get_pointer =
        reinterpret_cast<GetPointer>(dlsym(RTLD_DEFAULT, "ncclGetLsaDevicePointer"));
    if (!all_can(comm, ranks, get_pointer != nullptr)) return nullptr;
    std::unique_ptr<Window> window(new Window(comm));
    const bool works = window->open(get_pointer, ranks, bytes);
    if (!all_can(comm, ranks, works)) return nullptr;
    return window;
  }

  ~Window() override {
    if (window_ != nullptr) ncclCommWindowDeregister(comm_, window_);
    if (memory_ != nullptr) ncclMemFree(memory_);
  }

 private:
  explicit Window(ncclComm_t comm) : comm_(comm) {}

  bool open(GetPointer get_pointer, int ranks, std::size_t bytes) {
    const bool has_memory = ncclMemAlloc(&memory_, bytes) == ncclSuccess;
    if (has_memory) clear(memory_, bytes);
    if (!all_can(comm_, ranks, has_memory)) return false;
    if (ncclCommWindowRegister(comm_, memory_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC) !=
            ncclSuccess ||
        window_ == nullptr)
      return false;
    for (int rank = 0; rank < ranks; ++rank) {
      void* base = nullptr;
      if (get_pointer(window_, 0, rank, &base) != ncclSuccess || base == nullptr) return false;
      bases_.push_back(static_cast<std::byte*>(base));
    }
    return true;
  }

  ncclComm_t comm_;
  void* memory_ = nullptr;
  ncclWindow_t window_ = nullptr;
};

/// Where a rank's memory is and how others get at it.
struct Address {
  std::array<char, 64> host;
  long process;
  int device;
  std::byte* memory;
  cudaIpcMemHandle_t handle;
  bool has_handle;
};

class Handles final : public Peers {
 public:
  Handles(ncclComm_t comm, int rank, int ranks, std::size_t bytes)
      : comm_(comm), ranks_(ranks), memory_(device_memory(bytes)) {
    clear(memory_.get(), bytes);
    const auto addresses = gather(comm, ranks, address());
    const Address& own = addresses[static_cast<std::size_t>(rank)];
    std::string trouble;
    for (int peer = 0; peer < ranks && trouble.empty(); ++peer)
      trouble = map(own, addresses[static_cast<std::size_t>(peer)], peer);
    if (all_can(comm, ranks, trouble.empty())) return;
    unmap();
    throw Failure(ncclInvalidUsage,
                  text("direct needs all ranks' memory within reach: ",
                       trouble.empty() ? "another rank cannot reach all others" : trouble,
                       "; use nccl_grouped"));
  }

  ~Handles() override {
    unmap();
    // Nobody frees memory that another rank still has open.
    try {
      all_can(comm_, ranks_, true);
    } catch (const Error&) {
      // The communicator has failed; there is nothing left to wait for.
    }
  }

 private:
  Address address() const {
    Address address{};
    gethostname(address.host.data(), address.host.size() - 1);
    address.process = getpid();
    check(cudaGetDevice(&address.device), "cudaGetDevice");
    address.memory = memory_.get();
    address.has_handle = cudaIpcGetMemHandle(&address.handle, memory_.get()) == cudaSuccess;
    cudaGetLastError();  // it may fail: ranks that are threads of one process need no handle
    return address;
  }

  /// What is in the way, if anything.
  std::string map(const Address& own, const Address& other, int peer) {
    if (own.host != other.host) return text("rank ", peer, " is on host ", other.host.data());
    if (own.process != other.process) return open(other, peer);
    if (own.device != other.device) {
      const cudaError_t code = cudaDeviceEnablePeerAccess(other.device, 0);
      cudaGetLastError();
      if (code != cudaSuccess && code != cudaErrorPeerAccessAlreadyEnabled)
        return text("rank ", peer, ": ", cudaGetErrorString(code));
    }
    bases_.push_back(other.memory);
    return {};
  }

  std::string open(const Address& other, int peer) {
    void* memory = nullptr;
    if (!other.has_handle) return text("rank ", peer, " has no handle for other processes");
    const cudaError_t code =
        cudaIpcOpenMemHandle(&memory, other.handle, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    if (code != cudaSuccess) return text("rank ", peer, ": ", cudaGetErrorString(code));
    bases_.push_back(static_cast<std::byte*>(memory));
    opened_.push_back(memory);
    return {};
  }

  void unmap() {
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    opened_.clear();
  }

  ncclComm_t comm_;
  int ranks_;
  DeviceMemory memory_;
  std::vector<void*> opened_;
};

}  // namespace

std::unique_ptr<Peers> make_peers(ncclComm_t comm, int rank, int ranks, std::size_t bytes) {
  if (auto window = Window::make(comm, ranks, bytes)) return window;
  return std::make_unique<Handles>(comm, rank, ranks, bytes);
}

}  // namespace rondo::gpu
