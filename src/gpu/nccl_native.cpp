// nccl_native
//
// Idea:     NCCL's own all-to-all.
// Source:   NCCL 2.28, ncclAlltoAll.
// Rounds:   unknown.
// Sent:     own bytes once.
// Scratch:  none in Rondo.
// Cost:     one launch.
// Limits:   blocks of equal length; NCCL 2.28 or newer.

#include "gpu/exchange.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)

namespace {

class Native final : public Exchange {
 public:
  explicit Native(ncclComm_t comm) : comm_(comm) {}

  bool is_uniform_only() const override { return true; }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    check(ncclAlltoAll(blocks.send, blocks.receive, blocks.uniform_bytes, ncclUint8, comm_, stream),
          "ncclAlltoAll");
  }

 private:
  ncclComm_t comm_;
};

}  // namespace

std::unique_ptr<Exchange> make_nccl_native(const Setup& setup) {
  return std::make_unique<Native>(setup.comm);
}

#else

std::unique_ptr<Exchange> make_nccl_native(const Setup&) {
  throw Failure(ncclInvalidUsage,
                "nccl_native needs NCCL 2.28 or newer, but this library was built with an older "
                "one; use nccl_grouped");
}

#endif

}  // namespace rondo::gpu
