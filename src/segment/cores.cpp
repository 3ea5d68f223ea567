#include "segment/cores.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>

#include "base/file.hpp"
#include "base/words.hpp"

namespace rondo::segment {

namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// Returns the version 2 control group of this process, from the line "0::/path".
std::string group_of_process(const std::string& membership) {
  const std::string lines = '\n' + try_to_read(membership).text;
  const std::size_t found = lines.find("\n0::/");
  return found == lines.npos ? "/"
                             : lines.substr(found + 4, lines.find('\n', found + 4) - found - 4);
}

/// Reads "max 100000" or "150000 100000": the microseconds allowed in a period of microseconds.
int quota_of(const std::string& file) {
  const std::string contents = try_to_read(file).text;
  std::string_view text(contents);
  const auto quota = take_number(text);
  const std::size_t period = take_number(text).value_or(0);
  if (!quota || period == 0) return kNoLimit;
  const std::size_t cores = *quota / period + (*quota % period != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<std::size_t>(cores, 1, kNoLimit));
}

/// Parses "8", or "8(x4)" for 8 on each of 4 nodes. Returns 0 if the nodes differ.
int same_on_all_nodes(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool is_uniform = rest.empty() || (rest.starts_with("(x") && rest.find(',') == rest.npos);
  return error == std::errc{} && is_uniform ? std::max(number, 0) : 0;
}

}  // namespace

int CoreSet::count() const {
  return std::accumulate(bits.begin(), bits.end(), 0,
                         [](int sum, std::uint64_t word) { return sum + std::popcount(word); });
}

CoreSet usable_cores() {
  CoreSet cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (!is_known || CPU_ISSET(core, &set)) cores.bits[core / 64] |= std::uint64_t{1} << core % 64;
  return cores;
}

int core_quota(const std::string& root, const std::string& membership) {
  int quota = kNoLimit;
  for (std::string group = group_of_process(membership);;) {
    quota = std::min(quota, quota_of(root + group + "/cpu.max"));
    if (group.empty()) return quota;
    group.resize(group.find_last_of('/'));
  }
}

int launched_ranks() {
  // The variables of Open MPI, of MPICH and its derivatives, and of Slurm's srun. An mpirun inside
  // a Slurm step sets its own variable, so srun's comes last.
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"})
    if (const char* value = std::getenv(name)) return same_on_all_nodes(value);
  return 0;
}

int share_of_cores(int ranks, int launched, int cores) {
  if (launched <= cores) return cores;
  return static_cast<int>(std::int64_t{cores} * ranks / launched);
}

int share_of_machine(int ranks) {
  const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (online < 1) return kNoLimit;
  return share_of_cores(ranks, launched_ranks(), std::min(online, core_quota()));
}

}  // namespace rondo::segment
