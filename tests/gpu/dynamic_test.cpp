// Exchanges whose lengths only senders know, over the stand-ins for CUDA and NCCL.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "lengths.hpp"
#include "planned.hpp"

namespace {

using namespace rondo::testing;
using rondo::gpu::device_memory;
using rondo::gpu::DeviceMemory;
using Numbers = std::vector<std::size_t>;

constexpr std::size_t kUntouched = 77;

/// One rank's buffers and arrays. The blocks follow each other.
class Dynamic {
 public:
  Dynamic(const Traffic& longest, int rank, std::size_t row_bytes)
      : rank_(rank),
        row_(row_bytes),
        rows_(longest.longest * static_cast<std::size_t>(longest.ranks)),
        send_(device_memory(rows_ * row_ + 1)),
        receive_(device_memory(rows_ * row_ + 1)),
        send_counts_(on_device(Numbers(static_cast<std::size_t>(longest.ranks)))),
        counts_(on_device(Numbers(static_cast<std::size_t>(longest.ranks), kUntouched))),
        displacements_(on_device(Numbers(static_cast<std::size_t>(longest.ranks), kUntouched))) {}

  /// Lengths and bytes of what this rank sends. The lengths of `traffic` are in rows.
  void fill(const Traffic& traffic) {
    std::fill_n(receive_.get(), rows_ * row_, kPoison);
    const auto sent = image(traffic, [&](int peer) { return std::pair(rank_, peer); });
    std::ranges::copy(sent.bytes, send_.get());
    std::memcpy(send_counts_.get(), sent.counts.data(), sent.counts.size() * sizeof(std::size_t));
  }

  ncclResult_t call(const Plan& plan, cudaStream_t stream = nullptr) {
    return call(plan, stream, rows_, rows_);
  }
  ncclResult_t call(const Plan& plan, cudaStream_t stream, std::size_t sent, std::size_t room) {
    return Rondo_nccl_alltoallv_dynamic(send_.get(), sizes(send_counts_), sent, receive_.get(),
                                        writable(counts_), writable(displacements_), room, row_,
                                        plan.comm(), stream, plan.get());
  }

  void expect(const Traffic& traffic) const {
    auto due = image(traffic, [&](int peer) { return std::pair(peer, rank_); });
    Numbers begins(due.counts.size());
    std::exclusive_scan(due.counts.begin(), due.counts.end(), begins.begin(), std::size_t{0});
    EXPECT_EQ(Numbers(sizes(counts_), sizes(counts_) + due.counts.size()), due.counts);
    EXPECT_EQ(Numbers(sizes(displacements_), sizes(displacements_) + begins.size()), begins);
    due.bytes.resize(rows_ * row_, kPoison);  // what lies behind the last block is as it was
    EXPECT_EQ(std::memcmp(due.bytes.data(), receive_.get(), due.bytes.size()), 0)
        << "rank " << rank_;
  }

  bool is_untouched() const {
    return std::all_of(receive_.get(), receive_.get() + rows_ * row_,
                       [](std::byte byte) { return byte == kPoison; });
  }

 private:
  struct Image {
    Numbers counts;
    std::vector<std::byte> bytes;
  };

  template <class PairOf>
  Image image(const Traffic& traffic, PairOf&& pair_of) const {
    Image image;
    for (int peer = 0; peer < traffic.ranks; ++peer) {
      const auto [source, destination] = pair_of(peer);
      const std::size_t rows = traffic.length(source, destination);
      std::vector<std::byte> block(rows * row_);
      traffic.write(source, destination, block);
      image.counts.push_back(rows);
      image.bytes.insert(image.bytes.end(), block.begin(), block.end());
    }
    return image;
  }

  static std::size_t* writable(const DeviceMemory& memory) {
    return reinterpret_cast<std::size_t*>(memory.get());
  }

