// What a group says to wrong transports and arguments, and to lengths that differ.
#include <gtest/gtest.h>
#include <rondo/transport.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "exchange.hpp"
#include "processes.hpp"

namespace group_test {

namespace {

using Sizes = std::vector<std::size_t>;

const Placement kTwoNodesWithout{"two nodes without messages", false,
                                 [](int rank, int) { return rank % 2; }};

/// Sends `bytes` bytes to each rank, and expects as many, but from the first rank another number.
int exchange_uneven(Rank& rank, Rondo_Group group, std::size_t bytes, std::size_t from_first,
                    bool has_buffer = true) {
  const auto count = static_cast<std::size_t>(rank.ranks());
  Sizes sent(count, bytes), due(count, bytes), places;
  due.front() = from_first;
  for (std::size_t i = 0; i < count; ++i) places.push_back(i * 2 * bytes);
  std::vector<char> from(count * 2 * bytes), to(count * 2 * bytes);
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
    {"no number as timeout", [](Rondo_Transport& one) { one.timeout_seconds = NAN; },
     "timeout_seconds = nan"},
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

int gather_backwards(void* context, const void* own, void* all, size_t bytes) {
  auto& rank = *static_cast<Rank*>(context);
  const auto count = static_cast<std::size_t>(rank.ranks());
  std::vector<char> gathered(count * bytes);
  const int code = rank.gather(own, gathered.data(), bytes);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(all) + i * bytes, &gathered[(count - 1 - i) * bytes], bytes);
  return code;
}

/// Rank 1 says 0.x: the version comes after two integers.
int gather_another_version(void* context, const void* own, void* all, size_t bytes) {
  auto& rank = *static_cast<Rank*>(context);
  std::vector<char> said(static_cast<const char*>(own), static_cast<const char*>(own) + bytes);
  if (rank.rank() == 1) said[2 * sizeof(int)] = '0';
  return rank.gather(said.data(), all, bytes);
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
    {"an allgather that mixes up ranks", &kOneNode,
     [](Rank&, Rondo_Transport& transport) { transport.allgather = gather_backwards; },
     RONDO_WRONG_ARGUMENT, "allgather gave in place 0 what rank 2 of 3 gathers"},
    {"another version", &kOneNode,
     [](Rank&, Rondo_Transport& transport) { transport.allgather = gather_another_version; },
     RONDO_WRONG_ARGUMENT, "rank 1 has another version of Rondo: 0"},
    {"a send without a request", &kTwoNodes,
     [](Rank&, Rondo_Transport& transport) {
       transport.send = [](void*, const void*, size_t, int, int, void**) { return 0; };
     },
     RONDO_TRANSPORT_FAILED, "has set no request"},
    {"a receive without a request", &kTwoNodes,
     [](Rank&, Rondo_Transport& transport) {
       transport.receive = [](void*, void*, size_t, int, int, void**) { return 0; };
     },
     RONDO_TRANSPORT_FAILED, "has set no request"},
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
        const int code = exchange_uneven(rank, group, 100, 100, !is_wrong);
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
  struct Row {
    std::size_t sent, expected;
    const char* words;
  };
  for (const Placement* const placement : kAll)
    for (const Row& row : {Row{100, 99, "rank 0 sends 100 bytes to rank 2, which expects 99"},
                           Row{100, 101, "rank 0 sends 100 bytes to rank 2, which expects 101"},
                           Row{900000, 899999, "rank 0 sends 900000 bytes to rank 2"},
                           Row{900000, 900001, "rank 0 sends 900000 bytes to rank 2"},
                           Row{900000, 1, "rank 0 sends 900000 bytes to rank 2"},
                           Row{900000, 0, "rank 0 sends 900000 bytes to rank 2"},
                           Row{20, 40, "rank 0 sends 20 bytes to rank 2"}}) {
      const auto body = [&](Rank& rank) {
        const Group group(rank);
        for (int round = 0; round < 3; ++round) {
          const bool is_last = rank.rank() == rank.ranks() - 1;
          const int code =
              exchange_uneven(rank, group, row.sent, is_last ? row.expected : row.sent);
          if (is_last) {
            rank.expect_code(code, RONDO_TRUNCATED, "another length");
            expect_says(rank, row.words);
          } else {
            rank.expect(code == RONDO_SUCCESS || code == RONDO_TRUNCATED, "another error");
          }
          rank.expect_code(exchange(rank, group, 500), RONDO_SUCCESS, "the exchange after it");
        }
      };
      EXPECT_EQ(run_ranks(3, *placement, body), "")
          << placement->name << ", " << row.sent << ", " << row.expected;
    }
}

/// The last rank takes the length of all blocks for another.
TEST(Lengths, OfAllBlocksAreCompared) {
  using Row = std::pair<std::size_t, std::size_t>;
  for (const Placement* const placement : kAll)
    for (const auto& [bytes, of_last] : {Row{8, 9}, Row{0, 8}, Row{300, 70000}, Row{70000, 300}}) {
      const auto body = [&](Rank& rank) {
        const Group group(rank);
        for (int round = 0; round < 6; ++round) {
          const bool is_last = rank.rank() == rank.ranks() - 1;
          const int code = exchange(rank, group, is_last ? of_last : bytes);
          rank.expect_code(code, RONDO_TRUNCATED, "another length");
          rank.expect_code(exchange(rank, group, 30000), RONDO_SUCCESS, "the exchange after it");
        }
      };
      EXPECT_EQ(run_ranks(3, *placement, body), "") << placement->name << ", " << bytes;
    }
}

TEST(Lengths, OfOwnBlocksAreCompared) {
  const auto body = [](Rank& rank) {
    const Group group(rank);
    const int code = exchange_uneven(rank, group, 100, rank.rank() == 0 ? 199 : 100);
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
