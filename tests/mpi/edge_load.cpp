// What the ranks agree on before `auto` decides how to exchange along edges. The function is called
// below the C interface, which shows only the decision.
#include "communicator/lengths.hpp"

#include <algorithm>
#include <numeric>

#include "buffers/neighbor.hpp"
#include "mpi/transport.hpp"
#include "support/added_test.hpp"
#include "support/placement.hpp"
#include "support/topologies.hpp"

namespace edge_load_test {

using namespace rondo::testing;
namespace buffers = rondo::buffers;
namespace communicator = rondo::communicator;
namespace engines = rondo::engines;
using rondo::select::EdgeBlocks;

constexpr int kLongBytes = 100'000;  // beyond the threshold

/// To itself and to the ranks below, along one edge or two.
int edges(int source, int destination) {
  return destination > source ? 0 : 1 + (source + destination) % 2;
}

/// Bytes of each block that goes along an edge: the block from the last rank to the first is long.
int length(int source, int destination, int ranks) {
  const bool is_long = source == ranks - 1 && destination == 0;
  return is_long ? kLongBytes : 100 * (source + 1) + 7 * destination;
}

/// The numbers of EdgeBlocks by name, so that they can be walked through.
constexpr struct {
  const char* name;
  double EdgeBlocks::*number;
} kNumbers[] = {{"edges", &EdgeBlocks::edges},
                {"blocks", &EdgeBlocks::blocks},
                {"bytes", &EdgeBlocks::bytes},
                {"long blocks", &EdgeBlocks::long_blocks},
                {"bytes of long blocks", &EdgeBlocks::long_bytes}};

/// What one rank sends to those ranks and receives from them, each counted as a half.
template <class Is>
EdgeBlocks load_of(int rank, int ranks, Is&& is_counted) {
  EdgeBlocks load;
  const auto add = [&](int source, int destination) {
    const int number = edges(source, destination);
    if (number == 0) return;
    const double bytes = number * length(source, destination, ranks);
    const bool is_long = bytes >= kLongBytes;
    load.edges += number / 2.0;
    load.blocks += 0.5;
    load.bytes += bytes / 2;
    load.long_blocks += is_long ? 0.5 : 0;
    load.long_bytes += is_long ? bytes / 2 : 0;
  };
  for (int other = 0; other < ranks; ++other) {
    if (other == rank || !is_counted(other)) continue;
    add(rank, other);
    add(other, rank);
  }
  return load;
}

/// The loads of all ranks, with ranks of their node or with those of others.
std::vector<EdgeBlocks> loads(const std::vector<int>& nodes, bool are_inside) {
  std::vector<EdgeBlocks> all;
  const auto node = [&](int rank) { return nodes[static_cast<std::size_t>(rank)]; };
  const int ranks = static_cast<int>(nodes.size());
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(
        load_of(rank, ranks, [&](int other) { return (node(rank) == node(other)) == are_inside; }));
  return all;
}

void expect_most(const EdgeBlocks& agreed, const std::vector<EdgeBlocks>& all, const char* where,
                 Row& row) {
  for (const auto& [name, number] : kNumbers) {
    const double most = (*std::ranges::max_element(all, {}, number)).*number;
    row.expect(agreed.*number == most, where, ": ", agreed.*number, " ", name, " instead of ",
               most);
  }
}

void expect_mean(const EdgeBlocks& agreed, const std::vector<EdgeBlocks>& all, Row& row) {
  for (const auto& [name, number] : kNumbers) {
    double sum = 0;
    for (const EdgeBlocks& one : all) sum += one.*number;
    const double mean = sum / static_cast<double>(all.size());
    row.expect(agreed.*number == mean, "mean: ", agreed.*number, " ", name, " instead of ", mean);
  }
}

/// The arguments of MPI_Neighbor_alltoallv, bound. The displacements do not matter.
class Bound {
 public:
  Bound(const communicator::Topology& topology, int rank, int ranks) {
    for (const int to : topology.to.ranks) sent_.push_back(length(rank, to, ranks));
    for (const int from : topology.from.ranks) received_.push_back(length(from, rank, ranks));
    places_.resize(sent_.size() + received_.size());
    binding_.bind(
        buffers::NeighborAlltoallv{{nullptr, sent_.data(), places_.data(), MPI_BYTE, nullptr,
                                    received_.data(), places_.data(), MPI_BYTE, MPI_COMM_NULL}},
        topology.to.ranks, topology.from.ranks);
  }
  const buffers::Binding& binding() const { return binding_; }

 private:
  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> places_;
  buffers::EdgeBinding binding_;
};

void run_load(const std::vector<int>& nodes, Row& row) {
  const TestComm comm(new_graph(edges, 3));
  const int rank = rank_of(comm), ranks = ranks_of(comm);
  engines::Context context(std::make_shared<rondo::mpi::Transport>(comm),
                           rondo::schedule::NodeMap(nodes),
                           {.padding_bytes = 0, .memory = {.slot_bytes = 0, .total_bytes = 0}}, 0);
  const communicator::Topology topology = communicator::read_topology(comm);
  const communicator::PeerBlocks peers(topology, rank, ranks);
  const Bound bound(topology, rank, ranks);
  const auto agreed = communicator::load_of_all_ranks(
      context, {.peers = peers, .binding = &bound.binding(), .nodes = nullptr});
  expect_most(agreed.load.inside, loads(nodes, true), "inside the nodes", row);
  expect_most(agreed.load.between, loads(nodes, false), "between nodes", row);
  expect_mean(agreed.load.mean_between, loads(nodes, false), row);
  row.expect(agreed.load.own_edges == 1, agreed.load.own_edges, " edges of a rank with itself");
  row.expect(
      agreed.longest == std::size_t{kLongBytes} * static_cast<std::size_t>(edges(ranks - 1, 0)),
      "longest block: ", agreed.longest, " bytes");
}

/// Each rank is a node, and so sends a message of one block for each rank below it.
void run_leaders(Row& row) {
  const TestComm comm(new_graph(edges, 3));
  const int rank = rank_of(comm), ranks = ranks_of(comm);
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  std::iota(nodes.begin(), nodes.end(), 0);
  engines::Context context(std::make_shared<rondo::mpi::Transport>(comm),
                           rondo::schedule::NodeMap(nodes),
                           {.padding_bytes = 0, .memory = {.slot_bytes = 0, .total_bytes = 0}}, 0);
  const communicator::Topology topology = communicator::read_topology(comm);
  const communicator::PeerBlocks peers(topology, rank, ranks);
  engines::NodePattern pattern;
  for (int other = 0; other < rank; ++other) pattern.sends.push_back({other, 1, {}});
  for (int other = rank + 1; other < ranks; ++other)
    pattern.receives.push_back({other, other, {{}}});
  const auto agreed = communicator::load_of_all_ranks(
      context, {.peers = peers, .binding = nullptr, .nodes = &pattern});
  row.expect(agreed.load.messages == ranks - 1, agreed.load.messages, " messages of the busiest");
  row.expect(agreed.load.carried == ranks - 1, agreed.load.carried, " blocks of the busiest");
  row.expect(agreed.longest == 0, "without arguments a block has ", agreed.longest, " bytes");
}

void run_test(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks()))
    runner.run(rondo::text("load, ranks ", placement.name), run_load,
               nodes_of(placement, runner.ranks()));
  runner.run("messages of leaders", run_leaders);
}

const AddedTest added({.name = "edge_load", .run = run_test});

}  // namespace edge_load_test
