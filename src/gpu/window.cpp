// Memory of all ranks in a symmetric window of NCCL.
#include <dlfcn.h>

#include "gpu/peers.hpp"

namespace rondo::gpu {

// Symmetric windows came with NCCL 2.27.
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)

namespace {

/// Its newest function is looked up at run time, since older headers do not declare it.
class Window final : public Peers {
 public:
  using GetPointer = ncclResult_t (*)(ncclWindow_t, std::size_t, int, void**);

  Window(const PeersRequest& request, const Gatherer& gatherer) : comm_(request.comm) {
    const auto get_pointer =
        reinterpret_cast<GetPointer>(dlsym(RTLD_DEFAULT, "ncclGetLsaDevicePointer"));
    const bool has_memory = get_pointer != nullptr &&
                            ncclMemAlloc(&memory_, request.bytes) == ncclSuccess &&
                            gatherer.try_clear(memory_, request.bytes);
    if (gatherer.all_succeeded(has_memory) &&
        gatherer.all_succeeded(reach_all(request, get_pointer)))
      return;
    bases_.clear();
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

}  // namespace

std::unique_ptr<Peers> make_window(const PeersRequest& request, const Gatherer& gatherer) {
  return std::make_unique<Window>(request, gatherer);
}

#else

std::unique_ptr<Peers> make_window(const PeersRequest&, const Gatherer&) {
  return std::make_unique<Peers>();
}

#endif

}  // namespace rondo::gpu
