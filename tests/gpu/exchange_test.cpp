// librondo_nccl through its C interface, over the stand-ins for CUDA and NCCL.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "gpu/resources.hpp"
#include "host_exchange.hpp"
#include "lengths.hpp"
#include "rondo/rondo_nccl.h"
#include "stand_in.hpp"

namespace {

using namespace rondo::testing;
using rondo::gpu::device_memory;
using rondo::gpu::DeviceMemory;

constexpr int kRanks[] = {1, 2, 3, 4, 5, 6, 7, 8};

/// A plan that is freed, and whatever goes wrong is said.
class Plan {
 public:
  Plan(ncclComm_t comm, const std::string& algorithm, std::size_t block_bytes,
       const Rondo_nccl_host* host = nullptr)
      : comm_(comm) {
    EXPECT_EQ(Rondo_nccl_plan_create(comm, algorithm.c_str(), block_bytes, host, &plan_),
              ncclSuccess)
        << Rondo_nccl_error();
  }
  ~Plan() { EXPECT_EQ(Rondo_nccl_plan_destroy(&plan_), ncclSuccess) << Rondo_nccl_error(); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  Rondo_nccl_plan get() const { return plan_; }
  ncclComm_t comm() const { return comm_; }

 private:
  ncclComm_t comm_;
  Rondo_nccl_plan plan_ = nullptr;
};

constexpr std::byte kPoison{0xa5};

/// Buffers of one rank for exchanges of one shape, which hold what Traffic says.
class Buffers {
 public:
  Buffers(const Traffic& shape, int rank, std::size_t gap)
      : rank_(rank),
        out(shape.ranks, gap, [&](int peer) { return shape.length(rank, peer); }),
        in(shape.ranks, gap, [&](int peer) { return shape.length(peer, rank); }),
        send(device_memory(out.elements + 1)),
        receive(device_memory(in.elements + 1)) {}

  /// `data` has the lengths of the shape and bytes of its own.
  void fill(const Traffic& data) {
    std::memset(send.get(), 0x77, out.elements);
    std::memset(receive.get(), static_cast<int>(kPoison), in.elements);
    for (int peer = 0; peer < data.ranks; ++peer)
      for (std::size_t i = 0; i < out.counts[index(peer)]; ++i)
        send.get()[out.displacements[index(peer)] + i] = data.byte(rank_, peer, i);
    sent_.assign(send.get(), send.get() + out.elements);
  }

  void expect(const Traffic& data) const {
    std::vector<std::byte> expected(in.elements, kPoison);
    for (int peer = 0; peer < data.ranks; ++peer)
      for (std::size_t i = 0; i < in.counts[index(peer)]; ++i)
        expected[in.displacements[index(peer)] + i] = data.byte(peer, rank_, i);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), receive.get())) << "rank " << rank_;
    EXPECT_TRUE(std::equal(sent_.begin(), sent_.end(), send.get())) << "the send buffer changed";
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  int rank_;
  std::vector<std::byte> sent_;

 public:
  Side out;
  Side in;
  DeviceMemory send;
  DeviceMemory receive;
};

void call_equal(const Plan& plan, const Buffers& buffers, std::size_t count, cudaStream_t stream) {
  EXPECT_EQ(Rondo_nccl_alltoall(buffers.send.get(), buffers.receive.get(), count, ncclUint8,
                                plan.comm(), stream, plan.get()),
            ncclSuccess)
      << Rondo_nccl_error();
}

void call_variable(const Plan& plan, const Buffers& buffers, cudaStream_t stream) {
  EXPECT_EQ(Rondo_nccl_alltoallv(buffers.send.get(), buffers.out.counts.data(),
                                 buffers.out.displacements.data(), buffers.receive.get(),
                                 buffers.in.counts.data(), buffers.in.displacements.data(),
                                 ncclUint8, plan.comm(), stream, plan.get()),
            ncclSuccess)
      << Rondo_nccl_error();
}

/// The seed is that of the lengths too; `number` changes the bytes alone.
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

class Exchange : public ::testing::TestWithParam<Algorithm> {};

