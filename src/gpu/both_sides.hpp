// Functions that the device and the host both have: kernels call them, and tests without a GPU.
#pragma once

#ifdef __CUDACC__
#define RONDO_DEVICE __host__ __device__
#else
#define RONDO_DEVICE
#endif
