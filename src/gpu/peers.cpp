#include "gpu/peers.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

namespace rondo::gpu {

namespace {

[[noreturn]] void turn_back(const std::string& trouble) {
  throw Failure(ncclInvalidUsage,
                text("direct: ", trouble.empty() ? "another rank cannot take part" : trouble,
                     "; use nccl_grouped or nccl_bruck"));
}

/// A window of NCCL. Its functions are looked for at run time: programs are built with older
/// headers.
class Window final : public Peers {
 public:
  using GetPointer = ncclResult_t (*)(ncclWindow_t, std::size_t, int, void**);

  explicit Window(ncclComm_t comm) : comm_(comm) {}

  /// False, on all ranks, if this NCCL has no windows that the host can ask, or if they do not
  /// reach all ranks.
  bool open(const PeersRequest& request, const Gatherer& gatherer) {
    const auto get_pointer =
        reinterpret_cast<GetPointer>(dlsym(RTLD_DEFAULT, "ncclGetLsaDevicePointer"));
    const bool has_memory =
        get_pointer != nullptr && ncclMemAlloc(&memory_, request.bytes) == ncclSuccess;
    if (has_memory) gatherer.clear(memory_, request.bytes);
    return gatherer.all_can(has_memory) && gatherer.all_can(reach_all(request, get_pointer));
  }

  ~Window() override {
    if (window_ != nullptr) ncclCommWindowDeregister(comm_, window_);
    if (memory_ != nullptr) ncclMemFree(memory_);
  }

 private:
  bool reach_all(const PeersRequest& request, GetPointer get_pointer) {
    if (ncclCommWindowRegister(comm_, memory_, request.bytes, &window_, NCCL_WIN_COLL_SYMMETRIC) !=
            ncclSuccess ||
        window_ == nullptr)
      return false;
    for (int rank = 0; rank < request.ranks; ++rank) {
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

/// Memory that other processes open by CUDA's handles; ranks of one process have it anyway.
class Handles final : public Peers {
 public:
  /// `failed`, which found no way, ends with this: freeing its memory now could wait for kernels of
  /// ranks on the same GPU that wait for this one.
  Handles(const PeersRequest& request, const Gatherer& gatherer, std::unique_ptr<Window> failed)
      : failed_(std::move(failed)), gatherer_(gatherer), memory_(allocate(request)) {
    if (!gatherer.all_can(memory_ != nullptr))
      throw Failure(ncclSystemError, text("direct: ", request.bytes,
                                          " bytes of device memory cannot be had on every rank"));
    gatherer.clear(memory_.get(), request.bytes);
    const auto addresses = gatherer.gather(address());
    const Address& own = addresses[static_cast<std::size_t>(request.rank)];
    std::string trouble;
    for (int peer = 0; peer < request.ranks && trouble.empty(); ++peer)
      trouble = map(own, addresses[static_cast<std::size_t>(peer)], peer);
    if (gatherer.all_can(trouble.empty())) return;
    unmap();
    turn_back(trouble.empty() ? "another rank cannot reach all memory" : trouble);
  }

  ~Handles() override {
    unmap();
    // Nobody frees memory that another rank still has open.
    try {
      gatherer_.all_can(true);
    } catch (const Error&) {
      // The communicator has failed; there is nothing left to wait for.
    }
  }

 private:
  /// Null where memory is short: the others must hear of it.
  static DeviceMemory allocate(const PeersRequest& request) {
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, request.bytes);
    if (code != cudaErrorMemoryAllocation) check(code, "cudaMalloc");
    return DeviceMemory(static_cast<std::byte*>(memory));
  }

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
        return text("the memory of rank ", peer, ": ", cudaGetErrorString(code));
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
    if (code != cudaSuccess)
      return text("the memory of rank ", peer, ": ", cudaGetErrorString(code));
    bases_.push_back(static_cast<std::byte*>(memory));
    opened_.push_back(memory);
    return {};
  }

  void unmap() {
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    opened_.clear();
  }

  std::unique_ptr<Window> failed_;
  const Gatherer& gatherer_;
  DeviceMemory memory_;
  std::vector<void*> opened_;
};

}  // namespace

std::unique_ptr<Peers> make_peers(const PeersRequest& request, const Gatherer& gatherer) {
  if (!gatherer.all_can(request.trouble.empty())) turn_back(request.trouble);
  auto window = std::make_unique<Window>(request.comm);
  if (window->open(request, gatherer)) return window;
  return std::make_unique<Handles>(request, gatherer, std::move(window));
}

}  // namespace rondo::gpu
