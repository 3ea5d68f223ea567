// CUDA and NCCL for tests without a GPU: device memory is host memory that is known by address,
// streams do their work at once or into a graph, and every rank of a communicator is a thread of
// this process.
//
// Only the functions that src/gpu calls exist, and they are strict: a copy must give the right kind
// of memory, work in a captured stream is done at replay, and a send and its receive must have the
// same length.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <functional>

namespace rondo::testing {

/// The launches of this thread since the last call of launches().
struct Launches {
  int copies = 0;
  int kernels = 0;
  int groups = 0;
  int graphs = 0;

  bool operator==(const Launches&) const = default;
};
Launches launches();

/// How the ranks of a communicator reach each other's memory: as threads of one process, by windows of NCCL 2.29, or as
/// processes that open each other's memory.
enum class Reach { threads, windows, processes };
void set_reach(Reach reach);

/// With Reach::processes, the number of the process that this thread plays; otherwise 0.
int own_process();

/// How many more allocations of device memory, or openings of another process's, succeed in this thread; -1 = all.
void limit_allocations(int number);

/// How many pieces of device and pinned memory, openings, streams, events, graphs and communicators of
/// ncclCommInitRank() exist.
long things_held();

/// One of them more, or less.
void count_held(long change);

/// Runs `body(comm, rank)` on one thread per rank, each with its communicator.
void on_ranks(int ranks, const std::function<void(ncclComm_t comm, int rank)>& body);

/// Puts work into a stream. It is done at once, or at every replay.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Memory of the host plays device memory until it is taken back. Not for empty memory.
void lend(const void* memory, std::size_t bytes);
void take_back(const void* memory, std::size_t bytes);

/// Whether all of it is device memory.
bool is_device(const void* memory, std::size_t bytes);

/// Whether the device can read and write it: its own memory, or pinned memory of the host.
bool is_reachable(const void* memory, std::size_t bytes);

void count_kernel();
void count_group();

}  // namespace rondo::testing
