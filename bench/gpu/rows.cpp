#include "gpu/rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rondo::bench {

std::string gpu_heading(const GpuRun& run) {
  std::string out = fmt::format("# {} ranks, {}, NCCL {}, blocks {}, seed {}\n", run.ranks,
                                run.device, run.nccl, run.distribution, run.seed);
  if (run.sharing > 1)
    out += fmt::format("# {} ranks share a GPU: the times say nothing of the links between GPUs\n",
                       run.sharing);
  return out + fmt::format(
                   "#{:>11} {:>12} {:>6} {:>10} {:>8} {:>8} {:>9} {:>7}  algorithm\n"
                   "#{:>11} {:>12} {:>6} {:>10} {:>8} {:>8} {:>9}\n",
                   "size", "count", "type", "time", "algbw", "busbw", "host", "#wrong", "(B)",
                   "(B)", "", "(us)", "(GB/s)", "(GB/s)", "(us)");
}

std::string gpu_line(const GpuRun& run, const GpuRow& row) {
  return fmt::format("{:>12} {:>12} {:>6} {:>10.2f} {:>8.2f} {:>8.2f} {:>9.2f} {:>7}  {}\n",
                     row.size, row.count, "uint8", row.microseconds, row.algorithm_bandwidth(),
                     row.bus_bandwidth(run.ranks), row.host_microseconds,
                     row.wrong ? fmt::format("{}", *row.wrong) : "N/A", row.algorithm);
}

support::Json gpu_row(const GpuRun& run, const GpuRow& row) {
  return {{"algorithm", row.algorithm},
          {"size", row.size},
          {"count", row.count},
          {"type", "uint8"},
          {"time_us", row.microseconds},
          {"algbw_gbps", row.algorithm_bandwidth()},
          {"busbw_gbps", row.bus_bandwidth(run.ranks)},
          {"host_us", row.host_microseconds},
          {"wrong", row.wrong ? support::Json(*row.wrong) : support::Json(nullptr)},
          {"ranks", run.ranks},
          {"ranks_sharing_a_gpu", run.sharing},
          {"device", run.device},
          {"nccl", run.nccl},
          {"distribution", run.distribution},
          {"seed", run.seed}};
}

}  // namespace rondo::bench
