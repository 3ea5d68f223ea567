// Neighbourhood exchanges, checked byte by byte against MPI's definition: which edge of which rank a
// block comes from follows from the lists of all ranks, which the test gathers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/calls.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace rondo::testing {

/// The other ends of one rank's edges.
struct EdgeLists {
  std::vector<int> to;
  std::vector<int> from;
};

/// The topology of a communicator as MPI's own functions tell it, for all ranks.
class TopologyOfAll {
 public:
  /// Collective.
  explicit TopologyOfAll(MPI_Comm comm);

  const EdgeLists& of(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }

  /// The edge of rank `of(rank).from[edge]` along which the block of `rank`'s receiving edge comes.
  int sending_edge(int rank, int edge) const;

  bool has_edge(int source, int destination) const;

  /// Whether there are several edges from one rank to another, in which MPICH 4.0 differs.
  bool has_several() const;

  /// Whether the MPI library's own calls are not tried: with MPICH 4.0.2, MPI_Neighbor_alltoallw moves
  /// wrong bytes, hangs or crashes on a graph with a rank that has no edge to it or from it.
  bool fails_in_mpich() const;

 private:
  bool is_cartesian_ = false;
  std::vector<EdgeLists> lists_;
};

/// One side's arguments, which a test may bend.
template <class Count, class Displacement>
struct NeighborSide {
  void* buffer = nullptr;
  std::vector<Count> counts{};
  std::vector<Displacement> displacements{};  ///< in elements of the type
  std::vector<MPI_Aint> byte_displacements{};
  std::vector<MPI_Datatype> types{};  ///< by edge; alltoall and alltoallv have one for all

  /// The count of alltoall without edges. Open MPI 4.1 does nothing on a rank that receives 0 elements,
  /// even if it sends some.
  int count_without_edges = 0;
};
using NeighborArguments = NeighborSide<int, int>;
using LargeNeighborArguments = NeighborSide<MPI_Count, MPI_Aint>;

/// Who carries out an exchange.
enum class By { rondo, rondo_large, mpi };

int call_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                  MPI_Comm comm, By by = By::rondo);
/// The start of such an exchange, by Rondo_Ineighbor_alltoall and the others.
int start_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                   MPI_Comm comm, Rondo_Request* request);
/// By Rondo_Ineighbor_alltoall_c and the others, where this MPI has them. Both sides must stay until the exchange
/// is over.
int start_large_neighbor(Collective form, const LargeNeighborArguments& send,
                         const LargeNeighborArguments& receive, MPI_Comm comm,
                         Rondo_Request* request);
LargeNeighborArguments widened(const NeighborArguments& side);

int plan_neighbor(Collective form, const NeighborArguments& send, const NeighborArguments& receive,
                  MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

/// What an exchange moves.
struct NeighborLoad {
  Collective form = Collective::alltoallv;
  int longest = 6;            ///< a block has up to as many pairs of ints
  bool is_scattered = false;  ///< blocks lie in another order, with gaps
  bool is_packed = false;     ///< some types are not contiguous
  bool is_even = false;       ///< all blocks are as long as the longest
  int places = 0;  ///< so many are sent from, by any number of edges; 0: one for each edge
  std::uint64_t seed = 0;

  std::string name() const;
};

/// A load of any form and layout, with one of the lengths `longest`. It sends from one place for each edge.
NeighborLoad drawn_load(std::uint64_t bits, std::span<const int> longest);

/// An exchange of one rank.
class NeighborExchange {
 public:
  NeighborExchange(MPI_Comm comm, const TopologyOfAll& all, const NeighborLoad& load);

  /// Fills the buffers: the receive buffer with what no block has.
  void fill(int salt);

  /// Whether the receive buffer has what MPI's definition says, and nothing else has changed.
  bool is_right() const;

  int call(By by = By::rondo);
  void run(Row& row, int salt = 0, By by = By::rondo);
  int make_plan(Rondo_Plan* plan, MPI_Info info = MPI_INFO_NULL) const;
  Plan plan(Row& row, MPI_Info info = MPI_INFO_NULL) const;
  /// An execution of such a plan, checked.
  void execute(Rondo_Plan plan, Row& row, int salt = 0);

  NeighborArguments send;
  NeighborArguments receive;

 private:
  int pairs(int source, int edge, int destination) const;
  std::uint64_t values_of(int source, int edge) const;
  int name_of_sent(int source, int edge) const;
  void lay_out(bool is_send);

  MPI_Comm comm_;
  int rank_;
  const TopologyOfAll& all_;
  NeighborLoad load_;
  int salt_ = 0;
  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> send_places_;  ///< of blocks, in ints
  std::vector<int> receive_places_;
  Type packed_;
};

}  // namespace rondo::testing
