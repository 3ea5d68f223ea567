// nccl_grouped
//
// Idea:     every block straight to its rank; all sends and receives in one group, which NCCL
//           carries out in one launch.
// Source:   HPC Asia 2024, Algorithm 1.
// Rounds:   P - 1, in flight together.
// Sent:     own bytes once.
// Scratch:  none.
// Cost:     one launch.
// Limits:   counts of alltoallv lie on the host, as those of NCCL's sends and receives do.

#include "gpu/exchange.hpp"
#include "gpu/group.hpp"

namespace rondo::gpu {

namespace {

class Grouped final : public Exchange {
 public:
  explicit Grouped(const Setup& setup) : comm_(setup.comm), ranks_(setup.ranks) {}

  void alltoall(const Uniform& blocks, cudaStream_t stream) override {
    exchange(stream, [&](int rank) {
      return Pair{{blocks.to(rank), blocks.block_bytes}, {blocks.from(rank), blocks.block_bytes}};
    });
  }

  void alltoallv(const Variable& blocks, cudaStream_t stream) override {
    exchange(stream, [&](int rank) { return Pair{blocks.to(rank), blocks.from(rank)}; });
  }

 private:
  struct Pair {
    ConstBlock to;
    Block from;
  };

  template <class PairOf>
  void exchange(cudaStream_t stream, PairOf&& pair_of) {
    in_group([&] {
      for (int rank = 0; rank < ranks_; ++rank) {
        const Pair pair = pair_of(rank);
        send(pair.to, rank, comm_, stream);
        receive(pair.from, rank, comm_, stream);
      }
    });
  }

  ncclComm_t comm_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Exchange> make_nccl_grouped(const Setup& setup) {
  return std::make_unique<Grouped>(setup);
}

}  // namespace rondo::gpu
