// The kernel of `direct` on one GPU without NCCL: one cooperative launch runs all ranks, each in
// thread blocks of its own. So one GPU is enough to test the protocol and to run compute-sanitizer.
// Also measures how much faster one kernel copies many blocks than one copy per block does.
//
//   rondo_gpu_emulator [quick]    quick: few ranks and short blocks, for compute-sanitizer
//
// Exit status: 0, 1 if a byte is wrong, 77 where there is no GPU.

#include <cooperative_groups.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "gpu/device_thread.cuh"
#include "gpu/direct_body.hpp"
#include "gpu/kernels.hpp"
#include "gpu/resources.hpp"
#include "lengths.hpp"
#include "seed_of_run.hpp"

namespace {

using namespace rondo::gpu;
using namespace rondo::testing;
using rondo::mix;

constexpr int kThreads = 256;

/// Thread blocks of rank p are those from p * region.blocks on.
__global__ void emulate(const DirectCall* calls) {
  __shared__ SharedNumbers numbers;
  const int blocks = calls->region.blocks;
  const int at = static_cast<int>(blockIdx.x);
  DeviceThread thread(at % blocks, numbers);
  const DirectCall& call = calls[at / blocks];
  DirectBody<DeviceThread>(thread, call, call.blocks).run();
}

/// Ranks that share the GPU, and the memory of an exchange of up to `longest` bytes a block.
class Ranks {
 public:
  Ranks(int ranks, int blocks, std::size_t longest)
      : region_(Region::of(ranks, blocks, longest)),
        lent_(device_memory(region_.bytes() * count())),
        states_(device_memory(sizeof(DirectState) * count())),
        errors_(pinned_memory(sizeof(DeviceError) * count())),
        calls_(device_memory(sizeof(DirectCall) * count())) {
    check(cudaMemset(lent_.get(), 0, region_.bytes() * count()), "cudaMemset");
    check(cudaMemset(states_.get(), 0, sizeof(DirectState) * count()), "cudaMemset");
    std::memset(static_cast<void*>(errors_.get()), 0, sizeof(DeviceError) * count());
    for (int rank = 0; rank < ranks; ++rank) {
      DirectCall call{};
      call.rank = rank;
      call.region = region_;
      call.longest = longest;
      call.timeout_nanoseconds = 60'000'000'000;
      call.state = reinterpret_cast<DirectState*>(states_.get()) + rank;
      call.error = reinterpret_cast<DeviceError*>(errors_.get()) + rank;
      for (int peer = 0; peer < ranks; ++peer)
        call.peers[peer] = lent_.get() + region_.bytes() * static_cast<std::size_t>(peer);
      host_.push_back(call);
    }
  }

  int ranks() const { return region_.ranks; }
  DirectCall& call(int rank) { return host_[static_cast<std::size_t>(rank)]; }

