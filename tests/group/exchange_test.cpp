// Exchanges of a group against their definition: numbers of ranks x placements x kinds x lengths.
#include <gtest/gtest.h>
#include <rondo/transport.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "header.h"
#include "processes.hpp"
#include "seed_of_run.hpp"

namespace group_test {

namespace {

using Bytes = std::vector<std::byte>;
using Sizes = std::vector<std::size_t>;

const Placement kPlacements[] = {
    {"one_node", false, nullptr},
    {"one_node_with_messages", true, nullptr},
    {"two_nodes", true, [](int rank, int ranks) { return 2 * rank / ranks; }},
    {"dealt_out", true, [](int rank, int) { return rank % 2; }},
    {"uneven", true, [](int rank, int) { return rank == 0 ? 0 : 1; }},
    {"three_nodes", true, [](int rank, int) { return rank % 3; }},
    {"a_node_each", true, [](int rank, int) { return rank; }},
};

/// Byte `i` of a block.
std::byte pattern(int source, int destination, std::size_t i, unsigned salt) {
  return static_cast<std::byte>(salt + 31U * static_cast<unsigned>(source) +
                                101U * static_cast<unsigned>(destination) + i + i / 251);
}

/// How long the block from one rank to another is; the same on all ranks.
using Length = std::size_t (*)(int source, int destination, unsigned salt);

std::size_t drawn(int source, int destination, unsigned salt, std::size_t most) {
  std::mt19937 engine(salt * 1000003U + static_cast<unsigned>(source) * 1009U +
                      static_cast<unsigned>(destination));
  return std::uniform_int_distribution<std::size_t>(0, most)(engine);
}

struct Load {
  const char* name;
  Length length;
};

const Load kLoads[] = {
    {"nothing", [](int, int, unsigned) { return std::size_t{0}; }},
    {"short blocks", [](int s, int d, unsigned salt) { return drawn(s, d, salt, 40); }},
    {"medium blocks", [](int s, int d, unsigned salt) { return drawn(s, d, salt, 6000); }},
    {"long blocks", [](int s, int d, unsigned salt) { return drawn(s, d, salt, 300000); }},
    {"one block", [](int s, int d, unsigned) { return std::size_t{s == 0 && d == 0 ? 77U : 0U}; }},
    {"all to the last",
     [](int, int d, unsigned salt) { return d == 0 ? drawn(0, 0, salt, 100000) : 0; }},
};

/// One side of an exchange: a buffer with gaps, and what describes its blocks.
struct Side {
  Bytes data;
  Sizes bytes;
  Sizes displacements;
};

Side side_of(int ranks, std::size_t gap, const std::function<std::size_t(int)>& length) {
  Side side;
  std::size_t at = gap;
  for (int rank = 0; rank < ranks; ++rank) {
    side.bytes.push_back(length(rank));
    side.displacements.push_back(at);
    at += side.bytes.back() + gap;
  }
  side.data.resize(at, std::byte{0xEE});
  return side;
}

class Exchange {
 public:
  Exchange(Rank& rank, Rondo_Group group, unsigned salt)
      : rank_(rank), group_(group), salt_(salt) {}

  void uniform(std::size_t bytes) {
    const auto count = static_cast<std::size_t>(rank_.ranks());
    Bytes sent(count * bytes), received(count * bytes, std::byte{0xEE});
    for (int other = 0; other < rank_.ranks(); ++other)
      fill(sent.data() + static_cast<std::size_t>(other) * bytes, bytes, other);
    expect(Rondo_Group_alltoall(sent.data(), received.data(), bytes, group_), "alltoall");
    for (int other = 0; other < rank_.ranks(); ++other)
      check(received.data() + static_cast<std::size_t>(other) * bytes, bytes, other, "alltoall");
  }

  void uneven(const Load& load) {
    const Side from = sent(load);
    Side to = side_of(rank_.ranks(), 3,
                      [&](int other) { return load.length(other, rank_.rank(), salt_); });
    expect(Rondo_Group_alltoallv(from.data.data(), from.bytes.data(), from.displacements.data(),
                                 to.data.data(), to.bytes.data(), to.displacements.data(), group_),
           load.name);
    const auto gaps = std::count(to.data.begin(), to.data.begin() + 3, std::byte{0xEE});
    rank_.expect(gaps == 3, std::string(load.name) + ": wrote before the first block");
    for (int other = 0; other < rank_.ranks(); ++other)
      check(to.data.data() + to.displacements[static_cast<std::size_t>(other)],
            to.bytes[static_cast<std::size_t>(other)], other, load.name);
  }

