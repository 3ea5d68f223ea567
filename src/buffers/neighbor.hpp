// The arguments of the three neighbourhood exchanges. They are those of the exchanges between all ranks,
// but with a block for every edge of a topology in place of one for every rank.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "buffers/arguments.hpp"

namespace rondo::buffers {

/// One rank's arguments to MPI_Neighbor_alltoall.
template <class Count>
struct NeighborAlltoallArguments : AlltoallArguments<Count> {
  static constexpr Form kForm = Form::neighbor_alltoallv;
  int forward() const;
  int forward(MPI_Request* request) const;
};

template <class Count, class Displacement>
struct NeighborAlltoallvArguments : AlltoallvArguments<Count, Displacement> {
  static constexpr Form kForm = Form::neighbor_alltoallv;
  int forward() const;
  int forward(MPI_Request* request) const;
};

/// The displacements are addresses, with int counts too.
template <class Count>
struct NeighborAlltoallwArguments : AlltoallwArguments<Count, MPI_Aint> {
  static constexpr Form kForm = Form::neighbor_alltoallv;
  int forward() const;
  int forward(MPI_Request* request) const;
};

using NeighborAlltoall = NeighborAlltoallArguments<int>;
using NeighborAlltoallv = NeighborAlltoallvArguments<int, int>;
using NeighborAlltoallw = NeighborAlltoallwArguments<int>;

RONDO_FORWARD(NeighborAlltoall, Neighbor_alltoall, Ineighbor_alltoall, RONDO_UNIFORM)
RONDO_FORWARD(NeighborAlltoallv, Neighbor_alltoallv, Ineighbor_alltoallv, RONDO_VECTOR)
RONDO_FORWARD(NeighborAlltoallw, Neighbor_alltoallw, Ineighbor_alltoallw, RONDO_TYPED)

#if MPI_VERSION >= 4
using LargeNeighborAlltoall = NeighborAlltoallArguments<MPI_Count>;
using LargeNeighborAlltoallv = NeighborAlltoallvArguments<MPI_Count, MPI_Aint>;
using LargeNeighborAlltoallw = NeighborAlltoallwArguments<MPI_Count>;

RONDO_FORWARD(LargeNeighborAlltoall, Neighbor_alltoall_c, Ineighbor_alltoall_c, RONDO_UNIFORM)
RONDO_FORWARD(LargeNeighborAlltoallv, Neighbor_alltoallv_c, Ineighbor_alltoallv_c, RONDO_VECTOR)
RONDO_FORWARD(LargeNeighborAlltoallw, Neighbor_alltoallw_c, Ineighbor_alltoallw_c, RONDO_TYPED)
#endif

#undef RONDO_FORWARD
#undef RONDO_UNIFORM
#undef RONDO_VECTOR
#undef RONDO_TYPED

/// Binds one side, and keeps the numbers by which it replaces the caller's: a block to or from
/// MPI_PROC_NULL is neither sent nor received, so its count acts as 0.
class EdgeSide {
 public:
  /// `ranks` are those at the other end of the edges.
  template <class Count>
  void bind(Side& side, std::span<const int> ranks, Count count, MPI_Datatype type) {
    const int edges = static_cast<int>(ranks.size());
    side.bind_alltoall(edges, count, type);
    if (!has_missing(ranks)) return;
    mask(ranks, [&](std::size_t) { return count; });
    places_.clear();
    for (std::size_t edge = 0; edge < ranks.size(); ++edge)
      places_.push_back(static_cast<std::int64_t>(edge) * count);
    side.bind_alltoallv(edges, Numbers(counts_.data()), Numbers(places_.data()), type);
  }

  template <class Count, class Displacement>
  void bind(Side& side, std::span<const int> ranks, const Count* counts,
            const Displacement* displacements, MPI_Datatype type) {
    if (is_done(side, ranks)) return;
    side.bind_alltoallv(static_cast<int>(ranks.size()), masked(ranks, counts),
                        Numbers(displacements), type);
  }

  template <class Count, class Displacement>
  void bind(Side& side, std::span<const int> ranks, const Count* counts,
            const Displacement* displacements, const MPI_Datatype* types) {
    if (is_done(side, ranks)) return;
    side.bind_alltoallw(static_cast<int>(ranks.size()), masked(ranks, counts),
                        Numbers(displacements), types);
  }

 private:
  static bool has_missing(std::span<const int> ranks) {
    return std::ranges::find(ranks, MPI_PROC_NULL) != ranks.end();
  }

  /// Without edges there need be no arrays.
  static bool is_done(Side& side, std::span<const int> ranks) {
    if (ranks.empty()) side.bind_alltoall(0, 0, MPI_DATATYPE_NULL);
    return ranks.empty();
  }

  template <class CountOf>
  void mask(std::span<const int> ranks, CountOf&& count_of) {
    counts_.clear();
    for (std::size_t edge = 0; edge < ranks.size(); ++edge)
      counts_.push_back(ranks[edge] == MPI_PROC_NULL ? 0 : count_of(edge));
  }

  template <class Count>
  Numbers masked(std::span<const int> ranks, const Count* counts) {
    if (counts == nullptr || !has_missing(ranks)) return Numbers(counts);
    mask(ranks, [&](std::size_t edge) { return counts[edge]; });
    return Numbers(counts_.data());
  }

  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> places_;
};

/// Both sides of a neighbourhood exchange: a part for every edge.
class EdgeBinding : public Binding {
 public:
  /// `to` and `from` are the ranks at the other ends. Throws if the arguments are wrong; nothing is bound
  /// then.
  template <class Arguments>
  void bind(const Arguments& arguments, std::span<const int> to, std::span<const int> from) {
    is_in_place = false;
    try {
      if (arguments.send_buffer == MPI_IN_PLACE || arguments.receive_buffer == MPI_IN_PLACE)
        throw Error(ErrorClass::buffer,
                    "a buffer is MPI_IN_PLACE; a neighbourhood exchange is not in place");
      bind_sides(arguments, to, from);
    } catch (...) {
      clear();
      throw;
    }
  }

 private:
  template <class Count>
  void bind_sides(const AlltoallArguments<Count>& all, std::span<const int> to,
                  std::span<const int> from) {
    receiving_.bind(receive, from, all.receive_count, all.receive_type);
    sending_.bind(send(), to, all.send_count, all.send_type);
  }
  template <class Count, class Displacement>
  void bind_sides(const AlltoallvArguments<Count, Displacement>& all, std::span<const int> to,
                  std::span<const int> from) {
    receiving_.bind(receive, from, all.receive_counts, all.receive_displacements, all.receive_type);
    sending_.bind(send(), to, all.send_counts, all.send_displacements, all.send_type);
  }
  template <class Count, class Displacement>
  void bind_sides(const AlltoallwArguments<Count, Displacement>& all, std::span<const int> to,
                  std::span<const int> from) {
    receiving_.bind(receive, from, all.receive_counts, all.receive_displacements,
                    all.receive_types);
    sending_.bind(send(), to, all.send_counts, all.send_displacements, all.send_types);
  }

  EdgeSide sending_;
  EdgeSide receiving_;
};

}  // namespace rondo::buffers
