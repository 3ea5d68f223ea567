// The kernels, as the host calls them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "gpu/areas.hpp"
#include "gpu/direct_call.hpp"
#include "gpu/steps.hpp"

namespace rondo::gpu {

/// One kernel for all `copies`, which lie on the device, of blocks of equal length. Starts nothing
/// if there is nothing to copy.
void copy_blocks(const Areas& areas, std::span<const Copy> copies, std::size_t block_bytes,
                 cudaStream_t stream);

/// One kernel of `call.region.blocks` thread blocks, which must fit on the device together: see
/// most_thread_blocks(). `table` holds the lengths where they were given on the host, else null.
void direct(const DirectCall& call, const LengthTable* table, cudaStream_t stream);

/// Thread blocks of direct() that the current device runs at the same time.
int most_thread_blocks();

}  // namespace rondo::gpu
