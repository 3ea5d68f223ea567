#include "gpu/peers.hpp"

#include <optional>
#include <string>
#include <utility>

#include "gpu/process_name.hpp"

namespace rondo::gpu {

namespace {

/// Throws on all ranks if one rank has failed. That rank throws its own failure.
[[noreturn]] void throw_failure(const std::optional<Failure>& own) {
  if (own) throw Failure(*own);
  throw Failure(ncclInvalidUsage,
                "direct: another rank cannot take part; use nccl_grouped or nccl_bruck");
}

/// Where a rank's memory is, and how other ranks map it.
struct Address {
  ProcessName process;
  int device;
  std::byte* memory;
  cudaIpcMemHandle_t handle;
  bool has_handle;
};

/// Memory that other processes open by CUDA's handles. Ranks of one process need no handle.
class Handles final : public Peers {
 public:
  /// `failed` could not reach all ranks. It is destroyed with this object, since freeing its memory
  /// now could wait for kernels on the same GPU that wait for this rank.
  Handles(const PeersRequest& request, const Gatherer& gatherer, std::unique_ptr<Peers> failed)
      : failed_(std::move(failed)), gatherer_(gatherer) {
    const auto failure = failure_in([&] {
      memory_ = device_memory(request.bytes);
      gatherer.clear(memory_.get(), request.bytes);
      own_ = address();
    });
    if (!gatherer.all_succeeded(!failure)) throw_failure(failure);
    const auto addresses = gatherer.gather(own_);
    std::string obstacle;
    for (int peer = 0; peer < request.ranks && obstacle.empty(); ++peer)
      obstacle = map(addresses[static_cast<std::size_t>(peer)], peer);
    if (gatherer.all_succeeded(obstacle.empty())) return;
    unmap();
    if (obstacle.empty()) throw_failure(std::nullopt);
    throw Failure(ncclInvalidUsage, text("direct: ", obstacle, "; use nccl_grouped or nccl_bruck"));
  }

  ~Handles() override { unmap(); }

 private:
  Address address() const {
    Address address{};
    address.process = own_process_name();
    check(cudaGetDevice(&address.device), "cudaGetDevice");
    address.memory = memory_.get();
    address.has_handle = cudaIpcGetMemHandle(&address.handle, memory_.get()) == cudaSuccess;
    cudaGetLastError();  // clears a failure: ranks that are threads of one process need no handle
    return address;
  }

  /// Maps the memory of another rank. Returns why it cannot be mapped, or an empty text.
  std::string map(const Address& other, int peer) {
    if (!on_one_machine(own_.process, other.process))
      return text("rank ", peer, " is on another machine, ", other.process.host.data());
    if (!is_one_process(own_.process, other.process)) return open(other, peer);
    if (own_.device != other.device) {
      const cudaError_t code = cudaDeviceEnablePeerAccess(other.device, 0);
      cudaGetLastError();
      if (code != cudaSuccess && code != cudaErrorPeerAccessAlreadyEnabled)
        return text("cannot access the memory of rank ", peer, ": ", cudaGetErrorString(code));
    }
    bases_.push_back(other.memory);
    return {};
  }

  std::string open(const Address& other, int peer) {
    void* memory = nullptr;
    if (!other.has_handle) return text("rank ", peer, " cannot share its memory with processes");
    const cudaError_t code =
        cudaIpcOpenMemHandle(&memory, other.handle, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    if (code != cudaSuccess)
      return text("cannot open the memory of rank ", peer, ": ", cudaGetErrorString(code));
    bases_.push_back(static_cast<std::byte*>(memory));
    opened_.push_back(memory);
    return {};
  }

  /// Collective, so that no rank frees memory that another rank still has open.
  void unmap() const {
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    try {
      gatherer_.all_succeeded(true);
    } catch (const Error&) {
      // The communicator has failed; there is nothing left to wait for.
    }
  }

  std::unique_ptr<Peers> failed_;
  const Gatherer& gatherer_;
  DeviceMemory memory_;
  Address own_{};
  std::vector<void*> opened_;
};

}  // namespace

std::unique_ptr<Peers> make_peers(const PeersRequest& request, const Gatherer& gatherer) {
  if (!gatherer.all_succeeded(!request.failure)) throw_failure(request.failure);
  auto window = make_window(request, gatherer);
  if (!window->bases().empty()) return window;
  return std::make_unique<Handles>(request, gatherer, std::move(window));
}

}  // namespace rondo::gpu