  int rank_;
  std::size_t row_;
  std::size_t rows_;
  DeviceMemory send_, receive_, send_counts_, counts_, displacements_;
};

TEST(DynamicLengths, EveryByteIsRight) {
  for (const char* algorithm : {"direct:blocks=3", "graph:direct:blocks=2"})
    for (const int ranks : {1, 2, 3, 5, 8})
      for (const std::size_t row : {1, 12, 700})
        with_plan(algorithm, ranks, 40 * row, [&](const Plan& plan, int rank) {
          Dynamic own({ranks, 40, Skew::equal, 0}, rank, row);
          for (const Skew skew : kSkews) {
            const Traffic traffic{ranks, 40, skew, 61 + row};
            own.fill(traffic);
            expect_success(own.call(plan));
            own.expect(traffic);
          }
          expect_success(Rondo_nccl_plan_check(plan.get()));
        });
}

/// A graph reads the counts at every replay.
TEST(DynamicLengths, ReplaysWithOtherLengths) {
  for (const int ranks : {1, 3, 8})
    with_plan("direct:blocks=2", ranks, 2000, [&](const Plan& plan, int rank) {
      Dynamic own({ranks, 2000, Skew::equal, 0}, rank, 1);
      const auto stream = rondo::gpu::make_stream();
      const auto captured =
          rondo::gpu::capture(stream.get(), [&] { expect_success(own.call(plan, stream.get())); });
      const auto graph = rondo::gpu::instantiate(captured);
      for (std::uint64_t replay = 0; replay < 10; ++replay) {
        const Traffic traffic{ranks, 2000, kSkews[replay % std::size(kSkews)], replay};
        own.fill(traffic);
        EXPECT_EQ(cudaGraphLaunch(graph.get(), stream.get()), cudaSuccess);
        own.expect(traffic);
      }
    });
}

TEST(DynamicLengths, OneKernel) {
  with_plan("direct", 3, 64, [](const Plan& plan, int rank) {
    Dynamic own({3, 64, Skew::equal, 0}, rank, 1);
    own.fill({3, 64, Skew::random, 5});
    launches();
    expect_success(own.call(plan));
    EXPECT_TRUE((launches() == Launches{.copies = 0, .kernels = 1, .groups = 0, .graphs = 0}));
  });
}

/// What the last rank is told, whose buffers differ, and what the others are, at once. Nothing is written outside its
/// buffers.
TEST(DynamicLengths, ThatDoNotFit) {
  struct Row {
    std::size_t sent, room, longest;
    const char* words;
    const char* words_to_others;
  };
  const Row rows[] = {
      {30, 29, 10,
       "the blocks from the ranks up to 2 have 30 rows, but the receive buffer has room for 29",
       nullptr},
      {30, 9, 10, "have 10 rows, but the receive buffer has room for 9", nullptr},
      {29, 30, 10, "the blocks for the ranks up to 2 have 30 rows, but the send buffer has 29",
       "rank 2 sends nothing: its counts exceed its send buffer"},
      {30, 30, 9, "has 10 bytes, but the plan was made for at most 9",
       "has 10 bytes, but the plan was made for at most 9"},
  };
  for (const Row& row : rows)
    with_plan("direct:blocks=2", 3, row.longest, [&](const Plan& plan, int rank) {
      Dynamic own({3, 10, Skew::equal, 0}, rank, 1);
      own.fill({3, 10, Skew::equal, 0});
      const bool is_last = rank == 2;
      expect_success(own.call(plan, nullptr, is_last ? row.sent : 30, is_last ? row.room : 30));
      const ncclResult_t found = Rondo_nccl_plan_check(plan.get());
      if (is_last) {
        expect_error(found, ncclInvalidArgument, row.words);
        EXPECT_TRUE(own.is_untouched());
      } else if (row.words_to_others == nullptr) {
        expect_success(found);
        own.expect({3, 10, Skew::equal, 0});
      } else {
        EXPECT_NE(found, ncclSuccess);
        EXPECT_NE(std::string(Rondo_nccl_error()).find(row.words_to_others), std::string::npos)
            << Rondo_nccl_error();
      }
    });
}

/// As a negative number in Python's counts.
TEST(DynamicLengths, HugeCounts) {
  with_plan("direct:blocks=1", 1, 64, [](const Plan& plan, int) {
    const DeviceMemory counts = on_device({SIZE_MAX - 3});
    const DeviceMemory buffer = device_memory(64);
    auto* const written = reinterpret_cast<std::size_t*>(buffer.get() + 32);
    expect_success(Rondo_nccl_alltoallv_dynamic(buffer.get(), sizes(counts), 8, buffer.get(),
                                                written, written, 8, 2, plan.comm(), nullptr,
                                                plan.get()));
    expect_error(Rondo_nccl_plan_check(plan.get()), ncclInvalidArgument, "the send buffer has 8");
  });
}

TEST(DynamicLengths, RowsOfOtherLengths) {
  with_plan("direct:blocks=2", 2, 64, [](const Plan& plan, int rank) {
    Dynamic own({2, 5, Skew::equal, 0}, rank, rank == 0 ? 7 : 4);
    own.fill({2, 5, Skew::equal, 0});
    expect_success(own.call(plan));
    expect_error(Rondo_nccl_plan_check(plan.get()), ncclInvalidArgument,
                 rank == 0 ? "rank 1 sends 20 bytes, but this rank expects 14"
                           : "rank 0 sends 35 bytes, but this rank expects 32");
  });
}

TEST(DynamicLengths, WrongArguments) {
  for (const char* algorithm : {"nccl_grouped", "nccl_bruck", "mpi_staged"})
    with_plan(algorithm, 1, 64, [](const Plan& plan, int rank) {
      Dynamic own({1, 8, Skew::equal, 0}, rank, 1);
      expect_error(own.call(plan), ncclInvalidUsage, "use direct");
    });
  with_plan("direct", 1, 64, [](const Plan& plan, int) {
    const DeviceMemory memory = on_device({8, 8});
    auto* const numbers = reinterpret_cast<std::size_t*>(memory.get());
    std::size_t on_host[] = {8};
    const auto call = [&](const void* send, const std::size_t* counts, std::size_t* written,
                          std::size_t rows, std::size_t row_bytes) {
      return Rondo_nccl_alltoallv_dynamic(send, counts, rows, numbers, written, numbers, 1,
                                          row_bytes, plan.comm(), nullptr, plan.get());
    };
    expect_error(call(numbers, on_host, numbers, 1, 1), ncclInvalidArgument, "on the device");
    expect_error(call(numbers, numbers, on_host, 1, 1), ncclInvalidArgument, "on the device");
    expect_error(call(numbers, nullptr, numbers, 1, 1), ncclInvalidArgument, "on the device");
    expect_error(call(numbers, numbers, numbers, 1, 0), ncclInvalidArgument, "0 bytes");
    expect_error(call(nullptr, numbers, numbers, 1, 1), ncclInvalidArgument, "sendbuff is NULL");
    EXPECT_EQ(call(numbers, numbers, numbers, SIZE_MAX / 2, 4), ncclInvalidArgument);
  });
}

}  // namespace
