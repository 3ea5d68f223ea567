// Where ranks run, and in which order they turn to each other, on machines that are made up: as files
// of a folder in place of /sys, and as places.
#include "segment/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "temporary_folder.hpp"

namespace rondo::segment {
namespace {

using test::TemporaryFolder;

constexpr int kNone = Place::kNone;

CoreSet cores(std::initializer_list<int> numbers) {
  CoreSet set;
  for (const int number : numbers)
    set.bits[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << number % 64;
  return set;
}

/// A processor with what Linux tells of it; null: no such file.
struct Core {
  int number;
  const char* cache;
  const char* socket;
};

void write(const TemporaryFolder& root, const Core& core, const char* socket_file) {
  const std::string folder = "cpu" + std::to_string(core.number);
  if (core.cache != nullptr)
    root.write(folder + "/cache/index3/shared_cpu_list", std::string(core.cache) + "\n");
  if (core.socket != nullptr)
    root.write(folder + "/topology/" + socket_file, std::string(core.socket) + "\n");
}

struct PlaceRow {
  const char* name;
  std::vector<Core> machine;
  CoreSet allowed;
  Place expected;
};

const std::vector<PlaceRow> kPlaces = {
    {"one core", {{3, "0-3", "0-7"}}, cores({3}), {0, 0}},
    {"the second cache", {{5, "4-7", "0-7"}}, cores({5}), {0, 4}},
    {"the second socket", {{12, "12-15", "8-15"}}, cores({12}), {8, 12}},
    {"two threads of a core", {{2, "0-3,64-67", "0-63,64-127"}}, cores({2, 66}), {0, 0}},
    {"a whole cache", {{4, "4-7", "0-7"}}, cores({4, 5, 6, 7}), {0, 4}},
    {"two caches of a socket", {{3, "0-3", "0-7"}}, cores({3, 4}), {0, kNone}},
    {"two sockets", {{3, "0-3", "0-3"}}, cores({3, 4}), {kNone, kNone}},
    {"no third level of caches", {{3, nullptr, "0-7"}}, cores({3}), {0, kNone}},
    {"no files", {}, cores({3}), {kNone, kNone}},
    {"no core", {{0, "0", "0"}}, {}, {kNone, kNone}},
    {"a high number", {{1000, "1000-1023", "512-1023"}}, cores({1000, 1023}), {512, 1000}},
    {"numbers beyond all sets", {{1, "0-4095", "0-4095"}}, cores({1, 1023}), {0, 0}},
    {"not a list", {{1, "0-", "x"}}, cores({1}), {kNone, kNone}},
    {"a list backwards", {{1, "3-1", "0-1,"}}, cores({1}), {kNone, kNone}},
    {"nothing in a file", {{1, "", "0-1"}}, cores({1}), {0, kNone}},
};

TEST(Topology, PlacesAreRead) {
  for (const char* socket_file : {"package_cpus_list", "core_siblings_list"})
    for (const PlaceRow& row : kPlaces) {
      SCOPED_TRACE(row.name);
      const TemporaryFolder root;
      for (const Core& core : row.machine) write(root, core, socket_file);
      const Place place = place_of(row.allowed, root.name());
      EXPECT_EQ(place.socket, row.expected.socket);
      EXPECT_EQ(place.cache, row.expected.cache);
    }
}

TEST(Topology, ThisMachineAnswersAlike) {
  EXPECT_EQ(place_of(usable_cores()), place_of(usable_cores()));
}

/// Ranks in caches of sockets, one after another.
std::vector<Place> machine(const std::vector<std::vector<int>>& sockets) {
  std::vector<Place> places;
  int socket = 0;
  int cache = 0;
  for (const std::vector<int>& caches : sockets) {
    for (const int ranks : caches)
      places.insert(places.end(), static_cast<std::size_t>(ranks), {socket, cache++});
    ++socket;
  }
  return places;
}

struct OrderRow {
  const char* name;
  std::vector<Place> places;
  int self;
  std::vector<int> expected;
};

const std::vector<OrderRow> kOrders = {
    {"alone", machine({{1}}), 0, {}},
    {"one cache", machine({{4}}), 1, {2, 3, 0}},
    {"nothing is known", std::vector<Place>(4), 2, {3, 0, 1}},
    {"two sockets", machine({{2}, {2}}), 0, {1, 2, 3}},
    {"two sockets, from the second", machine({{2}, {2}}), 3, {2, 1, 0}},
    {"4 caches", machine({{2, 2, 2, 2}}), 2, {3, 4, 5, 6, 7, 0, 1}},
    {"4 caches, its own number", machine({{2, 2, 2, 2}}), 3, {2, 5, 4, 7, 6, 1, 0}},
    {"the own socket before the other", machine({{2, 2}, {2, 2}}), 4, {5, 6, 7, 0, 1, 2, 3}},
    {"the second cache of a socket", machine({{1, 1}, {1, 1}}), 1, {0, 3, 2}},
    {"unequal caches", machine({{3, 1}}), 2, {0, 1, 3}},
    {"unequal caches, from the small one", machine({{3, 1}}), 3, {0, 1, 2}},
    {"ranks dealt out over two caches", {{0, 0}, {0, 4}, {0, 0}, {0, 4}}, 0, {2, 1, 3}},
    {"one rank may move", {{0, 0}, {0, 0}, {kNone, kNone}}, 2, {0, 1}},
    {"one of three may move", {{0, 0}, {kNone, kNone}, {0, 0}}, 0, {2, 1}},
    {"its socket is known alone", {{0, 0}, {0, kNone}, {8, 8}, {0, 0}}, 3, {0, 1, 2}},
};

TEST(Topology, OrdersAreAsExpected) {
  for (const OrderRow& row : kOrders) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(order_of(row.places, row.self), row.expected);
  }
}

int distance(const Place& one, const Place& other) {
  return one.socket != other.socket ? 2 : one.cache != other.cache ? 1 : 0;
}

const std::vector<std::vector<Place>> kMachines = {
    machine({{16}}),           machine({{4, 4, 4, 4}}), machine({{8}, {8}}),
    machine({{2, 2}, {2, 2}}), machine({{3, 1, 2}}),    machine({{1, 5}, {2}, {4, 4, 4}}),
    std::vector<Place>(7),
};

TEST(Topology, EveryRankIsVisitedOnceAndTheNearestFirst) {
  for (const std::vector<Place>& places : kMachines) {
    const int ranks = static_cast<int>(places.size());
    for (int self = 0; self < ranks; ++self) {
      const std::vector<int> order = order_of(places, self);
      std::vector<int> sorted = order;
      sorted.push_back(self);
      std::ranges::sort(sorted);
      std::vector<int> all(places.size());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sorted, all);
      EXPECT_TRUE(std::ranges::is_sorted(order, {},
                                         [&](int local) {
                                           return distance(places[static_cast<std::size_t>(self)],
                                                           places[static_cast<std::size_t>(local)]);
                                         }))
          << "rank " << self << " of " << ranks;
    }
  }
}

TEST(Topology, NoTwoRanksTurnToOneRankAtOneStep) {
  for (const std::vector<Place>& places :
       {machine({{8}}), machine({{4, 4, 4, 4}}), machine({{8}, {8}}),
        machine({{2, 2, 2}, {2, 2, 2}}), std::vector<Place>(5)}) {
    std::vector<std::set<int>> targets(places.size() - 1);
    for (int self = 0; self < static_cast<int>(places.size()); ++self) {
      const std::vector<int> order = order_of(places, self);
      for (std::size_t step = 0; step < order.size(); ++step)
        EXPECT_TRUE(targets[step].insert(order[step]).second)
            << "rank " << self << " of " << places.size() << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace rondo::segment
