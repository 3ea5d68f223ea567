// The kernel of `direct`, whose ranks are groups of threads on the host.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <tuple>

#include "gpu/direct_call.hpp"
#include "host_thread.hpp"
#include "lengths.hpp"
#include "seed_of_run.hpp"

namespace {

using namespace rondo;
using namespace rondo::gpu;
using namespace rondo::testing;

/// Memory that begins at a multiple of 16, like device memory.
struct Lent {
  explicit Lent(std::size_t bytes) : lines(bytes / sizeof(Line) + 1) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(lines.data()); }
  std::vector<Line> lines;
};

/// Ranks with memory that the others can access.
class Ranks {
 public:
  Ranks(int ranks, int blocks, std::size_t longest) : region_(Region::of(ranks, blocks, longest)) {
    for (int rank = 0; rank < ranks; ++rank) lent_.emplace_back(region_.bytes());
    for (int rank = 0; rank < ranks; ++rank) {
      DirectCall& call = calls_.emplace_back();
      call.rank = rank;
      call.region = region_;
      call.longest = longest;
      call.timeout_nanoseconds = 60'000'000'000;
      call.state = &states_.emplace_back();
      call.error = &errors_.emplace_back();
      for (int peer = 0; peer < ranks; ++peer) call.peers[peer] = lent_[index(peer)].data();
    }
  }

  int count() const { return region_.ranks; }
  DirectCall& call(int rank) { return calls_[index(rank)]; }
  DirectState& state(int rank) { return states_[index(rank)]; }
  DeviceError& error(int rank) { return errors_[index(rank)]; }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  Region region_;
  std::deque<Lent> lent_;
  std::deque<DirectState> states_;
  std::deque<DeviceError> errors_;
  std::deque<DirectCall> calls_;
};

/// One call of one rank, checked byte by byte.
void exchange(Ranks& ranks, int rank, const Traffic& traffic, std::size_t gap, int threads) {
  const Sides sides(traffic, rank, gap);
  const Side& out = sides.out;
  const Side& in = sides.in;
  const std::vector<std::byte> send = sides.sent(traffic);
  std::vector<std::byte> receive(in.elements, kPoison);
  ranks.call(rank).blocks = {.send = send.data(),
                             .receive = receive.data(),
                             .element_bytes = 1,
                             .send_counts = out.counts.data(),
                             .send_displacements = out.displacements.data(),
                             .receive_counts = in.counts.data(),
                             .receive_displacements = in.displacements.data()};
  launch_on_host(ranks.call(rank), ranks.call(rank).blocks, threads);
  EXPECT_TRUE(receive == sides.received(traffic)) << "rank " << rank << ", seed " << traffic.seed;
}

/// The same if only senders know the lengths, which are written.
void exchange_dynamic(Ranks& ranks, int rank, const Traffic& traffic, int threads) {
  const Sides sides(traffic, rank, 0);
  const std::vector<std::byte> send = sides.sent(traffic);
  std::vector<std::byte> receive(sides.in.elements, kPoison);
  std::vector<std::size_t> counts(sides.in.counts.size()), displacements(counts.size());
  ranks.call(rank).blocks = {
      .send = send.data(),
      .receive = receive.data(),
      .element_bytes = 1,
      .send_counts = sides.out.counts.data(),
      .arriving = {send.size(), receive.size(), counts.data(), displacements.data()}};
  launch_on_host(ranks.call(rank), ranks.call(rank).blocks, threads);
  EXPECT_TRUE(receive == sides.received(traffic)) << "rank " << rank << ", seed " << traffic.seed;
  EXPECT_EQ(counts, sides.in.counts);
  EXPECT_EQ(displacements, sides.in.displacements);
}

/// Runs `body(rank)` for all ranks at the same time.
template <class Body>
void on_all(Ranks& ranks, Body&& body) {
  std::vector<std::jthread> running;
  for (int rank = 0; rank < ranks.count(); ++rank)
    running.emplace_back([&body, rank] { body(rank); });
}

struct Row {
  int ranks;
  int blocks;
  int threads;
  std::size_t longest;
  int calls;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.ranks << " ranks, " << row.blocks << " x " << row.threads << " threads, up to "
       << row.longest << " bytes, " << row.calls << " calls";
}

