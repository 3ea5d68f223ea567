// A start never waits: one rank starts many more exchanges than there are channels before another rank starts
// one. Those that wait for a channel need little memory.
#include <rondo/rondo.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include "support/added_test.hpp"
#include "support/counted_new.hpp"
#include "support/environment.hpp"
#include "support/neighbor.hpp"
#include "support/started.hpp"
#include "support/topologies.hpp"

namespace started_many_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

/// One exchange with its buffers.
struct One {
  std::function<int(Rondo_Request* request)> start;
  std::function<bool()> is_right;
};

/// Makes exchange after exchange of one kind.
using Source = std::function<One(int number)>;

struct Kind {
  const char* name;
  Source (*source)(const std::string& algorithm, Row& row);
};

/// Whether it is a call or the execution of a plan that is started.
template <bool is_planned>
Source of_all_ranks(const std::string& algorithm, Row& row) {
  const auto comm = std::make_shared<Prepared>(algorithm, row);
  std::shared_ptr<Plan> plan;
  if (is_planned) plan.reset(new Plan(SmallExchange(*comm, 5).plan(kVariable, *comm, row)));
  return [=](int number) -> One {
    const auto small = std::make_shared<SmallExchange>(*comm, 5);
    small->fill(number);
    return {[=](Rondo_Request* request) {
              return is_planned
                         ? Rondo_Start(*plan, small->sent.data(), small->received.data(), request)
                         : start(kVariable, small->send(kVariable), small->receive(kVariable),
                                 *comm, request);
            },
            [=] { return small->is_right(); }};
  };
}

/// Along the edges of a graph with all edges.
Source of_neighbours(const std::string& algorithm, Row& row) {
  const auto comm = std::make_shared<TestComm>(new_graph([](int, int) { return 1; }, 6));
  const auto all = std::make_shared<TopologyOfAll>(*comm);
  const NeighborLoad load{.seed = 7};
  set_algorithm(*comm, "neighbor_alltoallv", algorithm.c_str(), row);
  NeighborExchange(*comm, *all, load).run(row);  // else the MPI library carries the starts out
  return [=](int number) -> One {
    const auto exchange = std::make_shared<NeighborExchange>(*comm, *all, load);
    exchange->fill(number);
    return {[=](Rondo_Request* request) {
              return start_neighbor(load.form, exchange->send, exchange->receive, *comm, request);
            },
            [=] { return exchange->is_right(); }};
  };
}

