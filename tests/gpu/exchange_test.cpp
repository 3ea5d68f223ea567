// librondo_nccl through its C interface, over the stand-ins for CUDA and NCCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "gpu/resources.hpp"
#include "lengths.hpp"
#include "planned.hpp"

namespace {

using namespace rondo::testing;
using rondo::gpu::device_memory;
using rondo::gpu::DeviceMemory;

constexpr int kRanks[] = {1, 2, 3, 4, 5, 6, 7, 8};

/// The buffers of one rank for exchanges of one shape.
class Buffers : public Sides {
 public:
  Buffers(const Traffic& shape, int own_rank, std::size_t gap)
      : Sides(shape, own_rank, gap),
        send(device_memory(out.elements)),
        receive(device_memory(in.elements)) {}

  /// `data` has the lengths of the shape and bytes of its own.
  void fill(const Traffic& data) {
    sent_ = sent(data);
    std::ranges::copy(sent_, send.get());
    std::fill_n(receive.get(), in.elements, kPoison);
  }

  void expect(const Traffic& data) const {
    EXPECT_TRUE(are_equal(received(data), receive.get())) << "rank " << rank;
    EXPECT_TRUE(are_equal(sent_, send.get())) << "the send buffer changed";
  }

 private:
  /// Without optimization std::ranges::equal would take most of the time of these tests.
  static bool are_equal(const std::vector<std::byte>& expected, const std::byte* found) {
    return std::memcmp(expected.data(), found, expected.size()) == 0;
  }

  std::vector<std::byte> sent_;

