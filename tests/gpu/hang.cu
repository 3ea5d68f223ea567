// Graphs of NCCL's sends and receives, replayed by ranks that are threads and share a GPU. No code
// here is Rondo's, so that a hang here is NCCL's or CUDA's.
//
//   nccl_hang grouped|phases RANKS CALLS LAUNCHES
//
// Each rank captures CALLS exchanges of 1 KiB blocks into a graph, and launches it LAUNCHES times.
// `grouped` exchanges with all ranks in one group of NCCL. `phases` has a group for each power of 3,
// with the ranks one and two times as far away, and a kernel before each, as nccl_bruck on 7 ranks.
// Exit status: 0, 1 after an error, 77 where there is no GPU. A hang must be ended.

#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = 1024;

void require(int code, const char* call) {
  if (code == 0) return;
  std::printf("%s failed with code %d\n", call, code);
  std::exit(1);
}

struct Plan {
  bool in_phases;
  int ranks, calls, launches;
};

__global__ void copy(char* to, const char* from, std::size_t bytes) {
  for (std::size_t at = threadIdx.x; at < bytes; at += blockDim.x) to[at] = from[at];
}

/// The memory of one rank: blocks to send, and blocks that are received.
struct Side {
  char* send;
  char* receive;
  int rank;
  ncclComm_t comm;
  cudaStream_t stream;
};

/// A group of messages to the ranks that far above, and from those that far below.
void exchange(const Side& own, int ranks, int first, int step, int last) {
  require(ncclGroupStart(), "ncclGroupStart");
  for (int hop = first; hop <= last && hop < ranks; hop += step) {
    const std::size_t offset = static_cast<std::size_t>(hop) * kBytes;
    const int above = (own.rank + hop) % ranks;
    const int below = (own.rank - hop + ranks) % ranks;
    require(ncclSend(own.send + offset, kBytes, ncclUint8, above, own.comm, own.stream),
            "ncclSend");
    require(ncclRecv(own.receive + offset, kBytes, ncclUint8, below, own.comm, own.stream),
            "ncclRecv");
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
}

void exchange(const Side& own, const Plan& plan) {
  if (!plan.in_phases) return exchange(own, plan.ranks, 0, 1, plan.ranks - 1);
  for (int distance = 1; distance < plan.ranks; distance *= 3) {
    copy<<<1, 256, 0, own.stream>>>(own.send, own.receive, kBytes);
    require(cudaGetLastError(), "a kernel");
    exchange(own, plan.ranks, distance, distance, 2 * distance);
  }
}

void replay(int rank, const Plan& plan, const ncclUniqueId& id) {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  char* memory = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(plan.ranks) * kBytes;
  require(cudaSetDevice(0), "cudaSetDevice");
  require(ncclCommInitRank(&comm, plan.ranks, id, rank), "ncclCommInitRank");
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  require(cudaMalloc(&memory, 2 * bytes), "cudaMalloc");
  const Side own{memory, memory + bytes, rank, comm, stream};
  exchange(own, plan);  // the first one connects the ranks
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  for (int call = 0; call < plan.calls; ++call) exchange(own, plan);
  require(cudaStreamEndCapture(stream, &graph), "capture");
  require(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  for (int launch = 0; launch < plan.launches; ++launch)
    require(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// CUDA reads some of what ranks that share a GPU need before main() begins.
void start_again_for_sharing(char** argv) {
  if (std::getenv("NCCL_MULTI_RANK_GPU_ENABLE") != nullptr) return;
#define RONDO_SHARING(variable, value) setenv(#variable, #value, 0);
#include "gpu/sharing.def"
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::printf("usage: nccl_hang grouped|phases RANKS CALLS LAUNCHES\n");
    return 2;
  }
  start_again_for_sharing(argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no GPU\n");
    return 77;
  }
  const Plan plan{std::strcmp(argv[1], "phases") == 0, std::atoi(argv[2]), std::atoi(argv[3]),
                  std::atoi(argv[4])};
  ncclUniqueId id;
  require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  std::vector<std::thread> running;
  for (int rank = 0; rank < plan.ranks; ++rank) running.emplace_back(replay, rank, plan, id);
  for (std::thread& one : running) one.join();
  std::printf("%d ranks, graphs of %d calls, %d launches: finished\n", plan.ranks, plan.calls,
              plan.launches);
  return 0;
}
