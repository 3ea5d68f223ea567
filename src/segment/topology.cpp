#include "segment/topology.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"

namespace rondo::segment {

namespace {

using Members = std::vector<int>;       ///< of a cache: ranks
using Caches = std::map<int, Members>;  ///< of a socket
using Sockets = std::map<int, Caches>;

constexpr int kMostCores = static_cast<int>(sizeof(CoreSet) * 8);

bool contains(const CoreSet& set, int core) {
  return (set.bits[static_cast<std::size_t>(core) / 64] >> core % 64 & 1) != 0;
}

void insert(CoreSet& set, int core) {
  set.bits[static_cast<std::size_t>(core) / 64] |= std::uint64_t{1} << core % 64;
}

/// Returns the lowest core, or nothing if there is none.
std::optional<int> lowest(const CoreSet& set) {
  for (int core = 0; core < kMostCores; ++core)
    if (contains(set, core)) return core;
  return std::nullopt;
}

bool is_within(const CoreSet& part, const CoreSet& whole) {
  for (std::size_t word = 0; word < part.bits.size(); ++word)
    if ((part.bits[word] & ~whole.bits[word]) != 0) return false;
  return true;
}

/// Reads the number of a core at the beginning of `text` and removes it there. Returns -1 if there is none.
int take_core(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} ? number : -1;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads a list such as "0-3,8". Returns nothing if the file is not there or has something else.
std::optional<CoreSet> list_in(const std::string& file) {
  const std::string contents = try_to_read(file).text;
  std::string_view text(contents);
  text = text.substr(0, text.find('\n'));
  CoreSet set;
  do {
    const int first = take_core(text);
    const int last = take(text, '-') ? take_core(text) : first;
    if (first < 0 || last < first) return std::nullopt;
    for (int core = first; core <= std::min(last, kMostCores - 1); ++core) insert(set, core);
  } while (take(text, ','));
  return text.empty() ? std::optional(set) : std::nullopt;
}

/// Returns the lowest of the processors that a file lists, if all `cores` are among them.
std::int32_t part_with(const CoreSet& cores, const std::string& file) {
  const std::optional<CoreSet> part = list_in(file);
  return part && is_within(cores, *part) ? lowest(*part).value_or(Place::kNone) : Place::kNone;
}

/// Calls visit(part) for every part of a container, beginning with the one at `first`.
template <class Parts, class Visit>
void rotate(const Parts& parts, std::ptrdiff_t first, Visit&& visit) {
  const std::ptrdiff_t begin = first % std::ssize(parts);
  const auto middle = std::next(parts.begin(), begin);
  std::for_each(middle, parts.end(), visit);
  std::for_each(parts.begin(), middle, visit);
}

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

Place place_of(const CoreSet& cores, const std::string& root) {
  const std::optional<int> first = lowest(cores);
  if (!first) return {};
  const std::string core = root + "/cpu" + std::to_string(*first);
  const std::int32_t cache = part_with(cores, core + "/cache/index3/shared_cpu_list");
  std::int32_t socket = part_with(cores, core + "/topology/package_cpus_list");
  // Kernels before 5.3 have only the older name.
  if (socket == Place::kNone) socket = part_with(cores, core + "/topology/core_siblings_list");
  return {.socket = socket, .cache = cache};
}

Place place_here(const CoreSet& cores) {
  struct Known {
    CoreSet cores;
    Place place;
  };
  static std::mutex mutex;
  static std::optional<Known> known;
  const std::lock_guard lock(mutex);
  if (!known || known->cores.bits != cores.bits) known = {cores, place_of(cores)};
  return known->place;
}

Distance distance_between(const Place& one, const Place& other) {
  if (one.socket != other.socket) return Distance::other_socket;
  return one.cache == other.cache ? Distance::near : Distance::other_cache;
}

std::vector<int> order_of(std::span<const Place> places, int self) {
  Sockets sockets;
  for (int local = 0; local < static_cast<int>(places.size()); ++local) {
    const Place& place = places[static_cast<std::size_t>(local)];
    sockets[place.socket][place.cache].push_back(local);
  }
  const Place& own = places[static_cast<std::size_t>(self)];
  const auto socket = sockets.find(own.socket);
  const auto cache = socket->second.find(own.cache);
  const std::ptrdiff_t socket_number = std::distance(sockets.begin(), socket);
  const std::ptrdiff_t cache_number = std::distance(socket->second.begin(), cache);
  const std::ptrdiff_t number = std::ranges::find(cache->second, self) - cache->second.begin();
  std::vector<int> order;
  rotate(sockets, socket_number, [&](const auto& caches) {
    rotate(caches.second, cache_number, [&](const auto& members) {
      rotate(members.second, number, [&](int local) {
        if (local != self) order.push_back(local);
      });
    });
  });
  return order;
}

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
  static const int cores = [] {
    const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return online < 1 ? kNoLimit : std::min(online, core_quota());
  }();
  return cores == kNoLimit ? kNoLimit : share_of_cores(ranks, launched_ranks(), cores);
}

}  // namespace rondo::segment
