// nccl_grouped
//
// Idea:     every block straight to its rank. All sends and receives form one group, which NCCL
//           runs in one launch.
// Source:   HPC Asia 2024, Algorithm 1.
// Rounds:   P - 1, in flight together.
// Sent:     own bytes once.
// Scratch:  none.
// Cost:     one launch.
// Limits:   the counts of alltoallv lie on the host, like those of NCCL's sends and receives.

#include "gpu/exchange.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

namespace {

class Grouped final : public Exchange {
 public:
  explicit Grouped(const Setup& setup) : comm_(setup.comm), ranks_(setup.ranks) {}

  void run(const Blocks& blocks, cudaStream_t stream) override {
    in_group([&] {
      for (int rank = 0; rank < ranks_; ++rank) {
        send(blocks.to(rank), rank, comm_, stream);
        receive(blocks.from(rank), rank, comm_, stream);
      }
    });
  }

 private:
  ncclComm_t comm_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Exchange> make_nccl_grouped(const Setup& setup) {
  return std::make_unique<Grouped>(setup);
}

}  // namespace rondo::gpu
