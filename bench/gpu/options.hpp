// The command line of rondo-bench-gpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "distribution.hpp"
#include "support/records.hpp"

namespace rondo::bench {

using support::Format;

/// How the processes of a run find each other.
struct Bootstrap {
  bool mpi = false;  ///< by MPI
  std::string file;  ///< by a file that all can see; empty: there is one process
  int process = 0;
  int processes = 1;
};

struct GpuOptions {
  std::vector<std::string> algorithms = {"nccl_grouped", "nccl_bruck", "direct"};
  std::size_t least_bytes = 16;  ///< that a rank sends to all ranks together
  std::size_t most_bytes = std::size_t{32} << 20;
  double factor = 2;
  int iterations = 20;
  int warmup = 5;
  bool check = false;
  int graph_launches = 0;  ///< 0 = the calls are not captured
  Format format = Format::table;
  std::string output;  ///< empty: standard output
  Distribution distribution;
  std::uint64_t seed = 1;
  int threads = 1;  ///< ranks of each process
  Bootstrap bootstrap;
};

/// Returns the options, or a text to print in place of a run. Throws Error(argument) for wrong use.
std::variant<GpuOptions, std::string> parse_gpu_options(int argc, const char* const* argv);

/// The sizes from `least_bytes` to `most_bytes`.
std::vector<std::size_t> sizes_of(const GpuOptions& options);

}  // namespace rondo::bench
