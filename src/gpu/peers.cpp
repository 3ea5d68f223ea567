#include "gpu/peers.hpp"

#include <optional>
#include <string>
#include <utility>

#include "gpu/process_name.hpp"

namespace rondo::gpu {

namespace {

/// Ends on all ranks what one cannot do. That one says why.
[[noreturn]] void turn_back(const std::optional<Failure>& own) {
  if (own) throw Failure(*own);
  throw Failure(ncclInvalidUsage,
                "direct: another rank cannot take part; use nccl_grouped or nccl_bruck");
}

/// Where a rank's memory is and how others get at it.
struct Address {
  ProcessName process;
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
  Handles(const PeersRequest& request, const Gatherer& gatherer, std::unique_ptr<Peers> failed)
      : failed_(std::move(failed)), gatherer_(gatherer) {
    const auto lacking = failure_in([&] {
      memory_ = device_memory(request.bytes);
      gatherer.clear(memory_.get(), request.bytes);
      own_ = address();
    });
    if (!gatherer.all_can(!lacking)) turn_back(lacking);
    const auto addresses = gatherer.gather(own_);
    std::string trouble;
    for (int peer = 0; peer < request.ranks && trouble.empty(); ++peer)
      trouble = map(addresses[static_cast<std::size_t>(peer)], peer);
    if (gatherer.all_can(trouble.empty())) return;
    unmap();
    if (trouble.empty()) turn_back(std::nullopt);
    throw Failure(ncclInvalidUsage, text("direct: ", trouble, "; use nccl_grouped or nccl_bruck"));
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
  Address address() const {
    Address address{};
    address.process = own_process_name();
    check(cudaGetDevice(&address.device), "cudaGetDevice");
    address.memory = memory_.get();
    address.has_handle = cudaIpcGetMemHandle(&address.handle, memory_.get()) == cudaSuccess;
    cudaGetLastError();  // it may fail: ranks that are threads of one process need no handle
    return address;
  }

  /// What is in the way, if anything.
  std::string map(const Address& other, int peer) {
    if (!on_one_machine(own_.process, other.process))
      return text("rank ", peer, " is on another machine, ", other.process.host.data());
    if (!is_one_process(own_.process, other.process)) return open(other, peer);
    if (own_.device != other.device) {
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

  std::unique_ptr<Peers> failed_;
  const Gatherer& gatherer_;
  DeviceMemory memory_;
  Address own_{};
  std::vector<void*> opened_;
};

}  // namespace

std::unique_ptr<Peers> make_peers(const PeersRequest& request, const Gatherer& gatherer) {
  if (!gatherer.all_can(!request.lacking)) turn_back(request.lacking);
  auto window = make_window(request, gatherer);
  if (!window->bases().empty()) return window;
  return std::make_unique<Handles>(request, gatherer, std::move(window));
}

}  // namespace rondo::gpu
