// The arguments of the three neighbourhood exchanges. They are those of the exchanges between all ranks,
// but with a block for every edge of a topology in place of one for every rank.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "buffers/arguments.hpp"

namespace rondo::buffers {

/// One rank's arguments to a neighbourhood exchange.
template <class OneSide>
struct NeighborArguments : Arguments<OneSide> {
  static constexpr Form kForm = Form::neighbor_alltoallv;
  int forward() const;
  int forward(MPI_Request* request) const;
};

using NeighborAlltoall = NeighborArguments<UniformSide<int>>;
using NeighborAlltoallv = NeighborArguments<VectorSide<int, int>>;
/// The displacements are addresses, with int counts too.
using NeighborAlltoallw = NeighborArguments<TypedSide<int, MPI_Aint>>;

#if MPI_VERSION >= 4
using LargeNeighborAlltoall = NeighborArguments<UniformSide<MPI_Count>>;
using LargeNeighborAlltoallv = NeighborArguments<VectorSide<MPI_Count, MPI_Aint>>;
using LargeNeighborAlltoallw = NeighborArguments<TypedSide<MPI_Count, MPI_Aint>>;
#endif

// The MPI library's call and start of each form.
#define RONDO_EXCHANGE(Form, Call, Start, Shape, ...)                             \
  template <>                                                                     \
  inline int Form::forward() const {                                              \
    return PMPI_##Call(send_buffer, RONDO_MEMBERS_##Shape(send), receive_buffer,  \
                       RONDO_MEMBERS_##Shape(receive), comm);                     \
  }                                                                               \
  template <>                                                                     \
  inline int Form::forward(MPI_Request* request) const {                          \
    return PMPI_##Start(send_buffer, RONDO_MEMBERS_##Shape(send), receive_buffer, \
                        RONDO_MEMBERS_##Shape(receive), comm, request);           \
  }
#include "buffers/exchanges.def"

/// Binds one side, and keeps the numbers by which it replaces the caller's: a block to or from
/// MPI_PROC_NULL is neither sent nor received, so its count acts as 0.
class EdgeSide {
 public:
  /// `ranks` are those at the other end of the edges.
  template <class Count>
  void bind(Side& side, std::span<const int> ranks, const UniformSide<Count>& given) {
    const int edges = static_cast<int>(ranks.size());
    given.bind(side, edges);
    if (!has_missing(ranks)) return;
    mask(ranks, [&](std::size_t) { return given.count; });
    places_.clear();
    for (std::size_t edge = 0; edge < ranks.size(); ++edge)
      places_.push_back(static_cast<std::int64_t>(edge) * given.count);
    side.bind_alltoallv(edges, Numbers(counts_.data()), Numbers(places_.data()), given.type);
  }

  template <class Count, class Displacement>
  void bind(Side& side, std::span<const int> ranks, const VectorSide<Count, Displacement>& given) {
    if (is_done(side, ranks)) return;
    side.bind_alltoallv(static_cast<int>(ranks.size()), masked(ranks, given.counts),
                        Numbers(given.displacements), given.type);
  }

  template <class Count, class Displacement>
  void bind(Side& side, std::span<const int> ranks, const TypedSide<Count, Displacement>& given) {
    if (is_done(side, ranks)) return;
    side.bind_alltoallw(static_cast<int>(ranks.size()), masked(ranks, given.counts),
                        Numbers(given.displacements), given.types);
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
  template <class OneSide>
  void bind(const Arguments<OneSide>& arguments, std::span<const int> to,
            std::span<const int> from) {
    is_in_place = false;
    try {
      if (arguments.send_buffer == MPI_IN_PLACE || arguments.receive_buffer == MPI_IN_PLACE)
        throw Error(ErrorClass::buffer,
                    "a buffer is MPI_IN_PLACE; a neighbourhood exchange is not in place");
      receiving_.bind(receive, from, arguments.receive);
      sending_.bind(send(), to, arguments.send);
    } catch (...) {
      clear();
      throw;
    }
  }

 private:
  EdgeSide sending_;
  EdgeSide receiving_;
};

}  // namespace rondo::buffers
