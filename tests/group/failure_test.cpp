// What goes wrong in a group: wrong transports and arguments, lengths that differ, ranks that die.
#include <gtest/gtest.h>
#include <rondo/transport.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "processes.hpp"

namespace group_test {

namespace {

using Sizes = std::vector<std::size_t>;
using Clock = std::chrono::steady_clock;

const Placement kOneNode{"one node", false, nullptr};
const Placement kOneNodeWithMessages{"one node with messages", true, nullptr};
const Placement kTwoNodes{"two nodes", true, [](int rank, int ranks) { return 2 * rank / ranks; }};
const Placement kANodeEach{"a node each", true, [](int rank, int) { return rank; }};
const Placement kTwoNodesWithout{"two nodes without messages", false,
                                 [](int rank, int) { return rank % 2; }};

/// All that can carry out exchanges.
const Placement* const kAll[] = {&kOneNode, &kOneNodeWithMessages, &kTwoNodes, &kANodeEach};

bool says(const char* words) {
  return std::strstr(Rondo_Group_get_last_error(), words) != nullptr;
}

void expect_says(Rank& rank, const char* words) {
  rank.expect(says(words), std::string("does not say '") + words + "' but '" +
                               Rondo_Group_get_last_error() + "'");
}

/// Blocks of one length, one behind another.
int exchange(Rank& rank, Rondo_Group group, std::size_t bytes) {
  const auto count = static_cast<std::size_t>(rank.ranks());
  std::vector<char> sent(count * bytes, static_cast<char>(1 + rank.rank())),
      received(count * bytes);
  const int code = Rondo_Group_alltoall(sent.data(), received.data(), bytes, group);
  if (code != RONDO_SUCCESS) return code;
  for (std::size_t i = 0; i < received.size(); ++i)
    rank.expect(received[i] == static_cast<char>(1 + i / bytes), "a wrong byte");
  return code;
}

/// Receives what `due` says of each rank, and sends 100 bytes to each.
int exchange_uneven(Rank& rank, Rondo_Group group, std::size_t from_first, bool has_buffer = true) {
  const auto count = static_cast<std::size_t>(rank.ranks());
  Sizes sent(count, 100), due(count, 100), places;
  due.front() = from_first;
  for (std::size_t i = 0; i < count; ++i) places.push_back(i * 200);
  std::vector<char> from(count * 200), to(count * 200);
  return Rondo_Group_alltoallv(has_buffer ? from.data() : nullptr, sent.data(), places.data(),
                               to.data(), due.data(), places.data(), group);
}

struct TransportRow {
  const char* name;
  void (*spoil)(Rondo_Transport& transport);
  const char* words;
};

const TransportRow kTransports[] = {
    {"an older structure", [](Rondo_Transport& one) { one.struct_bytes -= 8; }, "struct_bytes"},
    {"no size", [](Rondo_Transport& one) { one.size = 0; }, "rank 0 of 0"},
    {"a negative rank", [](Rondo_Transport& one) { one.rank = -1; }, "rank -1 of 1"},
    {"a rank beyond the last", [](Rondo_Transport& one) { one.rank = 1; }, "rank 1 of 1"},
    {"no allgather", [](Rondo_Transport& one) { one.allgather = nullptr; }, "no allgather"},
    {"no cancel", [](Rondo_Transport& one) { one.cancel = nullptr; }, "all of them or none"},
    {"a negative timeout", [](Rondo_Transport& one) { one.timeout_seconds = -1; },
     "timeout_seconds = -1"},
};

TEST(Transports, AreCheckedOnTheirRank) {
  for (const TransportRow& row : kTransports) {
    const auto body = [&](Rank& rank) {
      Rondo_Transport transport = rank.transport();
      row.spoil(transport);
      Rondo_Group group = nullptr;
      rank.expect_code(Rondo_Group_create(&transport, &group), RONDO_WRONG_ARGUMENT, row.name);
      expect_says(rank, row.words);
      rank.expect(group == nullptr, "there is a group");
    };
    EXPECT_EQ(run_ranks(1, kOneNodeWithMessages, body), "") << row.name;
  }
}

struct CreateRow {
  const char* name;
  const Placement* placement;
  void (*prepare)(Rank& rank, Rondo_Transport& transport);
  int code;
  const char* words;
};

void forget_messages(Rondo_Transport& transport) {
  transport.send = nullptr;
  transport.receive = nullptr;
  transport.test = nullptr;
  transport.cancel = nullptr;
}

const CreateRow kCreates[] = {
    {"two nodes without messages", &kTwoNodesWithout, [](Rank&, Rondo_Transport&) {},
     RONDO_WRONG_ARGUMENT, "on 2 nodes, and the transport has no send"},
    {"a rank without messages", &kOneNodeWithMessages,
     [](Rank& rank, Rondo_Transport& transport) {
       if (rank.rank() == 1) forget_messages(transport);
     },
     RONDO_WRONG_ARGUMENT, "send and receive, unlike this rank's"},
    {"no shared memory, and no messages", &kOneNode,
     [](Rank&, Rondo_Transport&) { setenv("RONDO_SLOT_BYTES", "0", 1); }, RONDO_NO_MEMORY,
     "RONDO_SLOT_BYTES=0"},
    {"a variable that cannot be read", &kOneNode,
     [](Rank& rank, Rondo_Transport&) {
       if (rank.rank() == 0) setenv("RONDO_SLOT_BYTES", "much", 1);
     },
     RONDO_WRONG_ARGUMENT, ""},
    {"an allgather that fails", &kOneNode,
     [](Rank&, Rondo_Transport& transport) {
       transport.allgather = [](void*, const void*, void*, size_t) { return 5; };
     },
     RONDO_TRANSPORT_FAILED, "allgather has failed and returned 5"},
};

TEST(Create, FailsOnAllRanks) {
  for (const CreateRow& row : kCreates) {
    const auto body = [&](Rank& rank) {
      Rondo_Transport transport = rank.transport();
      row.prepare(rank, transport);
      Rondo_Group group = nullptr;
      rank.expect_code(Rondo_Group_create(&transport, &group), row.code, row.name);
      expect_says(rank, row.words);
      rank.expect(group == nullptr, "there is a group");
    };
    EXPECT_EQ(run_ranks(3, *row.placement, body), "") << row.name;
  }
}

TEST(Create, UsesMessagesWithoutSharedMemory) {
  const auto body = [](Rank& rank) {
    setenv("RONDO_SLOT_BYTES", "0", 1);
    const Group group(rank);
    for (const std::size_t bytes : {1U, 100U, 100000U})
      rank.expect_code(exchange(rank, group, bytes), RONDO_SUCCESS, "exchange");
  };
  EXPECT_EQ(run_ranks(3, kOneNodeWithMessages, body), "");
}

TEST(Arguments, OfOneRankAreReportedOnAll) {
  for (const Placement* const placement : kAll) {
    const auto body = [](Rank& rank) {
      const Group group(rank);
      for (int round = 0; round < 3; ++round) {
        const bool is_wrong = rank.rank() == rank.ranks() - 1;
        const int code = exchange_uneven(rank, group, 100, !is_wrong);
        rank.expect_code(code, RONDO_WRONG_ARGUMENT, "without a buffer");
        expect_says(rank, is_wrong ? "sendbuf is a null pointer, and sendbytes[0] is 100"
                                   : "rank 2 could not take part");
        rank.expect_code(exchange(rank, group, 500), RONDO_SUCCESS, "the exchange after it");
      }
    };
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
  }
}

/// The last rank expects another length than the first sends.
TEST(Lengths, ThatDifferAreTruncated) {
  for (const Placement* const placement : kAll)
    for (const std::size_t expected : {99U, 101U}) {
      const auto body = [&](Rank& rank) {
        const Group group(rank);
        for (int round = 0; round < 3; ++round) {
          const bool is_last = rank.rank() == rank.ranks() - 1;
          const int code = exchange_uneven(rank, group, is_last ? expected : 100);
          if (is_last) {
            rank.expect_code(code, RONDO_TRUNCATED, "another length");
            expect_says(rank, "rank 0 sends 100 bytes to rank 2, which expects");
          } else {
            rank.expect(code == RONDO_SUCCESS || code == RONDO_TRUNCATED, "another error");
          }
          rank.expect_code(exchange(rank, group, 500), RONDO_SUCCESS, "the exchange after it");
        }
      };
      EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name << ", " << expected;
    }
}

TEST(Lengths, OfOwnBlocksAreCompared) {
  const auto body = [](Rank& rank) {
    const Group group(rank);
    const int code = exchange_uneven(rank, group, rank.rank() == 0 ? 199 : 100);
    rank.expect_code(code, RONDO_TRUNCATED, "own block");
    expect_says(rank, rank.rank() == 0 ? "rank 0 sends 100 bytes to itself, but expects 199"
                                       : "rank 0 could not take part");
    rank.expect_code(exchange(rank, group, 500), RONDO_SUCCESS, "the exchange after it");
  };
  for (const Placement* const placement : kAll)
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
}

TEST(Lengths, MemoryThatIsNotAllocatedIsAnErrorOfOneRank) {
  const auto body = [](Rank& rank) {
    const Group group(rank);
    const Sizes sent(3, 100), places{0, 100, 200};
    std::vector<char> from(300), memory(300);
    Sizes bytes(3), displacements(3);
    void* buffer = nullptr;
    const auto allocate = [](std::size_t, void* extra) { return extra; };
    const int code =
        Rondo_Group_alltoallv_dynamic(from.data(), sent.data(), places.data(), allocate,
                                      rank.rank() == 1 ? nullptr : memory.data(), &buffer,
                                      bytes.data(), displacements.data(), group);
    rank.expect_code(code, rank.rank() == 1 ? RONDO_NO_MEMORY : RONDO_SUCCESS, "dynamic");
    rank.expect_code(exchange(rank, group, 500), RONDO_SUCCESS, "the exchange after it");
  };
  for (const Placement* const placement : kAll)
    EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name;
}

bool leaves_shared_memory() {
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (entry.path().filename().string().starts_with("rondo-")) return true;
  return false;
}

/// The others return an error in time, and at once from then on.
TEST(Dead, RanksAreWaitedForInVain) {
  for (const Placement* const placement : kAll) {
    const auto body = [](Rank& rank) {
      Rondo_Transport transport = rank.transport();
      transport.timeout_seconds = 1;
      const Group group(rank, transport);
      for (const std::size_t bytes : {8U, 20000U})
        rank.expect_code(exchange(rank, group, bytes), RONDO_SUCCESS, "exchange");
      rank.barrier();
      if (rank.rank() == 1) raise(SIGKILL);
      const auto begin = Clock::now();
      rank.expect_code(exchange(rank, group, 20000), RONDO_TRANSPORT_FAILED, "with a dead rank");
      rank.expect(Clock::now() - begin < std::chrono::seconds(10), "waited for too long");
      const auto again = Clock::now();
      rank.expect_code(exchange(rank, group, 8), RONDO_TRANSPORT_FAILED, "afterwards");
      rank.expect(Clock::now() - again < std::chrono::milliseconds(500), "waited again");
    };
    EXPECT_EQ(run_ranks(3, *placement, body, 1), "") << placement->name;
    EXPECT_FALSE(leaves_shared_memory());
  }
}

TEST(Dead, RanksAreMissedWhenAGroupIsMade) {
  const auto body = [](Rank& rank) {
    Rondo_Transport transport = rank.transport();
    rank.set_patience(std::chrono::seconds(1));
    if (rank.rank() == 1) raise(SIGKILL);
    Rondo_Group group = nullptr;
    rank.expect_code(Rondo_Group_create(&transport, &group), RONDO_TRANSPORT_FAILED, "create");
  };
  EXPECT_EQ(run_ranks(2, kOneNode, body, 1), "");
  EXPECT_FALSE(leaves_shared_memory());
}

TEST(Free, TakesNullPointers) {
  const auto body = [](Rank& rank) {
    Rondo_Group group = nullptr;
    rank.expect_code(Rondo_Group_free(&group), RONDO_SUCCESS, "free");
    rank.expect_code(Rondo_Group_free(nullptr), RONDO_WRONG_ARGUMENT, "free");
    rank.expect_code(Rondo_Group_alltoall(nullptr, nullptr, 0, nullptr), RONDO_WRONG_ARGUMENT,
                     "alltoall");
    expect_says(rank, "group is a null pointer");
  };
  EXPECT_EQ(run_ranks(1, kOneNode, body), "");
}

}  // namespace

}  // namespace group_test
