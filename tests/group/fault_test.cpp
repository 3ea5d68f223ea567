// Ranks that die, transports that fail, and what a group leaves behind.
#include <gtest/gtest.h>
#include <rondo/transport.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "exchange.hpp"
#include "processes.hpp"

namespace group_test {

namespace {

using Clock = std::chrono::steady_clock;

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (entry.path().filename().string().starts_with("rondo-")) names.insert(entry.path());
  return names;
}

/// Other tests have names for a moment.
bool leaves_shared_memory() {
  const std::set<std::string> before = shared_memory();
  if (before.empty()) return false;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::set<std::string> after = shared_memory();
  return std::ranges::any_of(before, [&](const std::string& name) { return after.contains(name); });
}

/// The others return an error in time, and at once from then on. Rank 1 dies, or stops and leaves its sockets open.
TEST(Dead, RanksAreWaitedForInVain) {
  struct Row {
    std::size_t bytes;
    int signal;
  };
  for (const Placement* const placement : kAll)
    for (const auto& [bytes, signal] :
         {Row{20000, SIGKILL}, Row{8, SIGSTOP}, Row{300000, SIGSTOP}}) {
      const auto body = [&](Rank& rank) {
        Rondo_Transport transport = rank.transport();
        transport.timeout_seconds = 0.8;
        const Group group(rank, transport);
        for (int round = 0; round < 5; ++round)
          rank.expect_code(exchange(rank, group, bytes), RONDO_SUCCESS, "exchange");
        rank.barrier();
        if (rank.rank() == 1) raise(signal);
        const auto begin = Clock::now();
        rank.expect_code(exchange(rank, group, bytes), RONDO_TRANSPORT_FAILED, "with a dead rank");
        rank.expect(Clock::now() - begin < std::chrono::seconds(10), "waited for too long");
        const auto again = Clock::now();
        rank.expect_code(exchange(rank, group, 8), RONDO_TRANSPORT_FAILED, "afterwards");
        rank.expect(Clock::now() - again < std::chrono::milliseconds(500), "waited again");
      };
      EXPECT_EQ(run_ranks(3, *placement, body, 1), "")
          << placement->name << ", " << bytes << ", signal " << signal;
      EXPECT_FALSE(leaves_shared_memory());
    }
}

/// Whoever asks to be interrupted stops to wait, though nothing limits the time.
TEST(Interrupted, WaitsEnd) {
  for (const Placement* const placement : kAll) {
    const auto body = [](Rank& rank) {
      static int asked = -1000;
      Rondo_Transport transport = rank.transport();
      transport.timeout_seconds = 0;
      transport.interrupted = [](void*) { return ++asked < 3 ? 0 : 1; };
      const Group group(rank, transport);
      rank.expect_code(exchange(rank, group, 20000), RONDO_SUCCESS, "exchange");
      asked = 0;
      rank.barrier();
      if (rank.rank() == 1) return rank.barrier();
      const auto begin = Clock::now();
      rank.expect_code(exchange(rank, group, 20000), RONDO_TRANSPORT_FAILED, "interrupted");
      rank.expect(Clock::now() - begin > std::chrono::milliseconds(250), "asked too often");
      rank.expect(std::string(Rondo_Group_get_last_error())
                      .ends_with("was interrupted while it waited for other ranks"),
                  "another error");
      rank.expect_code(exchange(rank, group, 8), RONDO_TRANSPORT_FAILED, "afterwards");
      rank.barrier();
    };
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
  }
}

/// The others go on in a group of their own.
TEST(Dead, RanksAreLeftOut) {
  const auto body = [](Rank& rank) {
    Rondo_Transport transport = rank.transport();
    transport.timeout_seconds = 1;
    {
      const Group group(rank, transport);
      if (rank.rank() == 2) raise(SIGKILL);
      rank.expect_code(exchange(rank, group, 8), RONDO_TRANSPORT_FAILED, "with a dead rank");
    }
    rank.lose_last();
    const Group group(rank);
    rank.expect_code(exchange(rank, group, 20000), RONDO_SUCCESS, "without it");
  };
  EXPECT_EQ(run_ranks(3, kOneNode, body, 2), "");
}

struct FaultRow {
  const char* name;
  const Placement* placement;
  Function function;
};

const FaultRow kFaults[] = {
    {"allgather", &kOneNode, Function::allgather},
    {"allgather among processes that cannot reach each other", &kOneNodeByName,
     Function::allgather},
    {"allgather on two nodes", &kTwoNodes, Function::allgather},
    {"send on two nodes", &kTwoNodes, Function::send},
    {"receive on two nodes", &kTwoNodes, Function::receive},
    {"test on two nodes", &kTwoNodes, Function::test},
    {"send on a node each", &kANodeEach, Function::send},
    {"receive on a node each", &kANodeEach, Function::receive},
    {"test on a node each", &kANodeEach, Function::test},
};

/// Makes a group and exchanges, until something fails. Returns the last code.
int use_group(Rank& rank, Rondo_Group& group) {
  Rondo_Transport transport = rank.transport();
  transport.timeout_seconds = 0.3;
  int code = Rondo_Group_create(&transport, &group);
  for (const std::size_t bytes : {8U, 20000U, 300000U})
    if (code == RONDO_SUCCESS) code = exchange(rank, group, bytes);
  return code;
}

/// What happens in a function of rank 1 ends what it does, and all other ranks end in time.
TEST(Faults, OfATransportEndAGroup) {
  for (const FaultRow& row : kFaults)
    for (const int calls : {0, 3, 12})
      for (const int signal : {0, SIGKILL, SIGSTOP}) {
        const auto body = [&](Rank& rank) {
          rank.set_patience(std::chrono::milliseconds(300));
          if (rank.rank() == 1) rank.fail_after(calls, row.function, signal);
          Rondo_Group group = nullptr;
          const int code = use_group(rank, group);
          if (rank.has_failed()) {
            rank.expect_code(code, RONDO_TRANSPORT_FAILED, "its own fault");
            expect_says(rank, "and returned 17");
          } else {
            rank.expect(code == RONDO_SUCCESS || code == RONDO_TRANSPORT_FAILED, "another error");
          }
          if (code != RONDO_SUCCESS && group != nullptr) {
            const auto again = Clock::now();
            rank.expect_code(exchange(rank, group, 8), RONDO_TRANSPORT_FAILED, "afterwards");
            rank.expect(Clock::now() - again < std::chrono::milliseconds(250), "waited again");
          }
          Rondo_Group_free(&group);
          rank.expect(rank.wire().messages() == 0, "a message is neither complete nor cancelled");
        };
        EXPECT_EQ(run_ranks(4, *row.placement, body, signal == 0 ? -1 : 1), "")
            << row.name << " after " << calls << ", signal " << signal;
        EXPECT_FALSE(leaves_shared_memory());
      }
}

/// A call may wait for so long, and not all calls together.
TEST(Timeouts, AreOfOneCall) {
  for (const Placement* const placement : {&kOneNode, &kANodeEach}) {
    const auto body = [](Rank& rank) {
      Rondo_Transport transport = rank.transport();
      transport.timeout_seconds = 1.5;
      const Group group(rank, transport);
      for (int round = 0; round < 3; ++round) {
        if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
        rank.expect_code(exchange(rank, group, 100), RONDO_SUCCESS, "exchange");
      }
    };
    EXPECT_EQ(run_ranks(2, *placement, body), "") << placement->name;
  }
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// Of either kind: memfd:rondo, or a name that begins with rondo-.
std::size_t mapped_segments(const char* kind = "rondo") {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("(deleted)") != std::string::npos && line.find(kind) != std::string::npos;
  return count;
}

TEST(SharedMemory, HasANameOnlyWhereDescriptorsAreHidden) {
  for (const Placement* const placement : {&kOneNode, &kOneNodeByName}) {
    const auto body = [&](Rank& rank) {
      const Group group(rank);
      rank.expect(mapped_segments() == 1, "more than one segment is mapped, or none");
      rank.expect(mapped_segments("/dev/shm/rondo-") == placement->hides_descriptors,
                  "the segment is of the other kind");
    };
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
  }
}

/// Whatever a group has is given back with it: more groups follow than memory would suffice for together.
TEST(Free, LeavesNothingBehind) {
  for (const Placement* const placement : kAll) {
    const auto body = [](Rank& rank) {
      const std::size_t descriptors = entries_of("/proc/self/fd");
      const std::size_t segments = mapped_segments();
      for (int round = 0; round < 100; ++round) {
        const Group group(rank);
        rank.expect_code(exchange(rank, group, 100), RONDO_SUCCESS, "exchange");
      }
      rank.expect(entries_of("/proc/self/fd") == descriptors, "descriptors are left");
      rank.expect(mapped_segments() == segments, "segments are mapped");
    };
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
    EXPECT_FALSE(leaves_shared_memory());
  }
}

/// A child frees the group of its parent, which goes on, and makes one of its own.
TEST(Fork, LeavesTheGroupToItsProcess) {
  for (const Placement* const placement : kAll) {
    const auto body = [](Rank& rank) {
      Rondo_Transport alone = rank.transport();
      alone.rank = 0;
      alone.size = 1;
      alone.allgather = [](void*, const void* own, void* all, size_t bytes) {
        std::memcpy(all, own, bytes);
        return 0;
      };
      Rondo_Group group = nullptr;
      const Rondo_Transport transport = rank.transport();
      rank.expect_code(Rondo_Group_create(&transport, &group), RONDO_SUCCESS, "create");
      rank.expect_code(exchange(rank, group, 5000), RONDO_SUCCESS, "exchange");
      const pid_t child = fork();
      if (child == 0) {
        rank.expect_code(Rondo_Group_free(&group), RONDO_SUCCESS, "free in the child");
        rank.expect_code(Rondo_Group_create(&alone, &group), RONDO_SUCCESS, "create in the child");
        int sent = 5, received = 0;
        rank.expect_code(Rondo_Group_alltoall(&sent, &received, sizeof sent, group), RONDO_SUCCESS,
                         "exchange in the child");
        rank.expect(received == sent, "a wrong number in the child");
        _exit(0);
      }
      int status = -1;
      rank.expect(waitpid(child, &status, 0) == child && status == 0, "the child has failed");
      for (const std::size_t bytes : {8U, 5000U, 200000U})
        rank.expect_code(exchange(rank, group, bytes), RONDO_SUCCESS, "after the child");
      Rondo_Group_free(&group);
    };
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
  }
}

}  // namespace

}  // namespace group_test
