#include "gpu/kernels.hpp"

#include "gpu/device_thread.cuh"
#include "gpu/direct_body.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

namespace {

constexpr int kThreads = 256;

/// Thread blocks along x share the copy of a block; a long block needs several.
constexpr std::size_t kBytesPerThreadBlock = 16 * kThreads * 4;
constexpr std::size_t kMostAlong = 64;
constexpr std::size_t kMostAcross = 65535;  ///< CUDA's limit on a grid's y

__global__ void copy_kernel(Areas areas, const Copy* copies, std::size_t number,
                            std::size_t block_bytes) {
  const std::size_t index = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t count = gridDim.x * blockDim.x;
  for (std::size_t at = blockIdx.y; at < number; at += gridDim.y) {
    const Copy copy = copies[at];
    copy_part(areas.to(copy, block_bytes), areas.from(copy, block_bytes), block_bytes, index,
              count);
  }
}

__device__ void run_direct(const DirectCall& call, const Blocks& blocks) {
  __shared__ SharedNumbers numbers;
  DeviceThread thread(static_cast<int>(blockIdx.x), numbers);
  DirectBody<DeviceThread>(thread, call, blocks).run();
}

__global__ void direct_kernel(const __grid_constant__ DirectCall call) {
  run_direct(call, call.blocks);
}

__global__ void direct_table_kernel(const __grid_constant__ DirectCall call,
                                    const __grid_constant__ LengthTable table) {
  run_direct(call, table.applied_to(call.blocks));
}

unsigned to_unsigned(std::size_t number) {
  return static_cast<unsigned>(number);
}

}  // namespace

void copy_blocks(const Areas& areas, std::span<const Copy> copies, std::size_t block_bytes,
                 cudaStream_t stream) {
  if (copies.empty() || block_bytes == 0) return;
  const std::size_t along = (block_bytes + kBytesPerThreadBlock - 1) / kBytesPerThreadBlock;
  const dim3 grid(to_unsigned(along < kMostAlong ? along : kMostAlong),
                  to_unsigned(copies.size() < kMostAcross ? copies.size() : kMostAcross));
  const int threads = block_bytes < 32 * 16 ? 32 : kThreads;  // one warp for a short block
  copy_kernel<<<grid, threads, 0, stream>>>(areas, copies.data(), copies.size(), block_bytes);
  check(cudaGetLastError(), "the kernel that copies blocks");
}

void direct(const DirectCall& call, const LengthTable* table, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(call.region.blocks);
  if (table == nullptr)
    direct_kernel<<<blocks, kThreads, 0, stream>>>(call);
  else
    direct_table_kernel<<<blocks, kThreads, 0, stream>>>(call, *table);
  check(cudaGetLastError(), "the kernel of direct");
}

int most_thread_blocks() {
  int device = 0;
  int processors = 0;
  int on_each = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, direct_table_kernel, kThreads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return processors * on_each;
}

}  // namespace rondo::gpu
