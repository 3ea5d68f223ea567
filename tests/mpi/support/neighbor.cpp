#include "support/neighbor.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace rondo::testing {

namespace {

constexpr int kPoison = -77;

EdgeLists own_lists(MPI_Comm comm, bool& is_cartesian) {
  int kind = MPI_UNDEFINED;
  must(MPI_Topo_test(comm, &kind));
  is_cartesian = kind == MPI_CART;
  EdgeLists lists;
  if (kind == MPI_CART) {
    int dimensions = 0;
    must(MPI_Cartdim_get(comm, &dimensions));
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      int below = 0, above = 0;
      must(MPI_Cart_shift(comm, dimension, 1, &below, &above));
      for (const int rank : {below, above}) {
        lists.to.push_back(rank);
        lists.from.push_back(rank);
      }
    }
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    must(MPI_Graph_neighbors_count(comm, rank_of(comm), &count));
    std::vector<int> ranks(static_cast<std::size_t>(count) + 1);
    must(MPI_Graph_neighbors(comm, rank_of(comm), count, ranks.data()));
    ranks.pop_back();
    lists = {ranks, ranks};
  } else {
    int in = 0, out = 0, is_weighted = 0;
    must(MPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted));
    std::vector<int> from(static_cast<std::size_t>(in) + 1), to(static_cast<std::size_t>(out) + 1);
    std::vector<int> in_weights(from.size()), out_weights(to.size());
    must(MPI_Dist_graph_neighbors(comm, in, from.data(), in_weights.data(), out, to.data(),
                                  out_weights.data()));
    from.pop_back();
    to.pop_back();
    lists = {to, from};
  }
  return lists;
}

/// The lists of all ranks, by rank.
std::vector<std::vector<int>> gather(MPI_Comm comm, const std::vector<int>& own) {
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(ranks), places(ranks);
  must(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm));
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(places.back() + lengths.back()) + 1);
  must(MPI_Allgatherv(own.data(), length, MPI_INT, all.data(), lengths.data(), places.data(),
                      MPI_INT, comm));
  std::vector<std::vector<int>> lists;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = all.begin() + places[rank];
    lists.emplace_back(first, first + lengths[rank]);
  }
  return lists;
}

}  // namespace

TopologyOfAll::TopologyOfAll(MPI_Comm comm) {
  const EdgeLists own = own_lists(comm, is_cartesian_);
  const auto to = gather(comm, own.to);
  const auto from = gather(comm, own.from);
  for (std::size_t rank = 0; rank < to.size(); ++rank) lists_.push_back({to[rank], from[rank]});
}

int TopologyOfAll::sending_edge(int rank, int edge) const {
  // The neighbour in one direction has sent to its neighbour in the other direction.
  if (is_cartesian_) return edge ^ 1;
  const std::vector<int>& from = of(rank).from;
  const int source = from[static_cast<std::size_t>(edge)];
  auto before = std::count(from.begin(), from.begin() + edge, source);
  const std::vector<int>& to = of(source).to;
  for (std::size_t sending = 0; sending < to.size(); ++sending)
    if (to[sending] == rank && before-- == 0) return static_cast<int>(sending);
  std::abort();  // MPI's own lists do not fit together
}

bool TopologyOfAll::has_edge(int source, int destination) const {
  return std::ranges::count(of(source).to, destination) != 0;
}

bool TopologyOfAll::fails_in_mpich() const {
#ifdef MPICH_NUMVERSION
  return std::ranges::any_of(lists_, [](const EdgeLists& lists) {
    return lists.to.empty() || lists.to.size() != lists.from.size();
  });
#else
  return false;
#endif
}

bool TopologyOfAll::has_several() const {
  return std::ranges::any_of(lists_, [](const EdgeLists& lists) {
    std::vector<int> to = lists.to;
    std::erase(to, MPI_PROC_NULL);
    std::ranges::sort(to);
    return std::ranges::adjacent_find(to) != to.end();
  });
}

std::string NeighborLoad::name() const {
  return rondo::text(testing::name_of(form), ", up to ", longest, " pairs",
                     is_scattered ? ", scattered" : "", is_packed ? ", packed" : "",
                     places != 0 ? ", the same to several" : "");
}

NeighborLoad drawn_load(std::uint64_t bits, std::span<const int> longest) {
  return {.form = kCollectives[bits % std::size(kCollectives)],
          .longest = longest[hash(bits, 1) % longest.size()],
          .is_scattered = hash(bits, 2) % 2 == 0,
          .is_packed = hash(bits, 3) % 2 == 0,
          .seed = bits};
}

