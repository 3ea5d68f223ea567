// What rondo-bench-gpu has measured, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/records.hpp"

namespace rondo::bench {

struct GpuRow {
  std::string algorithm;
  std::size_t size;   ///< bytes that a rank sends, the largest over the ranks
  std::size_t count;  ///< bytes of the longest block
  double microseconds;
  double host_microseconds;
  std::optional<std::uint64_t> wrong;

  /// 10^9 bytes a second, as nccl-tests defines them.
  double algorithm_bandwidth() const {
    return microseconds > 0 ? static_cast<double>(size) / microseconds / 1e3 : 0;
  }
  double bus_bandwidth(int ranks) const { return algorithm_bandwidth() * (ranks - 1) / ranks; }
};

/// What all rows have in common.
struct GpuRun {
  int ranks;
  int sharing;  ///< ranks of the GPU that has most of them
  std::string device;
  std::string nccl;
  std::string distribution;
  std::uint64_t seed;
};

std::string gpu_heading(const GpuRun& run);
std::string gpu_line(const GpuRun& run, const GpuRow& row);

/// The row for programs, with what it has in common with the others.
support::Json gpu_row(const GpuRun& run, const GpuRow& row);

}  // namespace rondo::bench
