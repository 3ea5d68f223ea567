// A CUDA thread in the form that direct_body.hpp requires.
#pragma once

#include <cuda/atomic>

#include "gpu/direct_call.hpp"

namespace rondo::gpu {

class DeviceThread {
 public:
  __device__ DeviceThread(int block, SharedNumbers& shared) : block_(block), shared_(shared) {}

  __device__ int index() const { return static_cast<int>(threadIdx.x); }
  __device__ int count() const { return static_cast<int>(blockDim.x); }
  __device__ int block() const { return block_; }
  __device__ void sync() { __syncthreads(); }
  __device__ SharedNumbers& shared() { return shared_; }

  template <class Word>
  __device__ Word load(Word* word) const {
    return reference(word).load(cuda::memory_order_relaxed);
  }
  template <class Word>
  __device__ Word load_acquire(Word* word) const {
    return reference(word).load(cuda::memory_order_acquire);
  }
  template <class Word>
  __device__ void store_release(Word* word, Word value) const {
    reference(word).store(value, cuda::memory_order_release);
  }
  __device__ std::uint32_t add(std::uint32_t* word) const {
    return reference(word).fetch_add(1, cuda::memory_order_acq_rel);
  }

  // Volatile, so that every access goes to memory. One access of 16 bytes covers both words.
  __device__ Line load_line(const Line* line) const {
    Line seen;
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(seen.low), "=l"(seen.high)
                 : "l"(line)
                 : "memory");
    return seen;
  }
  __device__ void store_line(Line* line, const Line& value) const {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(line), "l"(value.low), "l"(value.high)
                 : "memory");
  }

  __device__ void publish() const { __threadfence_system(); }
  __device__ void pause() const {}
  __device__ std::uint64_t nanoseconds() const {
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }

 private:
  template <class Word>
  __device__ static cuda::atomic_ref<Word, cuda::thread_scope_system> reference(Word* word) {
    return cuda::atomic_ref<Word, cuda::thread_scope_system>(*word);
  }

  int block_;
  SharedNumbers& shared_;
};

}  // namespace rondo::gpu
