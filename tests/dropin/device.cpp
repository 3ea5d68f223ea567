// device LIBRARY: MPI_Alltoall between buffers that the MPI library cannot access. The library that
// allocates them is in tests/mpi/devices. The program counts what `new` allocates, in an object that must be made
// before.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>

#include "devices/memory.hpp"

namespace {

struct Allocations {
  std::time_t since = std::time(nullptr);
  std::size_t count = 0;
};
Allocations g_allocations;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (g_allocations.since == 0) std::abort();
  ++g_allocations.count;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using rondo::testing::DeviceLibrary;
using rondo::testing::Residence;

DeviceLibrary* load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto get = reinterpret_cast<DeviceLibrary* (*)()>(dlsym(library, "rondo_test_device"));
  return get == nullptr ? nullptr : get();
}

int run(DeviceLibrary& device) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::size_t bytes = static_cast<std::size_t>(ranks) * sizeof(int);
  std::byte* const sent = device.memory.allocate(bytes, Residence::device);
  std::byte* const received = device.memory.allocate(bytes, Residence::device);
  int wrong = 0;
  for (int round = 0; round < 3; ++round) {
    auto* const out = reinterpret_cast<int*>(device.memory.view(sent));
    for (int peer = 0; peer < ranks; ++peer) out[peer] = 10000 * round + 100 * rank + peer;
    if (MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS)
      ++wrong;
    const auto* const in = reinterpret_cast<const int*>(device.memory.view(received));
    for (int peer = 0; peer < ranks; ++peer)
      if (in[peer] != 10000 * round + 100 * peer + rank) ++wrong;
  }
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("3 exchanges, %d wrong\n", all_wrong);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  DeviceLibrary* const device = argc == 2 ? load(argv[1]) : nullptr;
  const int status = device != nullptr ? run(*device) : 2;
  MPI_Finalize();
  return status;
}