 public:
  DeviceMemory send;
  DeviceMemory receive;
};

ncclResult_t try_equal(const Plan& plan, const Buffers& buffers, std::size_t count,
                       cudaStream_t stream) {
  return Rondo_nccl_alltoall(buffers.send.get(), buffers.receive.get(), count, ncclUint8,
                             plan.comm(), stream, plan.get());
}

ncclResult_t try_variable(const Plan& plan, const Buffers& buffers, cudaStream_t stream) {
  return Rondo_nccl_alltoallv(buffers.send.get(), buffers.out.counts.data(),
                              buffers.out.displacements.data(), buffers.receive.get(),
                              buffers.in.counts.data(), buffers.in.displacements.data(), ncclUint8,
                              plan.comm(), stream, plan.get());
}

/// Runs one call and checks it.
void exchange_equal(const Plan& plan, Buffers& buffers, const Traffic& data,
                    cudaStream_t stream = nullptr) {
  buffers.fill(data);
  expect_success(try_equal(plan, buffers, data.longest, stream));
  buffers.expect(data);
}

/// The seed determines lengths and bytes; `number` changes the bytes only.
Traffic with_bytes(Traffic traffic, std::uint64_t number) {
  if (traffic.skew == Skew::equal) traffic.seed += number;
  return traffic;
}

struct Algorithm {
  std::string name;
  bool is_variable;
  bool is_captured;
};

const Algorithm kAlgorithms[] = {
    {"nccl_grouped", true, true},
    {"nccl_native", false, true},
    {"nccl_basic_bruck", false, true},
    {"nccl_modified_bruck", false, true},
    {"nccl_bruck", false, true},
    {"nccl_bruck:radix=2", false, true},
    {"nccl_bruck:radix=8", false, true},
    {"direct:blocks=2", true, true},
    {"direct:blocks=1", true, true},
    {"mpi_staged", true, false},
    {"mpi_staged:inner=two_phase_bruck", true, false},
    {"mpi_staged:inner=basic_bruck", false, false},
    {"graph:nccl_bruck", false, true},
    {"graph:direct:blocks=3", true, true},
    {"graph:nccl_grouped", true, true},
};

void PrintTo(const Algorithm& algorithm, std::ostream* out) {
  *out << algorithm.name;
}

/// Makes that many calls with blocks of equal length.
void exchange_equal_blocks(const Plan& plan, int ranks, int rank, std::size_t bytes,
                           std::uint64_t calls = 1) {
  const Traffic traffic{ranks, bytes, Skew::equal, 11};
  Buffers buffers(traffic, rank, 0);
  for (std::uint64_t call = 0; call < calls; ++call)
    exchange_equal(plan, buffers, with_bytes(traffic, call));
}

/// As before, with plans for exactly these blocks.
void exchange_equal_blocks(const std::string& algorithm, int ranks, std::size_t bytes,
                           std::uint64_t calls) {
  with_plan(algorithm, ranks, bytes, [&](const Plan& plan, int rank) {
    exchange_equal_blocks(plan, ranks, rank, bytes, calls);
  });
}

class Exchange : public ::testing::TestWithParam<Algorithm> {
 protected:
  const std::string& name() const { return GetParam().name; }
};

TEST_P(Exchange, BlocksOfEqualLength) {
  for (const int ranks : kRanks)
    with_plan(name(), ranks, 4096, [&](const Plan& plan, int rank) {
      for (const std::size_t bytes : {0, 1, 15, 16, 4096, 17})
        exchange_equal_blocks(plan, ranks, rank, bytes, 3);
    });
}

TEST_P(Exchange, LongBlocks) {
  for (const int ranks : {1, 3, 8}) exchange_equal_blocks(name(), ranks, 1 << 20, 1);
}

TEST_P(Exchange, BlocksOfAnyLength) {
  for (const int ranks : {1, 2, 3, 5, 8})
    for (const Skew skew : kSkews)
      with_plan(name(), ranks, 3000, [&](const Plan& plan, int rank) {
        const Traffic traffic{ranks, 3000, skew, 13};
        Buffers buffers(traffic, rank, 3);
        buffers.fill(traffic);
        const ncclResult_t result = try_variable(plan, buffers, nullptr);
        if (!GetParam().is_variable) return expect_error(result, ncclInvalidUsage, "equal length");
        expect_success(result);
        buffers.expect(traffic);
      });
}

TEST_P(Exchange, ReplaysOfAGraphWithOtherData) {
  for (const int ranks : {2, 3, 8})
    with_plan(name(), ranks, 200, [&](const Plan& plan, int rank) {
      const Traffic traffic{ranks, 200, Skew::equal, 17};
      Buffers buffers(traffic, rank, 0);
      const auto stream = rondo::gpu::make_stream();
      ncclResult_t result = ncclSuccess;
      const auto captured = rondo::gpu::capture(
          stream.get(), [&] { result = try_equal(plan, buffers, 200, stream.get()); });
      if (!GetParam().is_captured) return expect_error(result, ncclInvalidUsage, "captured");
      expect_success(result);
      const auto graph = rondo::gpu::instantiate(captured);
      for (std::uint64_t replay = 0; replay < 20; ++replay) {
        buffers.fill(with_bytes(traffic, replay));
        EXPECT_EQ(cudaGraphLaunch(graph.get(), stream.get()), cudaSuccess);
        buffers.expect(with_bytes(traffic, replay));
      }
      // Calls and replays of one plan may follow each other.
      exchange_equal(plan, buffers, traffic, stream.get());
    });
}

TEST_P(Exchange, AThousandCalls) {
  exchange_equal_blocks(name(), 4, 24, 1000);
}

TEST_P(Exchange, NothingIsLeft) {
  const long before = things_held();
  exchange_equal_blocks(name(), 3, 64, 1);
  EXPECT_EQ(things_held(), before);
}

TEST_P(Exchange, OutOfMemory) {
  // Ranks make a plan of `direct` together, so the others would wait.
  for (int allowed = 0; allowed < 6; ++allowed) {
    const long before = things_held();
    HostExchange hosts(1);
    on_ranks(1, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      limit_allocations(allowed);
      Rondo_nccl_plan plan = nullptr;
      const ncclResult_t result = Rondo_nccl_plan_create(comm, name().c_str(), 64, &host, &plan);
      limit_allocations(-1);
      if (result == ncclSuccess) return expect_success(Rondo_nccl_plan_destroy(&plan));
      expect_error(result, ncclSystemError, "memory");
      EXPECT_EQ(plan, nullptr);
    });
    EXPECT_EQ(things_held(), before) << allowed << " allocations";
  }
}

