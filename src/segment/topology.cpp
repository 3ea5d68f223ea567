#include "segment/topology.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.hpp"

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

}  // namespace rondo::segment
