// The kernels on the host, with the same bodies as on the device.
#include "gpu/kernels.hpp"
#include "host_thread.hpp"
#include "stand_in.hpp"

namespace rondo::gpu {

namespace {

constexpr int kThreads = 2;

}  // namespace

void copy_blocks(const Areas& areas, std::span<const Copy> copies, std::size_t block_bytes,
                 cudaStream_t stream) {
  if (copies.empty() || block_bytes == 0) return;
  testing::count_kernel();
  testing::enqueue(stream, [=] {
    for (const Copy& copy : copies)
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        copy_part(areas.to(copy, block_bytes), areas.from(copy, block_bytes), block_bytes, thread,
                  kThreads);
  });
}

void direct(const DirectCall& call, const LengthTable* table, cudaStream_t stream) {
  testing::count_kernel();
  testing::enqueue(stream,
                   [kept = DirectCall(call), given = table != nullptr ? *table : LengthTable{},
                    has_table = table != nullptr] {
                     testing::launch_on_host(
                         kept, has_table ? given.applied_to(kept.blocks) : kept.blocks, kThreads);
                   });
}

int most_thread_blocks() {
  return 16;
}

}  // namespace rondo::gpu