/// The other ranks go on when the first has done `work`.
template <class Work>
void before_others(int first, Work&& work) {
  constexpr int kTag = 7;
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const bool is_first = rank_of(MPI_COMM_WORLD) == first;
  if (!is_first)
    must(MPI_Recv(nullptr, 0, MPI_INT, first, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  work();
  for (int peer = 0; peer < ranks && is_first; ++peer)
    if (peer != first) must(MPI_Send(nullptr, 0, MPI_INT, peer, kTag, MPI_COMM_WORLD));
}

/// Each rank is the first in turn.
void run_beyond_channels(const Kind& kind, const std::string& algorithm, Row& row) {
  const char* const channels = std::getenv("RONDO_REQUESTS");
  const int count = 3 * (channels != nullptr ? std::atoi(channels) : 4) + 1;
  const Source source = kind.source(algorithm, row);
  for (int first = 0; first < ranks_of(MPI_COMM_WORLD); ++first) {
    std::vector<One> all;
    for (int number = 0; number < count; ++number) all.push_back(source(number));
    std::vector<Rondo_Request> requests(all.size(), RONDO_REQUEST_NULL);
    before_others(first, [&] {
      for (std::size_t i = 0; i < all.size(); ++i)
        row.expect_success(all[i].start(&requests[i]), rondo::text("start ", i));
    });
    row.expect_success(Rondo_Waitall(count, requests.data()), "Rondo_Waitall");
    for (std::size_t i = 0; i < all.size(); ++i)
      row.expect(all[i].is_right(), "start ", i, " moved wrong data");
  }
}

/// Lines of /proc/self/maps. There are at most 65,530 by default (vm.max_map_count).
std::ptrdiff_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

/// The stack of a fiber is a mapping or two, so exchanges have none before they begin.
void run_mappings(const std::string& algorithm, Row& row) {
  constexpr int kStarts = 3000;
  constexpr std::ptrdiff_t kMostNew = 40;  // the MPI library's own
  const Environment one_channel("RONDO_REQUESTS", "1");
  const Prepared comm(algorithm, row);
  const int rank = rank_of(comm);
  const int ranks = ranks_of(comm);
  const auto value = [ranks](int number, int source, int destination) {
    return (number * ranks + source) * ranks + destination;
  };
  std::vector<int> sent;
  for (int number = 0; number < kStarts; ++number)
    for (int peer = 0; peer < ranks; ++peer) sent.push_back(value(number, rank, peer));
  std::vector<int> received(sent.size(), -1);
  std::vector<Rondo_Request> requests(kStarts, RONDO_REQUEST_NULL);
  std::ptrdiff_t made = 0;
  before_others(0, [&] {
    const std::ptrdiff_t before = mappings();
    for (int number = 0; number < kStarts; ++number)
      row.expect_success(
          Rondo_Ialltoall(&sent[static_cast<std::size_t>(number * ranks)], 1, MPI_INT,
                          &received[static_cast<std::size_t>(number * ranks)], 1, MPI_INT, comm,
                          &requests[static_cast<std::size_t>(number)]),
          rondo::text("start ", number));
    made = mappings() - before;
  });
  row.expect(made <= kMostNew, kStarts, " starts made ", made, " mappings");
  row.expect_success(Rondo_Waitall(kStarts, requests.data()), "Rondo_Waitall");
  for (int number = 0; number < kStarts; ++number)
    for (int peer = 0; peer < ranks; ++peer)
      row.expect(
          received[static_cast<std::size_t>(number * ranks + peer)] == value(number, peer, rank),
          "start ", number, " moved wrong data");
}

/// A rank that has no memory for a start is given up there. The others are not here to wait for it, and nobody takes its
/// next start for the one that is missing.
void run_without_memory(bool is_planned, Row& row) {
  const Prepared comm("node_aware", row);
  SmallExchange small(comm, 5);
  const Plan plan = small.plan(kVariable, comm, row);
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto start_one = [&] {
    return is_planned
               ? Rondo_Start(plan, small.sent.data(), small.received.data(), &request)
               : start(kVariable, small.send(kVariable), small.receive(kVariable), comm, &request);
  };
  counted_new::fail_at(0);
  row.expect_error(start_one(), MPI_ERR_NO_MEM);
  row.expect(counted_new::end_failing(), "no allocation: this test does not see what it is about");
  for (int repeat = 0; repeat < 2; ++repeat) row.expect_error(start_one(), MPI_ERR_OTHER);
}

void run_test(Runner& runner) {
  const Kind kinds[] = {{"alltoallv", of_all_ranks<false>},
                        {"a plan of alltoallv", of_all_ranks<true>},
                        {"neighbor_alltoallv", of_neighbours}};
  for (const Kind& kind : kinds)
    for (const char* algorithm : {"node_aware", "spread_out"})
      runner.run(rondo::text("starts beyond the channels, ", kind.name, ", ", algorithm),
                 run_beyond_channels, kind, std::string(algorithm));
  runner.run("starts beyond the channels, alltoallv, fused_bruck", run_beyond_channels, kinds[0],
             std::string("fused_bruck"));
  for (const bool is_planned : {false, true})
    runner.run(rondo::text("no memory for a start", is_planned ? " of a plan" : ""),
               run_without_memory, is_planned);
  for (const char* algorithm : {"node_aware", "fused_bruck"})
    runner.run(rondo::text("mappings of many starts, ", algorithm), run_mappings,
               std::string(algorithm));
}

const AddedTest added({.name = "started_many", .run = run_test});

}  // namespace started_many_test
