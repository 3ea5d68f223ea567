// Ranks on pretended nodes: in blocks, round-robin, at random, of unequal size. Every algorithm must
// be right wherever the ranks are, and see the nodes.
#include <rondo/rondo.h>

#include <map>
#include <numeric>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/placement.hpp"
#include "support/small.hpp"

namespace nodes_test {

using namespace rondo::testing;

enum class Order { blocks, round_robin, random };

struct NodesRow {
  const char* name;
  Order order;
  std::vector<int> sizes;  ///< of the nodes; more ranks begin again with the first size
};

const NodesRow kRows[] = {
    {"one node", Order::blocks, {1000}},
    {"one rank a node", Order::blocks, {1}},
    {"two a node", Order::blocks, {2}},
    {"4+4+4", Order::blocks, {4}},
    {"6+2+4", Order::blocks, {6, 2, 4}},
    {"5+8", Order::blocks, {5, 8}},
    {"1+15", Order::blocks, {1, 15}},
    {"3+5+8", Order::blocks, {3, 5, 8}},
    {"4+4+4 round-robin", Order::round_robin, {4}},
    {"2+6+8 round-robin", Order::round_robin, {2, 6, 8}},
    {"4+4+4 at random", Order::random, {4}},
    {"6+2+4 at random", Order::random, {6, 2, 4}},
    {"1+3+9 at random", Order::random, {1, 3, 9}},
};

/// The node of every rank.
std::vector<int> place(const NodesRow& row, int ranks, std::uint64_t seed) {
  std::vector<int> nodes = filled_nodes(row.sizes, ranks);
  if (row.order == Order::random) Random(seed).shuffle(nodes);
  if (row.order != Order::round_robin) return nodes;
  std::map<int, int> left;
  for (const int node : nodes) ++left[node];
  std::vector<int> dealt;
  for (int node = 0; static_cast<int>(dealt.size()) < ranks;
       node = (node + 1) % static_cast<int>(left.size()))
    if (left[node]-- > 0) dealt.push_back(node);
  return dealt;
}

/// N as two_layer_bruck counts it: P over the greatest common divisor of the node sizes.
int layers(const std::vector<int>& nodes) {
  std::map<int, int> sizes;
  for (const int node : nodes) ++sizes[node];
  int divisor = 0;
  for (const auto& [node, size] : sizes) divisor = std::gcd(divisor, size);
  return static_cast<int>(nodes.size()) / divisor;
}

void expect_nodes_seen(const std::vector<int>& nodes, MPI_Comm comm, Row& row) {
  set_algorithm(comm, Collective::alltoall, "two_layer_bruck", row);
  const std::string text = algorithm_of("alltoall", comm, row);
  const std::string expected = rondo::text(":inter=", std::max(layers(nodes), 2));
  row.expect((text + ":").find(expected + ":") != std::string::npos, "'", text, "' instead of ",
             expected, ": the nodes are not seen");
}

/// From 253 bytes on, a message between nodes has a block's length in more bytes.
std::size_t about_253(std::size_t bytes, Pair pair, std::uint64_t seed) {
  return bytes - hash(seed, pair.source, pair.destination) % 8;
}
constexpr Distribution kAbout253{"249 to 256 bytes", 256, about_253};

void run_placement(const NodesRow& placement, Runner& runner) {
  const std::uint64_t seed = runner.options().seed;
  const std::vector<int> nodes = place(placement, runner.ranks(), seed);
  const PlacedRanks placed(nodes);
  const TestComm comm;
  runner.run(rondo::text(placement.name, ": two_layer_bruck sees the nodes"), expect_nodes_seen,
             nodes, comm);
  for (const char* algorithm : {"node_aware:inter=direct", "node_aware:inter=bruck"}) {
    const Case which{.collective = Collective::alltoallv,
                     .algorithm = algorithm,
                     .distribution = &kAbout253,
                     .types = &type_rows()[0],
                     .seed = seed};
    runner.run(rondo::text(placement.name, ": ", which.name()), run_case, which, comm);
  }
  std::uint64_t number = 0;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : algorithm_rows(collective, runner.ranks())) {
      const auto sizes =
          collective == Collective::alltoall ? uniform_distributions() : distributions();
      const std::uint64_t row_seed = hash(seed, number++);
      const Case which{.collective = collective,
                       .algorithm = algorithm,
                       .distribution = &sizes[row_seed % sizes.size()],
                       .types = &type_rows()[0],
                       .seed = row_seed};
      runner.run_drawn(3, rondo::text(placement.name, ": ", which.name()), run_case, which, comm);
    }
}

void run_test(Runner& runner) {
  for (const NodesRow& row : kRows) run_placement(row, runner);
}

const AddedTest added({.name = "nodes", .run = run_test});

}  // namespace nodes_test
