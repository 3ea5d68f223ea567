// The kernels, as the host calls them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "gpu/areas.hpp"
#include "gpu/direct_call.hpp"
#include "gpu/steps.hpp"

namespace rondo::gpu {

/// Starts one kernel for all `copies` of blocks of equal length; `copies` lie on the device. Starts
/// nothing if there is nothing to copy.
void copy_blocks(const Areas& areas, std::span<const Copy> copies, std::size_t block_bytes,
                 cudaStream_t stream);

/// Starts one kernel of `call.region.blocks` thread blocks, at most most_thread_blocks(). `table`
/// holds counts and displacements from arrays on the host; it is null if there are none.
void direct(const DirectCall& call, const LengthTable* table, cudaStream_t stream);

/// Returns how many thread blocks of direct() the current device runs at the same time.
int most_thread_blocks();

}  // namespace rondo::gpu