TEST_P(Exchange, BlocksOfEqualLength) {
  for (const int ranks : kRanks) {
    SCOPED_TRACE(::testing::Message() << ranks << " ranks");
    HostExchange hosts(ranks);
    on_ranks(ranks, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      const Plan plan(comm, GetParam().name, 4096, &host);
      for (const std::size_t bytes : {0, 1, 15, 16, 4096, 17}) {
        const Traffic traffic{ranks, bytes, Skew::equal, 7};
        Buffers buffers(traffic, rank, 0);
        for (std::uint64_t call = 0; call < 3; ++call) {
          buffers.fill(with_bytes(traffic, call));
          call_equal(plan, buffers, bytes, nullptr);
          buffers.expect(with_bytes(traffic, call));
        }
      }
    });
  }
}

TEST_P(Exchange, LongBlocks) {
  constexpr std::size_t kBytes = 1 << 20;
  for (const int ranks : {1, 3, 8}) {
    HostExchange hosts(ranks);
    on_ranks(ranks, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      const Plan plan(comm, GetParam().name, kBytes, &host);
      const Traffic traffic{ranks, kBytes, Skew::equal, 11};
      Buffers buffers(traffic, rank, 0);
      buffers.fill(traffic);
      call_equal(plan, buffers, kBytes, nullptr);
      buffers.expect(traffic);
    });
  }
}

TEST_P(Exchange, BlocksOfAnyLength) {
  for (const int ranks : {1, 2, 3, 5, 8})
    for (const Skew skew : kSkews) {
      HostExchange hosts(ranks);
      on_ranks(ranks, [&](ncclComm_t comm, int rank) {
        const Rondo_nccl_host host = hosts.of(rank);
        const Plan plan(comm, GetParam().name, 3000, &host);
        const Traffic traffic{ranks, 3000, skew, 13};
        Buffers buffers(traffic, rank, 3);
        buffers.fill(traffic);
        if (GetParam().is_variable) {
          call_variable(plan, buffers, nullptr);
          buffers.expect(traffic);
        } else {
          EXPECT_EQ(Rondo_nccl_alltoallv(buffers.send.get(), buffers.out.counts.data(),
                                         buffers.out.displacements.data(), buffers.receive.get(),
                                         buffers.in.counts.data(), buffers.in.displacements.data(),
                                         ncclUint8, comm, nullptr, plan.get()),
                    ncclInvalidUsage);
          EXPECT_NE(std::string(Rondo_nccl_error()).find("equal length"), std::string::npos)
              << Rondo_nccl_error();
        }
      });
    }
}

TEST_P(Exchange, ReplaysOfAGraphWithOtherData) {
  for (const int ranks : {2, 3, 8}) {
    HostExchange hosts(ranks);
    on_ranks(ranks, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      const Plan plan(comm, GetParam().name, 200, &host);
      const Traffic traffic{ranks, 200, Skew::equal, 17};
      Buffers buffers(traffic, rank, 0);
      const auto stream = rondo::gpu::make_stream();
      ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                cudaSuccess);
      const ncclResult_t result =
          Rondo_nccl_alltoall(buffers.send.get(), buffers.receive.get(), 200, ncclUint8, comm,
                              stream.get(), plan.get());
      cudaGraph_t captured = nullptr;
      ASSERT_EQ(cudaStreamEndCapture(stream.get(), &captured), cudaSuccess);
      const rondo::gpu::Graph graph(captured);
      if (!GetParam().is_captured) {
        EXPECT_EQ(result, ncclInvalidUsage);
        EXPECT_NE(std::string(Rondo_nccl_error()).find("captured"), std::string::npos);
        return;
      }
      ASSERT_EQ(result, ncclSuccess) << Rondo_nccl_error();
      cudaGraphExec_t ready = nullptr;
      ASSERT_EQ(cudaGraphInstantiate(&ready, graph.get(), 0), cudaSuccess);
      const rondo::gpu::GraphExec exec(ready);
      for (std::uint64_t replay = 0; replay < 20; ++replay) {
        buffers.fill(with_bytes(traffic, replay));
        ASSERT_EQ(cudaGraphLaunch(exec.get(), stream.get()), cudaSuccess);
        buffers.expect(with_bytes(traffic, replay));
      }
      // Calls and replays of one plan may follow each other.
      buffers.fill(traffic);
      call_equal(plan, buffers, 200, stream.get());
      buffers.expect(traffic);
    });
  }
}

