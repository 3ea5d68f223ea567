#include "processes.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

namespace group_test {

namespace {

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kMostBytes = 4096;
constexpr std::chrono::seconds kPatience{60};

using Clock = std::chrono::steady_clock;

int code(bool is_right) {
  return is_right ? 0 : 17;
}

bool is_right(std::size_t bytes, int tag) {
  return bytes != 0 && tag >= 0 && tag < 32768;
}

Rank& of(void* context) {
  return *static_cast<Rank*>(context);
}

}  // namespace

/// What each rank has gathered last, and the time before. A rank begins the next but one only when all have read it.
struct Shared {
  std::array<std::array<std::array<std::byte, kMostBytes>, kMostRanks>, 2> gathered;
  std::array<std::atomic<std::uint64_t>, kMostRanks> gatherings;
  std::array<std::array<char, 512>, kMostRanks> wrong;
};

Rank::Rank(int rank, int ranks, const Placement& placement, void* shared, std::vector<int> sockets)
    : rank_(rank),
      ranks_(ranks),
      placement_(placement),
      shared_(static_cast<Shared*>(shared)),
      node_(placement.node == nullptr ? "" : "node " + std::to_string(placement.node(rank, ranks))),
      wire_(std::move(sockets)) {}

int Rank::gather(const void* own, void* all, std::size_t bytes) {
  const auto self = static_cast<std::size_t>(rank_);
  auto& gathered = shared_->gathered[gatherings_ % 2];
  if (bytes > kMostBytes) return 1;
  std::memcpy(gathered[self].data(), own, bytes);
  shared_->gatherings[self] = ++gatherings_;
  const auto end = Clock::now() + patience_;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
    while (shared_->gatherings[rank] < gatherings_) {
      if (Clock::now() > end) return 2;
      sched_yield();
    }
    std::memcpy(static_cast<std::byte*>(all) + rank * bytes, gathered[rank].data(), bytes);
  }
  return 0;
}

void Rank::fail_after(int calls, Function function, int signal) {
  fault_ = {calls, function, signal};
}

bool Rank::fails(Function function) {
  if (!fault_ || fault_->function != function || --fault_->calls >= 0) return false;
  if (fault_->signal != 0) raise(fault_->signal);
  return true;
}

void Rank::barrier() {
  char own = 0;
  std::array<char, kMostRanks> all{};
  expect(gather(&own, all.data(), 1) == 0, "a rank has not come");
}

Rondo_Transport Rank::transport() {
  Rondo_Transport functions{};
  functions.struct_bytes = sizeof functions;
  functions.rank = rank_;
  functions.size = ranks_;
  functions.context = this;
  functions.allgather = [](void* context, const void* own, void* all, std::size_t bytes) {
    if (of(context).fails(Function::allgather)) return code(false);
    return of(context).gather(own, all, bytes);
  };
  functions.node = placement_.node == nullptr ? nullptr : node_.c_str();
  functions.timeout_seconds = 20;
  if (!placement_.has_messages) return functions;
  functions.send = [](void* context, const void* data, std::size_t bytes, int destination, int tag,
                      void** request) {
    if (of(context).fails(Function::send)) return code(false);
    *request = of(context).wire().send(data, bytes, destination, tag);
    return code(is_right(bytes, tag));
  };
  functions.receive = [](void* context, void* data, std::size_t bytes, int source, int tag,
                         void** request) {
    if (of(context).fails(Function::receive)) return code(false);
    *request = of(context).wire().receive(data, bytes, source, tag);
    return code(is_right(bytes, tag));
  };
  functions.test = [](void* context, void* request, int* is_complete) {
    if (of(context).fails(Function::test)) return code(false);
    bool is_over = false;
    const bool is_right = of(context).wire().test(static_cast<Wire::Message*>(request), is_over);
    *is_complete = is_over ? 1 : 0;
    return code(is_right);
  };
  functions.cancel = [](void* context, void* request) {
    of(context).wire().cancel(static_cast<Wire::Message*>(request));
  };
  return functions;
}

void Rank::expect(bool holds, const std::string& what) const {
  if (holds) return;
  auto& wrong = shared_->wrong[static_cast<std::size_t>(rank_)];
  wrong[what.copy(wrong.data(), wrong.size() - 1)] = '\0';
  _exit(1);
}

void Rank::expect_code(int got, int expected, const std::string& what) const {
  expect(got == expected, what + ": returned " + std::to_string(got) + ", not " +
                              std::to_string(expected) + ": " + Rondo_Group_get_last_error());
}

namespace {

/// By rank, and then by the rank at the other end.
using Sockets = std::vector<std::vector<int>>;

Sockets make_sockets(std::size_t ranks) {
  Sockets sockets(ranks, std::vector<int>(ranks, -1));
  for (std::size_t one = 0; one < ranks; ++one)
    for (std::size_t other = 0; other < one; ++other) {
      std::array<int, 2> ends{};
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return {};
      sockets[one][other] = ends[0];
      sockets[other][one] = ends[1];
    }
  return sockets;
}

void close_all_but(const Sockets& sockets, int rank) {
  for (int one = 0; one < static_cast<int>(sockets.size()); ++one)
    if (one != rank)
      for (const int socket : sockets[static_cast<std::size_t>(one)])
        if (socket >= 0) close(socket);
}

/// Root could still open them.
void hide_descriptors() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setuid(kNobody) != 0) throw std::runtime_error("setuid has failed");
  if (prctl(PR_SET_DUMPABLE, 0) != 0) throw std::runtime_error("prctl has failed");
}

std::string end_of(int status) {
  return WIFSIGNALED(status) ? std::string("signal ") + strsignal(WTERMSIG(status))
                             : "exit code " + std::to_string(WEXITSTATUS(status));
}

/// Waits for a process until `end`, and then kills it.
int wait_for(pid_t process, Clock::time_point end) {
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) kill(process, SIGKILL);
    usleep(500);
  }
  return status;
}

}  // namespace

std::string run_ranks(int ranks, const Placement& placement, const std::function<void(Rank&)>& body,
                      int killed) {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const shared = new (memory) Shared{};
  const Sockets sockets = make_sockets(static_cast<std::size_t>(ranks));
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    close_all_but(sockets, rank);
    try {
      if (placement.hides_descriptors) hide_descriptors();
      Rank own(rank, ranks, placement, memory, sockets[static_cast<std::size_t>(rank)]);
      body(own);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      _exit(2);
    }
    _exit(0);
  }
  close_all_but(sockets, -1);
  std::string found;
  const auto end = Clock::now() + kPatience;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank == killed) continue;
    const int status = wait_for(processes[index], end);
    if (status == 0) continue;
    found += "rank " + std::to_string(rank) + ": " + end_of(status) + ": " +
             shared->wrong[index].data() + "\n";
  }
  if (killed >= 0) wait_for(processes[static_cast<std::size_t>(killed)], Clock::now());
  munmap(memory, sizeof(Shared));
  return found;
}

}  // namespace group_test