namespace {

/// The first element of an array. MPICH 4.0 reads it even if there is no edge.
template <class T>
const T* first(const std::vector<T>& list) {
  static const T without_edges{};
  return list.empty() ? &without_edges : list.data();
}

/// By one of three functions, which take the sides as MPI spells them, and then all of `more`.
template <class Side, class Uniform, class Variable, class Mixed, class... More>
int call(Collective form, const Side& from, const Side& to, Uniform uniform, Variable variable,
         Mixed mixed, More... more) {
  using Count = typename decltype(Side::counts)::value_type;
  static const MPI_Datatype without_edges = MPI_INT;
  const auto types = [](const Side& side) {
    return side.types.empty() ? &without_edges : side.types.data();
  };
  const auto count = [](const Side& side) {
    return side.counts.empty() ? Count{side.count_without_edges} : side.counts[0];
  };
  if (form == Collective::alltoall)
    return uniform(from.buffer, count(from), *types(from), to.buffer, count(to), *types(to),
                   more...);
  if (form == Collective::alltoallv)
    return variable(from.buffer, first(from.counts), first(from.displacements), *types(from),
                    to.buffer, first(to.counts), first(to.displacements), *types(to), more...);
  return mixed(from.buffer, first(from.counts), first(from.byte_displacements), types(from),
               to.buffer, first(to.counts), first(to.byte_displacements), types(to), more...);
}

}  // namespace

LargeNeighborArguments widened(const NeighborArguments& side) {
  return {.buffer = side.buffer,
          .counts = {side.counts.begin(), side.counts.end()},
          .displacements = {side.displacements.begin(), side.displacements.end()},
          .byte_displacements = side.byte_displacements,
          .types = side.types,
          .count_without_edges = side.count_without_edges};
}

int call_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                  MPI_Comm comm, By by) {
#if MPI_VERSION >= 4
  if (by == By::rondo_large)
    return call(form, widened(send), widened(receive), Rondo_Neighbor_alltoall_c,
                Rondo_Neighbor_alltoallv_c, Rondo_Neighbor_alltoallw_c, comm);
#endif
  if (by == By::mpi)
    return call(form, send, receive, MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv,
                MPI_Neighbor_alltoallw, comm);
  return call(form, send, receive, Rondo_Neighbor_alltoall, Rondo_Neighbor_alltoallv,
              Rondo_Neighbor_alltoallw, comm);
}

int start_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                   MPI_Comm comm, Rondo_Request* request) {
  return call(form, send, receive, Rondo_Ineighbor_alltoall, Rondo_Ineighbor_alltoallv,
              Rondo_Ineighbor_alltoallw, comm, request);
}

#if MPI_VERSION >= 4
int start_large_neighbor(Collective form, const LargeNeighborArguments& send,
                         const LargeNeighborArguments& receive, MPI_Comm comm,
                         Rondo_Request* request) {
  return call(form, send, receive, Rondo_Ineighbor_alltoall_c, Rondo_Ineighbor_alltoallv_c,
              Rondo_Ineighbor_alltoallw_c, comm, request);
}
#endif

int plan_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                  MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {
  return call(form, send, receive, Rondo_Neighbor_alltoall_plan, Rondo_Neighbor_alltoallv_plan,
              Rondo_Neighbor_alltoallw_plan, comm, info, plan);
}

NeighborExchange::NeighborExchange(MPI_Comm comm, const TopologyOfAll& all,
                                   const NeighborLoad& load)
    : comm_(comm), rank_(rank_of(comm)), all_(all), load_(load), packed_(Type::packed_ints()) {
  lay_out(true);
  lay_out(false);
  fill(0);
}

/// Edges with the same name send the same memory: the edge's own number, or a negative one. In alltoall
/// each sends its own.
int NeighborExchange::name_of_sent(int source, int edge) const {
  if (load_.places == 0 || load_.form == Collective::alltoall) return edge;
  return -1 - static_cast<int>(hash(load_.seed, source, edge, 17) %
                               static_cast<std::uint64_t>(load_.places));
}

/// How many pairs of ints the block of an edge has. To MPI_PROC_NULL too.
int NeighborExchange::pairs(int source, int edge, int destination) const {
  if (load_.form == Collective::alltoall || load_.is_even) return load_.longest;
  const int name = name_of_sent(source, edge);
  const std::uint64_t bits = hash(load_.seed, source, name, name < 0 ? 0 : destination);
  if (bits % 4 == 0) return 0;
  return static_cast<int>(hash(bits) % static_cast<std::uint64_t>(load_.longest + 1));
}

/// From this follow the ints of a block.
std::uint64_t NeighborExchange::values_of(int source, int edge) const {
  return hash(load_.seed, salt_, source, name_of_sent(source, edge));
}

