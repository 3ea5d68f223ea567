#include "gpu/exchange.hpp"

#include "gpu/failure.hpp"

namespace rondo::gpu {

void Exchange::alltoallv(const Variable&, cudaStream_t) {
  throw Failure(ncclInvalidUsage,
                "this algorithm takes blocks of equal length; nccl_grouped, mpi_staged and direct "
                "take others");
}

std::unique_ptr<Exchange> make_exchange(const Setup& setup) {
  using Make = std::unique_ptr<Exchange> (*)(const Setup&);
  static constexpr Make kMake[] = {
#define RONDO_GPU_ALGORITHM(name, shape, engine, ...) make_##engine,
#include "registry/gpu_algorithms.def"
#undef RONDO_GPU_ALGORITHM
  };
  return kMake[setup.choice.algorithm - registry::gpu_algorithms().data()](setup);
}

}  // namespace rondo::gpu