  void upload() {
    check(cudaMemcpy(calls_.get(), host_.data(), sizeof(DirectCall) * count(),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }

  void launch(cudaStream_t stream) {
    const DirectCall* calls = reinterpret_cast<const DirectCall*>(calls_.get());
    void* arguments[] = {&calls};
    check(
        cudaLaunchCooperativeKernel(emulate, dim3(static_cast<unsigned>(ranks() * region_.blocks)),
                                    dim3(kThreads), arguments, 0, stream),
        "the cooperative launch");
  }

  bool is_sound() const {
    const auto* const errors = reinterpret_cast<const DeviceError*>(errors_.get());
    for (int rank = 0; rank < ranks(); ++rank)
      if (errors[rank].kind != DeviceError::none) {
        std::printf("rank %d: error %u with rank %d\n", rank, errors[rank].kind, errors[rank].rank);
        return false;
      }
    return true;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(region_.ranks); }

  Region region_;
  DeviceMemory lent_;
  DeviceMemory states_;
  PinnedMemory errors_;
  DeviceMemory calls_;
  std::vector<DirectCall> host_;
};

/// What one rank sends and receives, with counts and displacements on the device. Of a dynamic
/// exchange, whose blocks follow each other, those of the receiver are written.
struct Buffers : Sides {
  Buffers(const Traffic& shape, int own_rank, bool dynamic)
      : Sides(shape, own_rank, dynamic ? 0 : 3),
        is_dynamic(dynamic),
        send(device_memory(out.elements)),
        receive(device_memory(in.elements)) {
    for (const auto* values : {&out.counts, &out.displacements, &in.counts, &in.displacements})
      lengths.push_back(on_device(std::span<const std::size_t>(*values)));
  }

  void fill(const Traffic& data) const {
    const std::vector<std::byte> bytes = sent(data);
    check(cudaMemcpy(send.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemset(receive.get(), static_cast<int>(kPoison), in.elements), "cudaMemset");
    for (const std::size_t written : {2, 3})
      if (is_dynamic) check(cudaMemset(lengths[written].get(), 0xff, array_bytes()), "cudaMemset");
  }

  bool is_right(const Traffic& data) const {
    std::vector<std::byte> bytes(in.elements);
    check(cudaMemcpy(bytes.data(), receive.get(), bytes.size(), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return bytes == received(data) &&
           (!is_dynamic || (holds(2, in.counts) && holds(3, in.displacements)));
  }

  Blocks blocks() const {
    const auto array = [&](std::size_t at) {
      return reinterpret_cast<std::size_t*>(lengths[at].get());
    };
    Blocks blocks;
    blocks.send = send.get();
    blocks.receive = receive.get();
    blocks.send_counts = array(0);
    if (is_dynamic) {
      blocks.arriving = {out.elements - 1, in.elements - 1, array(2), array(3)};
      return blocks;
    }
    blocks.send_displacements = array(1);
    blocks.receive_counts = array(2);
    blocks.receive_displacements = array(3);
    return blocks;
  }

  bool is_dynamic;
  DeviceMemory send;
  DeviceMemory receive;
  std::vector<DeviceMemory> lengths;

 private:
  std::size_t array_bytes() const { return in.counts.size() * sizeof(std::size_t); }

  bool holds(std::size_t at, const std::vector<std::size_t>& expected) const {
    std::vector<std::size_t> found(expected.size());
    check(cudaMemcpy(found.data(), lengths[at].get(), array_bytes(), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return found == expected;
  }
};

/// Exchanges of one shape with changing data, as single launches or replays of a graph.
bool exchange(Ranks& ranks, const Traffic& shape, int calls, bool captured, bool dynamic) {
  std::vector<Buffers> all;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    ranks.call(rank).blocks = all.emplace_back(shape, rank, dynamic).blocks();
  }
  ranks.upload();
  const Stream stream = make_stream();
  GraphExec exec;
  if (captured) exec = instantiate(capture(stream.get(), [&] { ranks.launch(stream.get()); }));
  for (int number = 0; number < calls; ++number) {
    Traffic data = shape;
    if (shape.skew == Skew::equal) data.seed += static_cast<std::uint64_t>(number);
    for (const Buffers& buffers : all) buffers.fill(data);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (captured)
      check(cudaGraphLaunch(exec.get(), stream.get()), "cudaGraphLaunch");
    else
      ranks.launch(stream.get());
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    if (!ranks.is_sound()) return false;
    for (const Buffers& buffers : all)
      if (!buffers.is_right(data)) {
        std::printf("wrong bytes: %d ranks, up to %zu bytes, seed %llu, call %d, rank %d\n",
                    ranks.ranks(), shape.longest, static_cast<unsigned long long>(shape.seed),
                    number, buffers.rank);
        return false;
      }
  }
  return true;
}

/// Launches that follow each other without a check in between.
bool back_to_back(int ranks, int calls) {
  Ranks all(ranks, 1, 64);
  const Traffic traffic{ranks, 64, Skew::equal, 5};
  std::vector<Buffers> buffers;
  for (int rank = 0; rank < ranks; ++rank) {
    all.call(rank).blocks = buffers.emplace_back(traffic, rank, false).blocks();
    buffers.back().fill(traffic);
  }
  all.upload();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const Stream stream = make_stream();
  for (int call = 0; call < calls; ++call) all.launch(stream.get());
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  bool right = all.is_sound();
  for (const Buffers& one : buffers) right = right && one.is_right(traffic);
  return right;
}

double microseconds_of(const std::function<void()>& body) {
  constexpr int kRepeats = 50;
  body();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const auto start = std::chrono::steady_clock::now();
  for (int repeat = 0; repeat < kRepeats; ++repeat) body();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
             .count() /
         kRepeats;
}

/// Packs 512 blocks by one kernel, and by one copy per block.
void time_packing() {
  constexpr std::uint32_t kBlocks = 512;
  constexpr std::size_t kBytes = 64;
  const DeviceMemory from = device_memory(2 * kBlocks * kBytes);
  const DeviceMemory to = device_memory(kBlocks * kBytes);
  std::vector<Copy> copies;
  for (std::uint32_t block = 0; block < kBlocks; ++block)
    copies.push_back({2 * block, block, Area::send, Area::outgoing});
  const DeviceMemory listed = on_device(std::span<const Copy>(copies));
  const std::span<const Copy> list(reinterpret_cast<const Copy*>(listed.get()), copies.size());
  const Stream stream = make_stream();
  const Areas areas{from.get(), nullptr, to.get(), nullptr};
  const double kernel = microseconds_of([&] { copy_blocks(areas, list, kBytes, stream.get()); });
  const double single = microseconds_of([&] {
    for (const Copy& copy : copies)
      copy_async(areas.outgoing + copy.to * kBytes, areas.send + copy.from * kBytes, kBytes,
                 stream.get());
  });
  std::printf(
      "%u blocks of %zu bytes packed: one kernel %.1f us, a copy each %.1f us, %.1f times\n",
      kBlocks, kBytes, kernel, single, single / kernel);
}

/// All exchanges of that many ranks.
bool test(int ranks, std::span<const std::size_t> lengths, std::uint64_t seed) {
  for (const std::size_t longest : lengths)
    for (const int blocks : {1, 4}) {
      Ranks all(ranks, blocks, longest);
      const int calls = longest > 4096 ? 2 : 10;
      for (const Skew skew : kSkews)
        for (const bool captured : {false, true})
          for (const bool dynamic : {false, true})
            if (!exchange(all, {ranks, longest, skew, seed}, calls, captured, dynamic))
              return false;
    }
  return true;
}

bool test_all(bool is_quick, std::uint64_t seed) {
  constexpr std::size_t kLengths[] = {0, 1, 15, 16, 1024, 1025, 4096, 1 << 20};
  constexpr std::size_t kShort[] = {0, 15, 1025};
  const std::span<const std::size_t> lengths =
      is_quick ? std::span<const std::size_t>(kShort) : std::span<const std::size_t>(kLengths);
  const int most_ranks = is_quick ? 3 : 8;
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    if (!test(ranks, lengths, seed)) return false;
    std::printf("%d ranks: every byte is right\n", ranks);
    std::fflush(stdout);
  }
  const int calls = is_quick ? 20 : 1000;
  return back_to_back(2, calls) && back_to_back(most_ranks, calls);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no GPU\n");
    return 77;
  }
  const auto seed = rondo::test::seed_of_run();
  std::printf("RONDO_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const bool right = test_all(is_quick, seed);
  if (right && !is_quick) time_packing();
  std::printf(right ? "passed\n" : "FAILED\n");
  return right ? 0 : 1;
}
