#include "support/topologies.hpp"

#include <numeric>

namespace rondo::testing {

namespace {

using Edges = std::function<int(int source, int destination)>;

MPI_Comm returning(MPI_Comm comm) {
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

MPI_Comm new_cartesian(const std::vector<int>& sizes, const std::vector<int>& periods) {
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(sizes.size()), sizes.data(), periods.data(),
                       0, &comm));
  return returning(comm);
}

std::string text_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += rondo::text(text.empty() ? "" : "x", number);
  return text;
}

/// With every combination of periods.
void add_cartesian(const std::vector<int>& sizes, std::vector<TopologyRow>& rows) {
  for (unsigned bits = 0; bits < 1U << sizes.size(); ++bits) {
    std::vector<int> periods;
    bool is_ambiguous = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      periods.push_back(bits >> i & 1U ? 1 : 0);
      is_ambiguous = is_ambiguous || (periods[i] != 0 && sizes[i] <= 2);
    }
    rows.push_back({rondo::text("Cartesian ", text_of(sizes), " periods ", text_of(periods)),
                    [=] { return new_cartesian(sizes, periods); }, is_ambiguous});
  }
}

void add_all_cartesian(int ranks, std::vector<TopologyRow>& rows) {
  add_cartesian({ranks}, rows);
  add_cartesian({1, ranks}, rows);
  std::vector<int> sizes(2);
  must(MPI_Dims_create(ranks, 2, sizes.data()));
  if (sizes[1] > 1) add_cartesian(sizes, rows);
  sizes.assign(3, 0);
  must(MPI_Dims_create(ranks, 3, sizes.data()));
  add_cartesian(sizes, rows);
}

/// Every rank makes some of the edges of others, so that the MPI library orders the lists.
MPI_Comm new_spread_graph(const Edges& edges) {
  const int rank = rank_of(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
  std::vector<int> sources, degrees, destinations, weights;
  for (int source = 0; source < ranks; ++source) {
    const auto before = destinations.size();
    for (int destination = 0; destination < ranks; ++destination)
      if ((source + destination) % ranks == rank)
        for (int edge = 0; edge < edges(source, destination); ++edge)
          destinations.push_back(destination);
    sources.push_back(source);
    degrees.push_back(static_cast<int>(destinations.size() - before));
  }
  weights.assign(destinations.size() + 1, 3);
  destinations.push_back(0);
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Dist_graph_create(MPI_COMM_WORLD, ranks, sources.data(), degrees.data(),
                             destinations.data(), weights.data(), MPI_INFO_NULL, 0, &comm));
  return returning(comm);
}

/// As many edges from a rank to another as back.
MPI_Comm new_plain_graph(const Edges& edges) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  std::vector<int> ends, list;
  for (int source = 0; source < ranks; ++source) {
    for (int destination = 0; destination < ranks; ++destination)
      for (int edge = 0; edge < edges(source, destination) + edges(destination, source); ++edge)
        list.push_back(destination);
    ends.push_back(static_cast<int>(list.size()));
  }
  list.push_back(0);
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), list.data(), 0, &comm));
  return returning(comm);
}

/// About `degree` edges from each rank, some of them to itself and some more than once.
Edges random_edges(int ranks, int degree, std::uint64_t seed) {
  return [=](int source, int destination) {
    const std::uint64_t bits = hash(seed, source, destination);
    if (static_cast<int>(bits % static_cast<std::uint64_t>(ranks)) >= degree) return 0;
    return static_cast<int>(1 + hash(bits) % 5 / 3 + hash(bits, 1) % 5 / 4);
  };
}

/// From each rank to those below it and to itself: the first half of the ranks has more edges to it than
/// from it, and the other half fewer.
int down(int source, int destination) {
  return destination <= source ? 1 : 0;
}

}  // namespace

MPI_Comm new_graph(const Edges& edges, std::uint64_t seed, bool is_weighted) {
  const int rank = rank_of(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
  std::vector<int> from, to;
  for (int other = 0; other < ranks; ++other) {
    from.insert(from.end(), static_cast<std::size_t>(edges(other, rank)), other);
    to.insert(to.end(), static_cast<std::size_t>(edges(rank, other)), other);
  }
  Random(hash(seed, rank, 1)).shuffle(from);
  Random(hash(seed, rank, 2)).shuffle(to);
  const int in = static_cast<int>(from.size()), out = static_cast<int>(to.size());
  std::vector<int> weights(from.size() + to.size() + 1, 2);
  from.push_back(0);
  to.push_back(0);
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD, in, from.data(), is_weighted ? weights.data() : MPI_UNWEIGHTED, out,
      to.data(), is_weighted ? weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  return returning(comm);
}

MPI_Comm new_ring() {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  return new_graph(
      [=](int source, int destination) { return destination == (source + 1) % ranks ? 1 : 0; }, 4);
}

std::vector<TopologyRow> topologies(int ranks, std::uint64_t seed) {
  std::vector<TopologyRow> rows;
  add_all_cartesian(ranks, rows);
  const auto add = [&](const char* name, Edges edges, bool is_weighted = false) {
    rows.push_back({name, [=] { return new_graph(edges, hash(seed, 7), is_weighted); }});
  };
  add("no edges", [](int, int) { return 0; });
  add("only edges to itself",
      [](int source, int destination) { return source == destination ? source % 3 : 0; });
  add("all to one", [](int, int destination) { return destination == 0 ? 1 : 0; });
  add("one to all", [](int source, int) { return source == 0 ? 2 : 0; });
  add("a one-way ring",
      [=](int source, int destination) { return destination == (source + 1) % ranks ? 3 : 0; });
  add("every pair", [](int, int) { return 1; });
  for (const int degree : {1, 3, 6}) {
    const Edges edges = random_edges(ranks, degree, hash(seed, degree));
    const std::string name = rondo::text("random, ", degree, " edges a rank");
    add(name.c_str(), edges, degree == 3);
    rows.push_back(
        {name + ", made by MPI_Dist_graph_create", [=] { return new_spread_graph(edges); }});
    rows.push_back({name + ", made by MPI_Graph_create", [=] { return new_plain_graph(edges); }});
  }
  add("downwards", down);
  return rows;
}

}  // namespace rondo::testing