TEST_P(Exchange, AThousandCalls) {
  HostExchange hosts(4);
  on_ranks(4, [&](ncclComm_t comm, int rank) {
    const Rondo_nccl_host host = hosts.of(rank);
    const Plan plan(comm, GetParam().name, 24, &host);
    const Traffic traffic{4, 24, Skew::equal, 19};
    Buffers buffers(traffic, rank, 0);
    for (std::uint64_t call = 0; call < 1000; ++call) {
      buffers.fill(with_bytes(traffic, call));
      call_equal(plan, buffers, 24, nullptr);
      buffers.expect(with_bytes(traffic, call));
    }
  });
}

TEST_P(Exchange, NothingIsLeft) {
  const long before = things_held();
  HostExchange hosts(3);
  on_ranks(3, [&](ncclComm_t comm, int rank) {
    const Rondo_nccl_host host = hosts.of(rank);
    const Plan plan(comm, GetParam().name, 64, &host);
    const Traffic traffic{3, 64, Skew::equal, 23};
    Buffers buffers(traffic, rank, 0);
    buffers.fill(traffic);
    call_equal(plan, buffers, 64, nullptr);
  });
  EXPECT_EQ(things_held(), before);
}

TEST_P(Exchange, OutOfMemory) {
  // `direct` makes its plan together with others, who would wait.
  for (int allowed = 0; allowed < 6; ++allowed) {
    const long before = things_held();
    HostExchange hosts(1);
    on_ranks(1, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      limit_allocations(allowed);
      Rondo_nccl_plan plan = nullptr;
      const ncclResult_t result =
          Rondo_nccl_plan_create(comm, GetParam().name.c_str(), 64, &host, &plan);
      limit_allocations(-1);
      if (result == ncclSuccess) {
        EXPECT_EQ(Rondo_nccl_plan_destroy(&plan), ncclSuccess);
        return;
      }
      EXPECT_EQ(result, ncclSystemError);
      EXPECT_EQ(plan, nullptr);
      EXPECT_NE(std::string(Rondo_nccl_error()).find("memory"), std::string::npos)
          << Rondo_nccl_error();
    });
    EXPECT_EQ(things_held(), before) << allowed << " allocations";
  }
}

/// Where one rank has no memory left, all turn back. Whoever has none at all cannot tell the others.
TEST(Direct, OneRankIsOutOfMemory) {
  constexpr int kAll = 3;
  for (const bool has_windows : {false, true})
    for (int allowed = 1; allowed < 7; ++allowed) {
      SCOPED_TRACE(::testing::Message() << allowed << " allocations, windows " << has_windows);
      set_windows(has_windows);
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
        const std::string said = Rondo_nccl_error();
        EXPECT_NE(said.find(rank == 1 ? "memory" : "another rank"), std::string::npos) << said;
      });
      EXPECT_TRUE(made == 0 || made == kAll) << made << " ranks have a plan";
      EXPECT_EQ(things_held(), before);
    }
  set_windows(false);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Exchange, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