class Direct : public ::testing::TestWithParam<Row> {};

TEST_P(Direct, EveryByteIsRight) {
  const Row& row = GetParam();
  const auto seed = test::seed_of_run();
  SCOPED_TRACE(::testing::Message() << "RONDO_TEST_SEED=" << seed);
  Ranks ranks(row.ranks, row.blocks, row.longest);
  on_all(ranks, [&](int rank) {
    for (int number = 0; number < row.calls; ++number) {
      const auto drawn = mix(seed + static_cast<std::uint64_t>(number));
      const Traffic traffic{row.ranks, row.longest, kSkews[drawn % std::size(kSkews)], drawn};
      if (number % 3 == 2)
        exchange_dynamic(ranks, rank, traffic, row.threads);
      else
        exchange(ranks, rank, traffic, drawn / 8 % 5, row.threads);
    }
  });
  for (int rank = 0; rank < row.ranks; ++rank) {
    EXPECT_EQ(ranks.state(rank).number, static_cast<std::uint64_t>(row.calls));
    EXPECT_EQ(ranks.error(rank).kind, DeviceError::none);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Direct,
                         ::testing::Values(Row{1, 2, 3, 2000, 20},  //
                                           Row{2, 1, 4, 16, 300}, Row{2, 3, 2, 5000, 60},
                                           Row{3, 2, 2, 1024, 60}, Row{3, 2, 3, 1025, 60},
                                           Row{5, 2, 2, 3000, 40}, Row{6, 1, 3, 900, 40},
                                           Row{7, 3, 2, 1500, 20}, Row{8, 1, 2, 40, 40},
                                           Row{8, 2, 2, 100000, 6}));

/// A flag has 32 bits. With no number of a call may fresh memory look like a line that has arrived.
TEST(Direct, NumbersPastTheFlagOfALine) {
  Ranks ranks(2, 1, 64);
  for (int rank = 0; rank < 2; ++rank) ranks.state(rank).number = 0xffffffffULL;
  on_all(ranks, [&](int rank) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (std::uint64_t number = 0; number < 8; ++number)
      exchange(ranks, rank, {2, 64, Skew::random, number}, 1, 2);
  });
}

TEST(Direct, EqualBlocksNeedNoCounts) {
  Ranks ranks(3, 2, 2048);
  on_all(ranks, [&](int rank) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2048}}) {
      std::vector<std::byte> send(3 * bytes, std::byte(rank));
      std::vector<std::byte> receive(3 * bytes, kPoison);
      ranks.call(rank).blocks = {
          .send = send.data(), .receive = receive.data(), .uniform_bytes = bytes};
      launch_on_host(ranks.call(rank), ranks.call(rank).blocks, 2);
      for (std::size_t at = 0; at < receive.size(); ++at)
        EXPECT_EQ(receive[at], std::byte(at / bytes));
    }
  });
}

/// What each of two ranks notices if rank 0 sends a block of this length, and rank 1 expects another.
std::array<DeviceError, 2> errors_of(std::size_t sent, std::size_t expected, std::size_t longest) {
  Ranks ranks(2, 2, longest);
  on_all(ranks, [&](int rank) {
    std::vector<std::byte> buffer(10000);
    const std::size_t send_counts[] = {0, rank == 0 ? sent : 0};
    const std::size_t receive_counts[] = {rank == 1 ? expected : 0, 0};
    const std::size_t displacements[] = {0, 5000};
    ranks.call(rank).blocks = {.send = buffer.data(),
                               .receive = buffer.data(),
                               .element_bytes = 1,
                               .send_counts = send_counts,
                               .send_displacements = displacements,
                               .receive_counts = receive_counts,
                               .receive_displacements = displacements};
    launch_on_host(ranks.call(rank), ranks.call(rank).blocks, 2);
  });
  return {ranks.error(0), ranks.error(1)};
}

TEST(Direct, LengthsThatDiffer) {
  for (const auto& [sent, expected] :
       {std::pair(8, 16), std::pair(16, 8), std::pair(0, 8), std::pair(2000, 8), std::pair(8, 2000),
        std::pair(2000, 3000)}) {
    const auto [none, error] =
        errors_of(static_cast<std::size_t>(sent), static_cast<std::size_t>(expected), 4000);
    EXPECT_EQ(none.kind, DeviceError::none) << sent << " " << expected;
    EXPECT_EQ(error.kind, DeviceError::mismatch) << sent << " " << expected;
    EXPECT_EQ(error.rank, 0);
    EXPECT_EQ(error.sent, static_cast<std::uint64_t>(sent));
    EXPECT_EQ(error.expected, static_cast<std::uint64_t>(expected));
  }
}

