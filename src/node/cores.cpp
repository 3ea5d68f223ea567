#include "node/cores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <locale>
#include <numeric>

namespace rondo::node {

namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// The version 2 group of this process: the line "0::/path".
std::string group_of_process(const std::string& membership) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return "/";
}

/// "max 100000" or "150000 100000": microseconds in every period of microseconds.
int quota_of(const std::string& file) {
  std::ifstream text(file);
  text.imbue(std::locale::classic());  // another may have spaces between digits
  double quota = 0;
  double period = 0;
  if (!(text >> quota >> period) || period <= 0) return kNoLimit;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
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

}  // namespace rondo::node