/// Launches of one call after the first, by rank 0.
Launches launches_of(const std::string& algorithm, int ranks, std::size_t bytes) {
  Launches counted;
  on_ranks(ranks, [&](ncclComm_t comm, int rank) {
    const Plan plan(comm, algorithm, bytes);
    const Traffic traffic{ranks, bytes, Skew::equal, 29};
    Buffers buffers(traffic, rank, 0);
    buffers.fill(traffic);
    call_equal(plan, buffers, bytes, nullptr);
    launches();
    call_equal(plan, buffers, bytes, nullptr);
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
    const Launches counted = launches_of(row.algorithm, row.ranks, 32);
    EXPECT_EQ(counted.copies, row.launches.copies) << row.algorithm;
    EXPECT_EQ(counted.kernels, row.launches.kernels) << row.algorithm;
    EXPECT_EQ(counted.groups, row.launches.groups) << row.algorithm;
    EXPECT_EQ(counted.graphs, row.launches.graphs) << row.algorithm;
  }
}

/// An array on the device.
DeviceMemory on_device(const std::vector<std::size_t>& values) {
  return rondo::gpu::on_device(std::span<const std::size_t>(values));
}

const std::size_t* sizes(const DeviceMemory& memory) {
  return reinterpret_cast<const std::size_t*>(memory.get());
}

TEST(DeviceCounts, OfDirect) {
  for (const char* algorithm : {"direct:blocks=3", "graph:direct:blocks=2"})
    for (const int ranks : kRanks)
      for (const Skew skew : kSkews)
        on_ranks(ranks, [&](ncclComm_t comm, int rank) {
          const Plan plan(comm, algorithm, 2000);
          const Traffic traffic{ranks, 2000, skew, 31};
          Buffers buffers(traffic, rank, 2);
          const DeviceMemory send_counts = on_device(buffers.out.counts);
          const DeviceMemory send_displs = on_device(buffers.out.displacements);
          const DeviceMemory receive_counts = on_device(buffers.in.counts);
          const DeviceMemory receive_displs = on_device(buffers.in.displacements);
          for (int call = 0; call < 3; ++call) {
            buffers.fill(traffic);
            ASSERT_EQ(
                Rondo_nccl_alltoallv(buffers.send.get(), sizes(send_counts), sizes(send_displs),
                                     buffers.receive.get(), sizes(receive_counts),
                                     sizes(receive_displs), ncclUint8, comm, nullptr, plan.get()),
                ncclSuccess)
                << Rondo_nccl_error();
            buffers.expect(traffic);
          }
        });
}

TEST(DeviceCounts, OthersSayThatDirectTakesThem) {
  for (const char* algorithm : {"nccl_grouped", "mpi_staged", "nccl_bruck"}) {
    HostExchange hosts(2);
    on_ranks(2, [&](ncclComm_t comm, int rank) {
      const Rondo_nccl_host host = hosts.of(rank);
      const Plan plan(comm, algorithm, 8, &host);
      const DeviceMemory counts = on_device({8, 8});
      const DeviceMemory buffer = device_memory(16);
      EXPECT_EQ(
          Rondo_nccl_alltoallv(buffer.get(), sizes(counts), sizes(counts), buffer.get(),
                               sizes(counts), sizes(counts), ncclUint8, comm, nullptr, plan.get()),
          ncclInvalidUsage);
      EXPECT_NE(std::string(Rondo_nccl_error()).find("direct"), std::string::npos);
    });
  }
}

/// Counts given on the host stay as they were when the call was captured.
TEST(HostCounts, AreFrozenByCapture) {
  on_ranks(2, [&](ncclComm_t comm, int rank) {
    const Plan plan(comm, "direct", 100);
    const Traffic traffic{2, 100, Skew::random, 37};
    Buffers buffers(traffic, rank, 1);
    const auto stream = rondo::gpu::make_stream();
    ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    call_variable(plan, buffers, stream.get());
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream.get(), &captured), cudaSuccess);
    const rondo::gpu::Graph graph(captured);
    cudaGraphExec_t ready = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&ready, graph.get(), 0), cudaSuccess);
    const rondo::gpu::GraphExec exec(ready);
    buffers.fill(traffic);
    const auto kept = buffers.out.counts;
    buffers.out.counts.assign(2, 99999);
    ASSERT_EQ(cudaGraphLaunch(exec.get(), stream.get()), cudaSuccess);
    buffers.out.counts = kept;
    buffers.expect(traffic);
  });
}

TEST(Graph, OtherArgumentsAreCapturedAnew) {
  on_ranks(3, [&](ncclComm_t comm, int rank) {
    const Plan plan(comm, "graph:nccl_bruck", 64);
    for (const std::size_t bytes : {64, 32, 64}) {
      const Traffic traffic{3, bytes, Skew::equal, 41};
      Buffers buffers(traffic, rank, 0);
      buffers.fill(traffic);
      call_equal(plan, buffers, bytes, nullptr);
      buffers.expect(traffic);
    }
  });
}