/// Rank 1 has no room, and its thread blocks run one after the other. The last ones know of the error when they begin.
TEST(Direct, OtherRanksGetTheirsInSpiteOfAnError) {
  const Traffic traffic{3, 16, Skew::equal, 7};
  Ranks ranks(3, 2, 16);
  on_all(ranks, [&](int rank) {
    ranks.call(rank).timeout_nanoseconds = 5'000'000'000;
    if (rank != 1) return exchange_dynamic(ranks, rank, traffic, 2);
    const Sides sides(traffic, rank, 0);
    const std::vector<std::byte> send = sides.sent(traffic);
    std::vector<std::size_t> counts(3), displacements(3);
    ranks.call(rank).blocks = {.send = send.data(),
                               .element_bytes = 1,
                               .send_counts = sides.out.counts.data(),
                               .arriving = {send.size(), 0, counts.data(), displacements.data()}};
    for (const int block : {0, 1})
      run_block_on_host(ranks.call(rank), ranks.call(rank).blocks, 2, block);
  });
  EXPECT_EQ(ranks.error(1).kind, DeviceError::no_room);
  EXPECT_EQ(ranks.state(1).stopped, 1U);
  for (const int rank : {0, 2}) EXPECT_EQ(ranks.error(rank).kind, DeviceError::none);
}

/// Both ranks know of it at once, whatever the receiver expects. A block of up to 1 KiB travels in lines.
TEST(Direct, ABlockLongerThanThePlans) {
  for (const auto& [sent, expected, longest] :
       {std::tuple(3000U, 3000U, 2000U), std::tuple(3000U, 8U, 2000U), std::tuple(3000U, 8U, 100U),
        std::tuple(101U, 101U, 100U)}) {
    const auto [sender, receiver] = errors_of(sent, expected, longest);
    EXPECT_EQ(sender.kind, DeviceError::too_long);
    EXPECT_EQ(sender.rank, 1);
    EXPECT_EQ(receiver.kind, DeviceError::too_long_from);
    EXPECT_EQ(receiver.rank, 0);
    for (const DeviceError& error : {sender, receiver}) {
      EXPECT_EQ(error.sent, sent);
      EXPECT_EQ(error.expected, longest);
    }
  }
}

TEST(Direct, LengthsThatDifferForTheRankItself) {
  Ranks ranks(1, 2, 100);
  std::vector<std::byte> send(100), receive(100);
  const std::size_t sent[] = {50};
  const std::size_t expected[] = {40};
  const std::size_t none[] = {0};
  launch_on_host(ranks.call(0),
                 {.send = send.data(),
                  .receive = receive.data(),
                  .send_counts = sent,
                  .send_displacements = none,
                  .receive_counts = expected,
                  .receive_displacements = none},
                 2);
  EXPECT_EQ(ranks.error(0).kind, DeviceError::mismatch);
  EXPECT_EQ(ranks.error(0).expected, 40U);
}

TEST(Direct, ARankThatDoesNotCome) {
  Ranks ranks(3, 2, 100);
  for (int rank = 0; rank < 2; ++rank) ranks.call(rank).timeout_nanoseconds = 50'000'000;
  std::vector<std::byte> send(300), receive(300);
  const auto call = [&](int rank) {
    ranks.call(rank).blocks = {
        .send = send.data(), .receive = receive.data(), .uniform_bytes = 100};
    launch_on_host(ranks.call(rank), ranks.call(rank).blocks, 2);
  };
  call(0);
  EXPECT_EQ(ranks.error(0).kind, DeviceError::timeout);
  EXPECT_NE(ranks.error(0).rank, 0);
  EXPECT_EQ(ranks.state(0).number, 1U) << "the exchange has ended";
  // After an error it does not wait again, whatever the timeout.
  ranks.call(0).timeout_nanoseconds = 60'000'000'000;
  const auto start = std::chrono::steady_clock::now();
  call(0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
