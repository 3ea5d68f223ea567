// NCCL for tests: ranks are threads, messages go through queues.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "stand_in.hpp"

namespace {

using Bytes = std::vector<char>;

/// Messages that were sent and not yet received.
class World {
 public:
  explicit World(int count) : ranks(count), windows(static_cast<std::size_t>(count)) {}

  void put(int from, int to, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    queues_[{from, to}].push_back(std::move(bytes));
    arrived_.notify_all();
  }

  Bytes take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& queue = queues_[{from, to}];
    arrived_.wait(lock, [&] { return !queue.empty(); });
    Bytes bytes = std::move(queue.front());
    queue.pop_front();
    return bytes;
  }

  bool is_empty() {
    const std::lock_guard lock(mutex_);
    for (const auto& [pair, queue] : queues_)
      if (!queue.empty()) return false;
    return true;
  }

  const int ranks;
  std::vector<void*> windows;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<Bytes>> queues_;
};

/// One send or receive of a group.
struct Operation {
  bool is_send;
  void* memory;
  std::size_t bytes;
  int peer;
  ncclComm_t comm;
  cudaStream_t stream;
};

thread_local int g_depth = 0;
thread_local std::vector<Operation> g_group;
std::atomic<rondo::testing::Reach> g_reach{};
thread_local int g_process = 0;

}  // namespace

struct ncclComm {
  World* world;
  int rank;
  std::shared_ptr<int> calls = std::make_shared<int>();  ///< shared by what is in graphs
};

namespace {

void carry_out(const std::vector<Operation>& group) {
  for (const Operation& send : group)
    if (send.is_send) {
      const auto* const bytes = static_cast<const char*>(send.memory);
      send.comm->world->put(send.comm->rank, send.peer, Bytes(bytes, bytes + send.bytes));
    }
  for (const Operation& receive : group)
    if (!receive.is_send) {
      const Bytes bytes = receive.comm->world->take(receive.peer, receive.comm->rank);
      if (bytes.size() != receive.bytes) std::abort();  // NCCL would hang or overwrite
      std::memcpy(receive.memory, bytes.data(), bytes.size());
    }
}

ncclResult_t add(const Operation& operation) {
  if (operation.peer < 0 || operation.peer >= operation.comm->world->ranks)
    return ncclInvalidArgument;
  if (!rondo::testing::is_reachable(operation.memory, operation.bytes)) return ncclInvalidArgument;
  if (g_depth == 0) return ncclInvalidUsage;  // NCCL allows it; Rondo never does it
  g_group.push_back(operation);
  return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGroupStart() {
  ++g_depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (g_depth == 0) return ncclInvalidUsage;
  if (--g_depth > 0) return ncclSuccess;
  const auto group = std::exchange(g_group, {});
  if (group.empty()) return ncclSuccess;
  rondo::testing::count_group();
  rondo::testing::enqueue(group.front().stream,
                          [group, call = group.front().comm->calls] { carry_out(group); });
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* memory, size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({true, const_cast<void*>(memory), count, peer, comm, stream});
}
ncclResult_t ncclRecv(void* memory, size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({false, memory, count, peer, comm, stream});
}
ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  for (int peer = 0; peer < comm->world->ranks; ++peer) {
    const std::size_t offset = static_cast<std::size_t>(peer) * count;
    ncclSend(static_cast<const char*>(send) + offset, count, type, peer, comm, stream);
    ncclRecv(static_cast<char*>(receive) + offset, count, type, peer, comm, stream);
  }
  const ncclResult_t result = ncclGroupEnd();
  // For a test that a wrong byte is noticed.
  if (comm->rank == 0 && std::getenv("STAND_IN_SPOILS") != nullptr)
    rondo::testing::enqueue(stream, [receive] { *static_cast<char*>(receive) ^= 1; });
  return result;
}
ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  for (int peer = 0; peer < comm->world->ranks; ++peer) {
    ncclSend(send, count, type, peer, comm, stream);
    ncclRecv(static_cast<char*>(receive) + static_cast<std::size_t>(peer) * count, count, type,
             peer, comm, stream);
  }
  return ncclGroupEnd();
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int* ranks) {
  *ranks = comm->world->ranks;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) {
  return "an error of the stand-in";
}

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
/// Every call makes another identifier.
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<std::uint32_t> made{0};
  const std::uint32_t number = ++made;
  *id = {};
  std::memcpy(id->internal, &number, sizeof number);
  return ncclSuccess;
}
/// The ranks of an identifier are one world, which lives as long as the process.
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  static std::mutex mutex;
  static std::map<std::uint32_t, World> worlds;
  const std::lock_guard lock(mutex);
  std::uint32_t number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  World& world = worlds.try_emplace(number, ranks).first->second;
  if (world.ranks != ranks || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  *comm = new ncclComm{&world, rank};
  rondo::testing::count_held(1);
  return ncclSuccess;
}
/// Like NCCL, it waits without limit for the end of graphs.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  while (comm->calls.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  rondo::testing::count_held(-1);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void** memory, size_t bytes) {
  return cudaMalloc(memory, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void* memory) {
  return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* memory, size_t, ncclWindow_t* window,
                                    int) {
  const auto rank = static_cast<std::size_t>(comm->rank);
  comm->world->windows[rank] = memory;
  for (int peer = 0; peer < comm->world->ranks; ++peer) comm->world->put(comm->rank, peer, {});
  for (int peer = 0; peer < comm->world->ranks; ++peer) comm->world->take(peer, comm->rank);
  *window = reinterpret_cast<ncclWindow_t>(comm->world);
  return ncclSuccess;
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t) {
  return ncclSuccess;
}
ncclResult_t ncclGetLsaDevicePointer(ncclWindow_t window, size_t offset, int rank, void** memory) {
  if (g_reach != rondo::testing::Reach::windows) return ncclInvalidUsage;
  const auto& windows = reinterpret_cast<World*>(window)->windows;
  *memory = static_cast<char*>(windows.at(static_cast<std::size_t>(rank))) + offset;
  return ncclSuccess;
}

/// Instead of the C library's.
pid_t getpid() noexcept {
  return static_cast<pid_t>(g_process != 0 ? g_process : syscall(SYS_getpid));
}

}  // extern "C"

namespace rondo::testing {

void set_reach(Reach reach) {
  g_reach = reach;
}

int own_process() {
  return g_process;
}

void on_ranks(int ranks, const std::function<void(ncclComm_t comm, int rank)>& body) {
  World world(ranks);
  {
    std::vector<std::jthread> running;
    for (int rank = 0; rank < ranks; ++rank)
      running.emplace_back([&, rank] {
        if (g_reach == Reach::processes) g_process = rank + 1;
        ncclComm comm{&world, rank};
        body(&comm, rank);
      });
  }
  if (!world.is_empty()) std::abort();  // a message that nobody received
}

}  // namespace rondo::testing