/// A pair takes four ints of the packed type, and else two.
void NeighborExchange::lay_out(bool is_send) {
  const std::vector<int>& ranks = is_send ? all_.of(rank_).to : all_.of(rank_).from;
  NeighborArguments& side = is_send ? send : receive;
  std::vector<int>& places = is_send ? send_places_ : receive_places_;
  const auto edges = ranks.size();
  const bool is_one_type = load_.form != Collective::alltoallw;
  places.resize(edges);
  side.counts.resize(edges);
  side.displacements.resize(edges);
  side.byte_displacements.resize(edges);
  std::vector<std::size_t> order(edges);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool is_scattered = load_.is_scattered && load_.form != Collective::alltoall;
  if (is_scattered) Random(hash(load_.seed, rank_, is_send)).shuffle(order);
  const auto is_packed = [&](std::size_t edge) {
    const int name = is_send ? name_of_sent(rank_, static_cast<int>(edge)) : static_cast<int>(edge);
    return load_.is_packed && hash(load_.seed, rank_, is_send, is_one_type ? 0 : name + 9) % 2 == 0;
  };
  int next = 0;
  std::map<int, int> placed;  // by name of what is sent
  for (std::size_t edge = 0; edge < edges; ++edge)
    side.types.push_back(is_packed(edge) ? static_cast<MPI_Datatype>(packed_) : MPI_INT);
  for (const std::size_t edge : order) {
    const int at = static_cast<int>(edge);
    const int other = ranks[edge];
    const int of_block = is_send || other == MPI_PROC_NULL
                             ? pairs(rank_, at, other)
                             : pairs(other, all_.sending_edge(rank_, at), rank_);
    if (is_scattered) next += 4;
    const auto [known, is_new] = placed.try_emplace(is_send ? name_of_sent(rank_, at) : at, next);
    const int place = known->second;
    places[edge] = place;
    side.counts[edge] = is_packed(edge) ? of_block : 2 * of_block;
    side.displacements[edge] = is_packed(edge) ? place / 4 : place;
    side.byte_displacements[edge] = static_cast<MPI_Aint>(place) * MPI_Aint{sizeof(int)};
    if (!is_new) continue;
    const int ints = is_packed(edge) ? 4 * of_block : 2 * of_block;
    // Displacements of the packed type count four ints.
    next += is_packed(edge) || load_.form == Collective::alltoall ? ints : (ints + 3) / 4 * 4;
  }
  side.count_without_edges = 2 * load_.longest;
  std::vector<int>& memory = is_send ? sent_ : received_;
  memory.resize(static_cast<std::size_t>(next) + 4);
  side.buffer = memory.data();
}

namespace {

int value_at(std::uint64_t values, int i) {
  return static_cast<int>((values ^ static_cast<std::uint64_t>(i)) * kGoldenGamma >> 33U);
}

/// Calls visit(place, i) for each int i of a block.
template <class Visit>
void for_each_int(int place, int count, bool is_packed, Visit&& visit) {
  const int ints = is_packed ? 2 * count : count;
  for (int i = 0; i < ints; ++i)
    visit(static_cast<std::size_t>(is_packed ? place + i / 2 * 4 + i % 2 * 2 : place + i), i);
}

}  // namespace

void NeighborExchange::fill(int salt) {
  salt_ = salt;
  std::ranges::fill(sent_, kPoison - 1);
  std::ranges::fill(received_, kPoison);
  for (std::size_t edge = 0; edge < send.counts.size(); ++edge) {
    const std::uint64_t values = values_of(rank_, static_cast<int>(edge));
    for_each_int(send_places_[edge], send.counts[edge], send.types[edge] != MPI_INT,
                 [&](std::size_t place, int i) { sent_[place] = value_at(values, i); });
  }
}

bool NeighborExchange::is_right() const {
  std::vector<int> expected(received_.size(), kPoison);
  const std::vector<int>& from = all_.of(rank_).from;
  for (std::size_t edge = 0; edge < from.size(); ++edge) {
    const int source = from[edge];
    if (source == MPI_PROC_NULL) continue;
    const std::uint64_t values =
        values_of(source, all_.sending_edge(rank_, static_cast<int>(edge)));
    for_each_int(receive_places_[edge], receive.counts[edge], receive.types[edge] != MPI_INT,
                 [&](std::size_t place, int i) { expected[place] = value_at(values, i); });
  }
  return received_ == expected;
}

int NeighborExchange::call(By by) {
  return call_neighbor(load_.form, send, receive, comm_, by);
}

void NeighborExchange::run(Row& row, int salt, By by) {
  fill(salt);
  row.expect_success(call(by), load_.name());
  row.expect(is_right(), load_.name(), ", seed ", load_.seed, ", moved wrong data");
}

Plan NeighborExchange::plan(Row& row, MPI_Info info) const {
  return Plan([&](Rondo_Plan* plan) { return make_plan(plan, info); }, row);
}

int NeighborExchange::make_plan(Rondo_Plan* plan, MPI_Info info) const {
  return plan_neighbor(load_.form, send, receive, comm_, info, plan);
}

void NeighborExchange::execute(Rondo_Plan plan, Row& row, int salt) {
  fill(salt);
  row.expect_success(Rondo_Execute(plan, send.buffer, receive.buffer),
                     "an execution of " + load_.name());
  row.expect(is_right(), "a plan of ", load_.name(), ", seed ", load_.seed, ", moved wrong data");
}

}  // namespace rondo::testing