constexpr Reach kReaches[] = {Reach::threads, Reach::windows, Reach::processes};

const char* name_of(Reach reach) {
  constexpr const char* kNames[] = {"threads", "windows", "processes"};
  return kNames[static_cast<int>(reach)];
}

/// If one rank has no memory left, all give up. A rank without any memory cannot tell the others.
TEST(Direct, OneRankIsOutOfMemory) {
  constexpr int kAll = 3;
  for (const Reach reach : kReaches)
    for (int allowed = 1; allowed < 9; ++allowed) {
      SCOPED_TRACE(::testing::Message() << allowed << " allocations, " << name_of(reach));
      set_reach(reach);
      const long before = things_held();
      std::atomic<int> made{0};
      on_ranks(kAll, [&](ncclComm_t comm, int rank) {
        if (rank == 1) limit_allocations(allowed);
        Rondo_nccl_plan plan = nullptr;
        const ncclResult_t result = Rondo_nccl_plan_create(comm, "direct", 64, nullptr, &plan);
        limit_allocations(-1);
        if (result == ncclSuccess) {
          ++made;
          EXPECT_EQ(Rondo_nccl_plan_destroy(&plan), ncclSuccess);
          return;
        }
        EXPECT_TRUE(rondo::test::says(Rondo_nccl_error(), rank == 1 ? "memory" : "another rank"));
      });
      EXPECT_TRUE(made == 0 || made == kAll) << made << " ranks have a plan";
      EXPECT_EQ(things_held(), before);
    }
  set_reach(Reach::threads);
}

