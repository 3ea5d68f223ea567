#include "gpu/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <vector>

#include "gpu/gather.hpp"
#include "gpu/resources.hpp"
#include "pattern.hpp"

namespace rondo::bench {

namespace {

using gpu::check;
using gpu::DeviceMemory;

/// That the graphs of threads that share a GPU may have together. With 4,800 they hung (an H200, CUDA 13, NCCL 2.32.3).
constexpr std::size_t kMostNodes = 4000;

double now_microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

class Plan {
 public:
  Plan(const GpuSeat& seat, const std::string& algorithm, std::size_t block_bytes) : seat_(seat) {
    seat.meet_in_process();
    said(Rondo_nccl_plan_create(seat.comm, algorithm.c_str(), block_bytes, seat.host, &plan_));
    seat.meet_in_process();
  }
  ~Plan() {
    seat_.meet_in_process();
    Rondo_nccl_plan_destroy(&plan_);
    seat_.meet_in_process();
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  Rondo_nccl_plan get() const { return plan_; }

  static void said(ncclResult_t result) {
    if (result != ncclSuccess) throw gpu::Failure(result, Rondo_nccl_error());
  }

 private:
  const GpuSeat& seat_;
  Rondo_nccl_plan plan_ = nullptr;
};

/// Counts and displacements of one side.
struct Side {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
  std::size_t bytes = 0;

