// rondo-bench-gpu
#include <fmt/format.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/exit_status.hpp"
#include "gpu/failure.hpp"
#include "gpu/options.hpp"
#include "gpu/processes.hpp"
#include "gpu/session.hpp"
#include "support/file.hpp"

namespace {

using namespace rondo;
using namespace rondo::bench;
using gpu::check;

int device_count() {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess || devices == 0)
    throw Error(ErrorClass::argument,
                text("no GPU: ", code == cudaSuccess ? "there is none" : cudaGetErrorString(code)));
  return devices;
}

/// What several ranks on one GPU need. The user's settings stay. Returns whether anything was set.
bool set_for_sharing() {
  if (std::getenv("NCCL_MULTI_RANK_GPU_ENABLE") != nullptr) return false;
#define RONDO_SHARING(variable, value) setenv(#variable, #value, 0);
#include "gpu/sharing.def"
  return true;
}

/// Threads of this process share a GPU. CUDA has read its settings already, so this program starts
/// itself again.
void let_threads_share(char** argv) {
  if (!set_for_sharing()) return;
  execv("/proc/self/exe", argv);
  throw Error(ErrorClass::other,
              "this program cannot start itself again for ranks that share a GPU");
}

std::string nccl_version() {
  int code = 0;
  check(ncclGetVersion(&code), "ncclGetVersion");
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

GpuRun describe(const GpuOptions& options, int ranks, int local_ranks, int devices) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return {.ranks = ranks,
          .sharing = (local_ranks + devices - 1) / devices,
          .device = properties.name,
          .nccl = nccl_version(),
          .distribution = options.distribution.text,
          .seed = options.seed};
}

/// The rows of a run. Rank 0 writes each as soon as it is known.
class Report {
 public:
  Report(GpuRun run, const GpuOptions& options, bool writes)
      : run_(std::move(run)), format_(options.format) {
    if (writes) out_.emplace(options.output);
    if (out_ && format_ == Format::table) out_->write(gpu_heading(run_));
  }
  void add(const GpuRow& row) {
    if (row.wrong.value_or(0) != 0) is_right_ = false;
    if (!out_) return;
    out_->write(format_ == Format::table
                    ? gpu_line(run_, row)
                    : support::record_text(format_, gpu_row(run_, row), is_first_));
    is_first_ = false;
    out_->flush();
  }
  bool is_right() const { return is_right_; }

 private:
  GpuRun run_;
  Format format_;
  std::optional<support::OutputFile> out_;
  bool is_first_ = true;
  bool is_right_ = true;
};

int run(const GpuOptions& options, char** argv) {
  const int devices = device_count();
  if (options.threads > devices) let_threads_share(argv);
  const auto processes = make_processes(options.bootstrap);
  const int ranks = processes->processes() * options.threads;
  const int first = processes->process() * options.threads;
  const int local_first = processes->local_process() * options.threads;
  const int local_ranks = processes->local_processes() * options.threads;
  // NCCL has read nothing yet. What CUDA has read is only for threads.
  if (local_ranks > devices) set_for_sharing();

  ncclUniqueId id{};
  if (first == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  processes->broadcast(std::as_writable_bytes(std::span(&id, 1)));

  Report report(describe(options, ranks, local_ranks, devices), options, first == 0);
  std::mutex mutex;
  std::barrier meeting(options.threads);
  const auto rank_main = [&](int thread) {
    try {
      check(cudaSetDevice((local_first + thread) % devices), "cudaSetDevice");
      GpuSeat seat{.comm = nullptr,
                   .rank = first + thread,
                   .ranks = ranks,
                   .host = options.threads == 1 ? processes->host() : nullptr,
                   .sharing = (options.threads + devices - 1) / devices,
                   .meet_in_process = [&] { meeting.arrive_and_wait(); }};
      check(ncclCommInitRank(&seat.comm, ranks, id, seat.rank), "ncclCommInitRank");
      measure_all(seat, options, [&](const GpuRow& row) {
        if (thread == 0) report.add(row);
      });
      check(ncclCommDestroy(seat.comm), "ncclCommDestroy");
    } catch (const std::exception& error) {
      // The others wait for this rank on the device: nobody can go on.
      const std::lock_guard lock(mutex);
      fmt::print(stderr, "rondo-bench-gpu: rank {}: {}\n", first + thread, error.what());
      std::fflush(nullptr);
      std::_Exit(kRunFailed);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < options.threads; ++thread)
      threads.emplace_back(rank_main, thread);
  }
  return report.is_right() ? kSuccess : kWrongResult;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto parsed = parse_gpu_options(argc, argv);
    if (const auto* const answer = std::get_if<std::string>(&parsed)) {
      fmt::print("{}", *answer);
      return 0;
    }
    return run(std::get<GpuOptions>(parsed), argv);
  } catch (const Error& error) {
    fmt::print(stderr, "rondo-bench-gpu: {}\n", error.what());
    return error.error_class() == ErrorClass::argument ? kWrongUse : kRunFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo-bench-gpu: {}\n", error.what());
    return kRunFailed;
  }
}