TEST(Windows, OfNcclServeDirectToo) {
  set_windows(true);
  on_ranks(3, [&](ncclComm_t comm, int rank) {
    const Plan plan(comm, "direct", 3000);
    const Traffic traffic{3, 3000, Skew::equal, 43};
    Buffers buffers(traffic, rank, 0);
    buffers.fill(traffic);
    call_equal(plan, buffers, 3000, nullptr);
    buffers.expect(traffic);
  });
  set_windows(false);
}

TEST(Direct, SaysWhoDidNotCome) {
  on_ranks(2, [&](ncclComm_t comm, int rank) {
    const Plan plan(comm, "direct", 16);
    const DeviceMemory send = device_memory(32);
    const DeviceMemory receive = device_memory(32);
    EXPECT_EQ(Rondo_nccl_plan_set_timeout(plan.get(), 0.05), ncclSuccess);
    if (rank == 1) return;
    EXPECT_EQ(Rondo_nccl_plan_check(plan.get()), ncclSuccess);
    EXPECT_EQ(
        Rondo_nccl_alltoall(send.get(), receive.get(), 16, ncclUint8, comm, nullptr, plan.get()),
        ncclSuccess)
        << "the call only puts work into the stream";
    EXPECT_EQ(Rondo_nccl_plan_check(plan.get()), ncclRemoteError);
    EXPECT_NE(std::string(Rondo_nccl_error()).find("rank 1 did not come within 0.05 seconds"),
              std::string::npos)
        << Rondo_nccl_error();
    EXPECT_EQ(
        Rondo_nccl_alltoall(send.get(), receive.get(), 16, ncclUint8, comm, nullptr, plan.get()),
        ncclRemoteError);
  });
}

TEST(Arguments, ThatCannotBe) {
  struct Row {
    const char* algorithm;
    ncclResult_t result;
    const char* words;
  };
  const Row rows[] = {
      {"nccl_brook", ncclInvalidArgument, "there are: nccl_grouped"},
      {"nccl_bruck:radix=1", ncclInvalidArgument, "must be in 2..2147483647"},
      {"mpi_staged:inner=nothing", ncclInvalidArgument, "basic_bruck"},
      {"mpi_staged", ncclInvalidArgument, "Rondo_nccl_host"},
      {"graph:mpi_staged", ncclInvalidArgument, "Rondo_nccl_host"},
      {"graph:graph:direct", ncclInvalidArgument, "no gpu algorithm 'graph'"},
      {"", ncclInvalidArgument, "there are"},
  };
  on_ranks(1, [&](ncclComm_t comm, int) {
    for (const Row& row : rows) {
      Rondo_nccl_plan plan = nullptr;
      EXPECT_EQ(Rondo_nccl_plan_create(comm, row.algorithm, 8, nullptr, &plan), row.result)
          << row.algorithm;
      EXPECT_NE(std::string(Rondo_nccl_error()).find(row.words), std::string::npos)
          << row.algorithm << ": " << Rondo_nccl_error();
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
    EXPECT_EQ(call(buffer.get(), 3, ncclInt32, comm, plan.get()), ncclInvalidArgument);
    EXPECT_NE(std::string(Rondo_nccl_error()).find("12 bytes"), std::string::npos);
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
    EXPECT_EQ(Rondo_nccl_alltoallv(buffer.get(), sizes(counts), zero, receive, zero, zero, ncclInt8,
                                   comm, nullptr, plan.get()),
              ncclInvalidArgument);
    EXPECT_NE(std::string(Rondo_nccl_error()).find("some on the device"), std::string::npos);
  });
}

TEST(Arguments, MoreRanksThanDirectHasRoomFor) {
  on_ranks(97, [&](ncclComm_t comm, int) {
    Rondo_nccl_plan plan = nullptr;
    EXPECT_EQ(Rondo_nccl_plan_create(comm, "direct", 8, nullptr, &plan), ncclInvalidUsage);
    EXPECT_NE(std::string(Rondo_nccl_error()).find("96 ranks"), std::string::npos);
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