  template <class LengthOf>
  Side(int ranks, LengthOf&& length_of) {
    for (int rank = 0; rank < ranks; ++rank) {
      counts.push_back(length_of(rank));
      displacements.push_back(bytes);
      bytes += counts.back();
    }
  }
};

/// The exchange of one size, by all algorithms in turn.
class Exchange {
 public:
  Exchange(const GpuSeat& seat, const GpuOptions& options, const gpu::Gatherer& gatherer,
           std::size_t block_bytes)
      : seat_(seat),
        options_(options),
        gatherer_(gatherer),
        block_bytes_(block_bytes),
        lengths_(options.distribution,
                 {.ranks = seat.ranks, .seed = options.seed, .bytes = block_bytes}),
        out_(seat.ranks, [&](int peer) { return lengths_(seat.rank, peer); }),
        in_(seat.ranks, [&](int peer) { return lengths_(peer, seat.rank); }),
        send_(gpu::device_memory(std::max<std::size_t>(out_.bytes, 1))),
        receive_(gpu::device_memory(std::max<std::size_t>(in_.bytes, 1))),
        stream_(gpu::make_stream()) {
    std::vector<std::byte> bytes(out_.bytes);
    each_block(bytes, out_, [&](std::span<std::byte> block, int peer) {
      fill_pattern(block, name(seat.rank, peer));
    });
    copy(send_.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  }

  GpuRow measure(const std::string& algorithm) {
    const Plan plan(seat_, algorithm, block_bytes_);
    std::optional<std::uint64_t> wrong;
    if (options_.check) wrong = wrong_bytes(plan);
    for (int call = 0; call < options_.warmup; ++call) enqueue(plan);
    drain(plan);
    meet();
    const Times own = options_.graph_launches > 0 ? time_graph(plan) : time_calls(plan);
    const auto all = gatherer_.gather(own);
    const auto mean = [&](double Times::*part) {
      return std::accumulate(all.begin(), all.end(), 0.0,
                             [&](double sum, const Times& times) { return sum + times.*part; }) /
             seat_.ranks;
    };
    return {.algorithm = algorithm,
            .size = std::ranges::max(gatherer_.gather(out_.bytes)),
            .count = block_bytes_,
            .microseconds = mean(&Times::call),
            .host_microseconds = mean(&Times::host),
            .wrong = wrong};
  }

 private:
  /// Returns microseconds per call.
  struct Times {
    double call;
    double host;
  };

  BlockName name(int source, int destination) const {
    return {.seed = options_.seed, .iteration = 0, .source = source, .destination = destination};
  }

  template <class Visit>
  void each_block(std::span<std::byte> bytes, const Side& side, Visit&& visit) const {
    for (int peer = 0; peer < seat_.ranks; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      visit(bytes.subspan(side.displacements[at], side.counts[at]), peer);
    }
  }

  void enqueue(const Plan& plan) {
    if (options_.distribution.is(simulate::Distribution::Kind::constant))
      Plan::said(Rondo_nccl_alltoall(send_.get(), receive_.get(), block_bytes_, ncclUint8,
                                     seat_.comm, stream_.get(), plan.get()));
    else
      Plan::said(Rondo_nccl_alltoallv(send_.get(), out_.counts.data(), out_.displacements.data(),
                                      receive_.get(), in_.counts.data(), in_.displacements.data(),
                                      ncclUint8, seat_.comm, stream_.get(), plan.get()));
  }

  void drain(const Plan& plan) {
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    Plan::said(Rondo_nccl_plan_check(plan.get()));
  }

  /// Returns when all ranks have come here.
  void meet() { gatherer_.gather(char{}); }

  std::uint64_t wrong_bytes(const Plan& plan) {
    std::vector<std::byte> bytes(in_.bytes, kPoison);
    copy(receive_.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    meet();
    enqueue(plan);
    drain(plan);
    copy(bytes.data(), receive_.get(), bytes.size(), cudaMemcpyDeviceToHost);
    std::uint64_t wrong = 0;
    each_block(bytes, in_, [&](std::span<const std::byte> block, int peer) {
      wrong += count_wrong_bytes(block, name(peer, seat_.rank));
    });
    const auto all = gatherer_.gather(wrong);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }

  /// In a stream: a plain copy could wait for kernels of other ranks, and they for this one.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

  Times time_calls(const Plan& plan) {
    const double start = now_microseconds();
    for (int call = 0; call < options_.iterations; ++call) enqueue(plan);
    const double enqueued = now_microseconds();
    drain(plan);
    const double end = now_microseconds();
    return {(end - start) / options_.iterations, (enqueued - start) / options_.iterations};
  }

  Times time_graph(const Plan& plan) {
    const gpu::Graph graph = gpu::capture(stream_.get(), [&] {
      for (int call = 0; call < options_.iterations; ++call) enqueue(plan);
    });
    refuse_long(graph);
    const gpu::GraphExec exec = gpu::instantiate(graph);
    meet();
    const int calls = options_.iterations * options_.graph_launches;
    const double start = now_microseconds();
    for (int launch = 0; launch < options_.graph_launches; ++launch)
      check(cudaGraphLaunch(exec.get(), stream_.get()), "cudaGraphLaunch");
    const double enqueued = now_microseconds();
    drain(plan);
    const double end = now_microseconds();
    return {(end - start) / calls, (enqueued - start) / calls};
  }

  /// Throws on all ranks if their graphs might wait for each other.
  void refuse_long(const gpu::Graph& graph) {
    const std::size_t nodes = std::ranges::max(gatherer_.gather(gpu::nodes_of(graph)));
    const std::size_t together = nodes * static_cast<std::size_t>(seat_.sharing);
    if (seat_.sharing == 1 || together <= kMostNodes) return;
    const auto calls = static_cast<std::size_t>(options_.iterations);
    throw Error(
        ErrorClass::argument,
        fmt::format(
            "--graph-launches: a graph of {} calls has {} nodes, and {} ranks share a GPU: where "
            "their graphs have more than {} nodes together, they may wait for each other forever. "
            "Take --iterations {} or less",
            calls, nodes, seat_.sharing, kMostNodes, calls * kMostNodes / together));
  }

  const GpuSeat& seat_;
  const GpuOptions& options_;
  const gpu::Gatherer& gatherer_;
  std::size_t block_bytes_;
  BlockLengths lengths_;
  Side out_;
  Side in_;
  DeviceMemory send_;
  DeviceMemory receive_;
  gpu::Stream stream_;
};

}  // namespace

void measure_all(const GpuSeat& seat, const GpuOptions& options,
                 const std::function<void(const GpuRow&)>& report) {
  const gpu::Gatherer gatherer(seat.comm, seat.ranks);
  for (const std::size_t size : sizes_of(options)) {
    Exchange exchange(seat, options, gatherer, size / static_cast<std::size_t>(seat.ranks));
    for (const std::string& algorithm : options.algorithms) report(exchange.measure(algorithm));
  }
}

}  // namespace rondo::bench