  void unknown(const Load& load, bool allocates) {
    const Side from = sent(load);
    const auto count = static_cast<std::size_t>(rank_.ranks());
    Sizes bytes(count, 1), displacements(count, 1);
    Bytes memory;
    const auto allocate = [](std::size_t total, void* extra) -> void* {
      auto& own = *static_cast<Bytes*>(extra);
      own.resize(total + 1);
      return own.data();
    };
    void* place = nullptr;
    expect(Rondo_Group_alltoallv_dynamic(
               from.data.data(), from.bytes.data(), from.displacements.data(),
               allocates ? static_cast<Rondo_Group_allocate_function*>(allocate) : nullptr, &memory,
               &place, bytes.data(), displacements.data(), group_),
           load.name);
    rank_.expect(!allocates || place == memory.data(), "received elsewhere than allocated");
    std::size_t total = 0;
    for (int other = 0; other < rank_.ranks(); ++other) {
      const auto index = static_cast<std::size_t>(other);
      rank_.expect(
          bytes[index] == load.length(other, rank_.rank(), salt_) && displacements[index] == total,
          std::string(load.name) + ": learned a wrong length");
      total += bytes[index];
      check(static_cast<std::byte*>(place) + displacements[index], bytes[index], other, load.name);
    }
  }

 private:
  Side sent(const Load& load) const {
    Side from = side_of(rank_.ranks(), 1,
                        [&](int other) { return load.length(rank_.rank(), other, salt_); });
    for (int other = 0; other < rank_.ranks(); ++other)
      fill(from.data.data() + from.displacements[static_cast<std::size_t>(other)],
           from.bytes[static_cast<std::size_t>(other)], other);
    return from;
  }
  void fill(std::byte* data, std::size_t bytes, int destination) const {
    for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(rank_.rank(), destination, i, salt_);
  }
  void check(const std::byte* data, std::size_t bytes, int source, const std::string& what) const {
    std::size_t right = 0;
    while (right < bytes && data[right] == pattern(source, rank_.rank(), right, salt_)) ++right;
    if (right < bytes)
      rank_.expect(false, what + ": byte " + std::to_string(right) + " of " +
                              std::to_string(bytes) + " from rank " + std::to_string(source) +
                              " is wrong");
  }
  void expect(int code, const std::string& what) const {
    rank_.expect_code(code, RONDO_SUCCESS, what);
  }

  Rank& rank_;
  Rondo_Group group_;
  unsigned salt_;
};

void run_all(Rank& rank, unsigned seed) {
  const Group group(rank);
  int own = -1, count = -1;
  rank.expect_code(Rondo_Group_rank(group, &own), RONDO_SUCCESS, "rank");
  rank.expect_code(Rondo_Group_size(group, &count), RONDO_SUCCESS, "size");
  rank.expect(own == rank.rank() && count == rank.ranks(), "another rank or size");
  unsigned salt = seed;
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t bytes : {0U, 1U, 8U, 60U, 1000U, 5000U, 70000U})
      Exchange(rank, group, ++salt).uniform(bytes);
    for (const Load& load : kLoads) {
      Exchange(rank, group, ++salt).uneven(load);
      Exchange(rank, group, ++salt).unknown(load, true);
      Exchange(rank, group, ++salt).unknown(load, false);
    }
  }
}

using Case = std::tuple<int, Placement>;

class Exchanges : public testing::TestWithParam<Case> {};

TEST_P(Exchanges, AreRight) {
  const auto& [ranks, placement] = GetParam();
  const auto seed = static_cast<unsigned>(rondo::test::seed_of_run());
  SCOPED_TRACE("seed " + std::to_string(seed));
  EXPECT_EQ(run_ranks(ranks, placement, [&](Rank& rank) { run_all(rank, seed); }), "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, Exchanges,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8),
                                          testing::ValuesIn(kPlacements)),
                         [](const auto& row) {
                           return std::string(std::get<1>(row.param).name) + "_" +
                                  std::to_string(std::get<0>(row.param));
                         });

TEST(Header, IsC) {
  EXPECT_EQ(transport_bytes_in_c(), sizeof(Rondo_Transport));
}

/// Two groups of the same processes do not meet.
TEST(Groups, AreIndependent) {
  const auto body = [](Rank& rank) {
    const Group one(rank);
    const Group other(rank);
    for (unsigned salt = 0; salt < 20; ++salt) {
      Exchange(rank, one, salt).uniform(100);
      Exchange(rank, other, salt + 1).uneven(kLoads[3]);
    }
  };
  for (const Placement& placement : kPlacements)
    EXPECT_EQ(run_ranks(3, placement, body), "") << placement.name;
}

}  // namespace

}  // namespace group_test