/// A rank that destroys its plan keeps its memory until all others have closed it.
TEST(Direct, ByEveryReach) {
  for (const Reach reach : kReaches) {
    SCOPED_TRACE(name_of(reach));
    set_reach(reach);
    const long before = things_held();
    with_plan("direct", 3, 3000, [](const Plan& plan, int rank) {
      exchange_equal_blocks(plan, 3, rank, 3000);
      if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    EXPECT_EQ(things_held(), before);
  }
  set_reach(Reach::threads);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Exchange, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

/// What rank 0 launches in a call after the first.
Launches launches_of(const std::string& algorithm, int ranks, std::size_t bytes) {
  Launches counted;
  with_plan(algorithm, ranks, bytes, [&](const Plan& plan, int rank) {
    const Traffic traffic{ranks, bytes, Skew::equal, 29};
    Buffers buffers(traffic, rank, 0);
    exchange_equal(plan, buffers, traffic);
    launches();
    exchange_equal(plan, buffers, traffic);
    if (rank == 0) counted = launches();
  });
  return counted;
}

TEST(Launches, AsTheTableOfAlgorithmsSays) {
  struct Row {
    const char* algorithm;
    int ranks;
    Launches launches;
  };
  const Row rows[] = {
      {"nccl_grouped", 8, {.copies = 0, .kernels = 0, .groups = 1, .graphs = 0}},
      // 2 P + 2 D copies, D = 12; K = 3 groups.
      {"nccl_basic_bruck", 8, {.copies = 40, .kernels = 0, .groups = 3, .graphs = 0}},
      {"nccl_modified_bruck", 8, {.copies = 32, .kernels = 0, .groups = 3, .graphs = 0}},
      {"nccl_bruck:radix=2", 8, {.copies = 0, .kernels = 4, .groups = 3, .graphs = 0}},
      {"nccl_bruck:radix=3", 8, {.copies = 0, .kernels = 3, .groups = 2, .graphs = 0}},
      {"nccl_bruck:radix=8", 8, {.copies = 0, .kernels = 2, .groups = 1, .graphs = 0}},
      {"nccl_bruck:radix=4", 16, {.copies = 0, .kernels = 3, .groups = 2, .graphs = 0}},
      {"direct", 8, {.copies = 0, .kernels = 1, .groups = 0, .graphs = 0}},
      {"graph:nccl_bruck:radix=2", 8, {.copies = 0, .kernels = 0, .groups = 0, .graphs = 1}},
      {"graph:nccl_basic_bruck", 8, {.copies = 0, .kernels = 0, .groups = 0, .graphs = 1}},
  };
  for (const Row& row : rows) {
    const auto [copies, kernels, groups, graphs] = launches_of(row.algorithm, row.ranks, 32);
    EXPECT_TRUE((Launches{copies, kernels, groups, graphs} == row.launches))
        << row.algorithm << ": " << copies << " copies, " << kernels << " kernels, " << groups
        << " groups, " << graphs << " graphs";
  }
}

TEST(DeviceCounts, OfDirect) {
  for (const char* algorithm : {"direct:blocks=3", "graph:direct:blocks=2"})
    for (const int ranks : kRanks)
      for (const Skew skew : kSkews)
        with_plan(algorithm, ranks, 2000, [&](const Plan& plan, int rank) {
          const Traffic traffic{ranks, 2000, skew, 31};
          Buffers buffers(traffic, rank, 2);
          // Each call has arrays of its own, and those of the call before are no longer what they were.
          const std::vector<std::size_t>* const values[] = {
              &buffers.out.counts, &buffers.out.displacements, &buffers.in.counts,
              &buffers.in.displacements};
          DeviceMemory arrays[4], before[4];
          for (int call = 0; call < 3; ++call) {
            for (std::size_t i = 0; i < 4; ++i) {
              before[i] = std::exchange(arrays[i], on_device(*values[i]));
              if (call > 0) std::fill_n(before[i].get(), 8 * values[i]->size(), kPoison);
            }
            buffers.fill(traffic);
            expect_success(Rondo_nccl_alltoallv(
                buffers.send.get(), sizes(arrays[0]), sizes(arrays[1]), buffers.receive.get(),
                sizes(arrays[2]), sizes(arrays[3]), ncclUint8, plan.comm(), nullptr, plan.get()));
            buffers.expect(traffic);
          }
        });
}

TEST(DeviceCounts, OthersSayThatDirectTakesThem) {
  for (const char* algorithm : {"nccl_grouped", "mpi_staged", "nccl_bruck"})
    with_plan(algorithm, 2, 8, [](const Plan& plan, int) {
      const DeviceMemory counts = on_device({8, 8});
      const DeviceMemory buffer = device_memory(16);
      const std::size_t* const two = sizes(counts);
      expect_error(Rondo_nccl_alltoallv(buffer.get(), two, two, buffer.get(), two, two, ncclUint8,
                                        plan.comm(), nullptr, plan.get()),
                   ncclInvalidUsage, "direct");
    });
}

/// Counts on the host are those at the time when the call was captured.
TEST(HostCounts, AreFrozenByCapture) {
  with_plan("direct", 2, 100, [](const Plan& plan, int rank) {
    const Traffic traffic{2, 100, Skew::random, 37};
    Buffers buffers(traffic, rank, 1);
    const auto stream = rondo::gpu::make_stream();
    const auto graph = rondo::gpu::instantiate(rondo::gpu::capture(
        stream.get(), [&] { expect_success(try_variable(plan, buffers, stream.get())); }));
    buffers.fill(traffic);
    const auto kept = buffers.out.counts;
    buffers.out.counts.assign(2, 99999);
    EXPECT_EQ(cudaGraphLaunch(graph.get(), stream.get()), cudaSuccess);
    buffers.out.counts = kept;
    buffers.expect(traffic);
  });
}

TEST(Graph, OtherArgumentsAreCapturedAnew) {
  with_plan("graph:nccl_bruck", 3, 64, [](const Plan& plan, int rank) {
    for (const std::size_t bytes : {64, 32, 64}) exchange_equal_blocks(plan, 3, rank, bytes);
  });
}

/// Each call differs from the one before in one argument, which some change on one rank only.
TEST(Graph, OneOtherArgumentIsCapturedAnew) {
  struct Row {
    const char* argument;
    void (*change)(Buffers& buffers, DeviceMemory& kept);
  };
  const auto swap_sent = [](Buffers& own, DeviceMemory&) {
    std::swap(own.out.displacements[0], own.out.displacements[1]);
  };
  const Row rows[] = {
      {"none", [](Buffers&, DeviceMemory&) {}},
      {"send displacements", swap_sent},
      {"send displacements, as at first", swap_sent},
      {"receive displacements",
       [](Buffers& own, DeviceMemory&) {
         std::swap(own.in.displacements[0], own.in.displacements[1]);
       }},
      {"receive buffer",
       [](Buffers& own, DeviceMemory& kept) {
         kept = std::exchange(own.receive, device_memory(own.in.elements));
       }},
      {"send buffer",
       [](Buffers& own, DeviceMemory& kept) {
         kept = std::exchange(own.send, device_memory(own.out.elements));
       }},
      {"the count from rank 0 to rank 1",
       [](Buffers& own, DeviceMemory&) {
         --(own.rank == 0 ? own.out.counts[1] : own.in.counts[0]);
       }},
  };
  for (const char* algorithm : {"graph:direct", "graph:nccl_grouped"})
    with_plan(algorithm, 2, 64, [&](const Plan& plan, int rank) {
      const Traffic traffic{2, 64, Skew::equal, 53};
      Buffers buffers(traffic, rank, 3);
      DeviceMemory kept;
      for (const Row& row : rows) {
        SCOPED_TRACE(row.argument);
        row.change(buffers, kept);
        buffers.fill(traffic);
        expect_success(try_variable(plan, buffers, nullptr));
        buffers.expect(traffic);
      }
    });
}

TEST(Graph, AnotherDataTypeIsCapturedAnew) {
  with_plan("graph:nccl_grouped", 1, 64, [](const Plan& plan, int rank) {
    const Traffic traffic{1, 64, Skew::equal, 59};
    Buffers buffers(traffic, rank, 0);
    const std::size_t count = 16, zero = 0;
    buffers.fill(traffic);
    for (const ncclDataType_t type : {ncclUint8, ncclInt32})
      expect_success(Rondo_nccl_alltoallv(buffers.send.get(), &count, &zero, buffers.receive.get(),
                                          &count, &zero, type, plan.comm(), nullptr, plan.get()));
    buffers.expect(traffic);
  });
}

/// A graph that was captured before has another timeout.
TEST(Direct, SaysWhoDidNotCome) {
  for (const char* algorithm : {"direct", "graph:direct"})
    with_plan(algorithm, 2, 16, [](const Plan& plan, int rank) {
      const Traffic traffic{2, 16, Skew::equal, 47};
      Buffers buffers(traffic, rank, 0);
      exchange_equal(plan, buffers, traffic);
      expect_success(Rondo_nccl_plan_set_timeout(plan.get(), 0.05));
      if (rank == 1) return;
      expect_success(Rondo_nccl_plan_check(plan.get()));
      launches();
      expect_success(try_equal(plan, buffers, 16, nullptr));  // only puts work into the stream
      EXPECT_EQ(launches().kernels, 1) << "a graph is captured anew";
      const char* const words = "rank 1 did not arrive within 0.05 seconds";
      expect_error(Rondo_nccl_plan_check(plan.get()), ncclRemoteError, words);
      EXPECT_EQ(try_equal(plan, buffers, 16, nullptr), ncclRemoteError);
    });
}

TEST(Arguments, ThatCannotBe) {
  struct Row {
    const char* algorithm;
    const char* words;
  };
  const Row rows[] = {
      {"nccl_brook", "there are: nccl_grouped"},
      {"nccl_bruck:radix=1", "must be in 2..2147483647"},
      {"mpi_staged:inner=nothing", "basic_bruck"},
      {"mpi_staged", "Rondo_nccl_host"},
      {"graph:mpi_staged", "Rondo_nccl_host"},
      {"graph:graph:direct", "no gpu algorithm 'graph'"},
      {"", "there are"},
  };
  on_ranks(1, [&](ncclComm_t comm, int) {
    for (const Row& row : rows) {
      Rondo_nccl_plan plan = nullptr;
      expect_error(Rondo_nccl_plan_create(comm, row.algorithm, 8, nullptr, &plan),
                   ncclInvalidArgument, row.words);
      EXPECT_EQ(plan, nullptr);
    }
    HostExchange hosts(1);
    const Rondo_nccl_host host = hosts.of(0);
    Rondo_nccl_plan none = nullptr;
    EXPECT_EQ(Rondo_nccl_plan_create(comm, "graph:mpi_staged", 8, &host, &none), ncclInvalidUsage);
    EXPECT_EQ(Rondo_nccl_plan_create(nullptr, "direct", 8, nullptr, &none), ncclInvalidArgument);
    EXPECT_EQ(Rondo_nccl_plan_create(comm, nullptr, 8, nullptr, &none), ncclInvalidArgument);
    EXPECT_EQ(Rondo_nccl_plan_create(comm, "direct", 8, nullptr, nullptr), ncclInvalidArgument);
    EXPECT_EQ(Rondo_nccl_plan_destroy(&none), ncclSuccess);

    const Plan plan(comm, "nccl_grouped", 8);
    const DeviceMemory buffer = device_memory(64);
    std::byte* const receive = buffer.get() + 32;
    const auto call = [&](const void* send, std::size_t count, int type, ncclComm_t on,
                          Rondo_nccl_plan with) {
      return Rondo_nccl_alltoall(send, receive, count, static_cast<ncclDataType_t>(type), on,
                                 nullptr, with);
    };
    EXPECT_EQ(call(buffer.get(), 2, ncclInt32, comm, plan.get()), ncclSuccess);
    expect_error(call(buffer.get(), 3, ncclInt32, comm, plan.get()), ncclInvalidArgument,
                 "12 bytes");
    EXPECT_EQ(call(buffer.get(), SIZE_MAX / 2, ncclInt32, comm, plan.get()), ncclInvalidArgument);
    EXPECT_EQ(call(buffer.get(), 1, 99, comm, plan.get()), ncclInvalidArgument);
    EXPECT_EQ(call(nullptr, 1, ncclInt32, comm, plan.get()), ncclInvalidArgument);
    EXPECT_EQ(call(buffer.get(), 1, ncclInt32, nullptr, plan.get()), ncclInvalidArgument);
    EXPECT_EQ(call(buffer.get(), 1, ncclInt32, comm, nullptr), ncclInvalidArgument);
    EXPECT_EQ(Rondo_nccl_plan_set_timeout(plan.get(), 0), ncclInvalidArgument);
    const std::size_t long_one[] = {9};
    const std::size_t zero[] = {0};
    EXPECT_EQ(Rondo_nccl_alltoallv(buffer.get(), long_one, zero, receive, zero, zero, ncclInt8,
                                   comm, nullptr, plan.get()),
              ncclInvalidArgument);
    const DeviceMemory counts = on_device({1});
    expect_error(Rondo_nccl_alltoallv(buffer.get(), sizes(counts), zero, receive, zero, zero,
                                      ncclInt8, comm, nullptr, plan.get()),
                 ncclInvalidArgument, "all on the host or all on the device");
  });
}

TEST(Arguments, MoreRanksThanDirectCanHave) {
  on_ranks(97, [&](ncclComm_t comm, int) {
    Rondo_nccl_plan plan = nullptr;
    expect_error(Rondo_nccl_plan_create(comm, "direct", 8, nullptr, &plan), ncclInvalidUsage,
                 "96 ranks");
  });
}

TEST(Table, OfAlgorithms) {
  EXPECT_STREQ(Rondo_nccl_algorithm(0), "nccl_grouped");
  EXPECT_EQ(Rondo_nccl_algorithm(-1), nullptr);
  int rows = 0;
  while (Rondo_nccl_algorithm(rows) != nullptr) ++rows;
  EXPECT_EQ(rows, 7);
}

}  // namespace
