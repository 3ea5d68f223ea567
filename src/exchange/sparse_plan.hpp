// A sparse exchange as a plan. Who sends to whom, and how much, is found out once, by a sparse exchange of the
// lengths. The plan is then that of an exchange along these edges.
#pragma once

#include <limits>
#include <numeric>
#include <vector>

#include "exchange/call_receiving.hpp"
#include "exchange/plan.hpp"

namespace rondo::exchange {

/// The blocks of one side.
template <class Count, class Displacement>
using Edges = buffers::Sources<Count, Displacement>;

/// Returns the blocks that are bound to be sent, without the empty ones.
template <class Count, class Displacement>
Edges<Count, Displacement> edges_of(const SparseArguments<Count, Displacement>& arguments,
                                    const buffers::Side& sending) {
  Edges<Count, Displacement> edges;
  for (std::size_t i = 0; i < sending.ranks(); ++i) {
    const std::size_t bytes = sending.part(i).bytes;
    if (bytes == 0) continue;
    edges.ranks.push_back(arguments.destinations[i]);
    edges.counts.push_back(arguments.send_counts[i]);
    edges.displacements.push_back(arguments.send_displacements[i]);
    edges.lengths.push_back(bytes);
  }
  return edges;
}

/// Collective. Tells the ranks to which this one sends the lengths of their blocks. Returns those of the blocks
/// that come here. If any rank has a `failure`, all ranks throw.
inline std::vector<engines::Source> learn_sources(communicator::State& state, MPI_Comm comm,
                                                  std::span<const int> destinations,
                                                  std::span<const std::uint64_t> lengths,
                                                  std::optional<Error> failure) {
  const std::vector<int> ones(destinations.size(), 1);
  std::vector<int> places(destinations.size());
  std::iota(places.begin(), places.end(), 0);
  const std::uint64_t* arrived = nullptr;
  Rondo_Sources sources{};
  exchange_receiving(state,
                     SparseArguments<int, int>{
                         lengths.data(), static_cast<int>(destinations.size()), destinations.data(),
                         ones.data(), places.data(), MPI_UINT64_T,
                         allocated(nullptr, nullptr, &arrived), MPI_UINT64_T, &sources, comm},
                     std::move(failure));
  std::vector<engines::Source> learned;
  for (int i = 0; i < sources.count; ++i)
    learned.push_back({sources.ranks[i], arrived[sources.displs[i]]});
  state.kept.forget();
  return learned;
}

/// Collective. A plan along edges or, where the MPI library carries out all exchanges, one of all ranks. The blocks
/// that come here are the first `sources`.
template <class Count, class Displacement>
std::unique_ptr<Rondo_Plan_s> plan_along(communicator::State& state,
                                         const SparseArguments<Count, Displacement>& arguments,
                                         const Edges<Count, Displacement>& to,
                                         const Edges<Count, Displacement>& from, int sources,
                                         MPI_Info info, std::optional<Error> failure) {
  const std::vector<int> ranks(from.ranks.begin(), from.ranks.begin() + sources);
  if (state.life() != communicator::Life::forwarding && state.packs_raw()) {
    using Neighbors = buffers::NeighborArguments<buffers::VectorSide<Count, Displacement>>;
    return Plan<Neighbors>::make(
        Neighbors{{nullptr, to.counts.data(), to.displacements.data(), arguments.send_type, nullptr,
                   from.counts.data(), from.displacements.data(), arguments.receive_type,
                   arguments.comm}},
        info, std::move(failure),
        AlongEdges{.found = std::make_shared<communicator::Neighbourhood>(
                       communicator::topology_of(to.ranks, ranks))});
  }
  ByRank by_rank(arguments, static_cast<std::size_t>(state.ranks()), true);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    by_rank.receive_counts[rank] = from.counts[i];
    by_rank.receive_displacements[rank] = from.displacements[i];
  }
  using All = buffers::AlltoallvArguments<Count, Displacement>;
  return Plan<All>::make(
      All{nullptr, by_rank.send_counts.data(), by_rank.send_displacements.data(),
          arguments.send_type, nullptr, by_rank.receive_counts.data(),
          by_rank.receive_displacements.data(), arguments.receive_type, arguments.comm},
      info, std::move(failure));
}

/// Collective. The arguments have no buffers. `plan` is where the caller wants the plan, to which the arrays of
/// the sources belong.
template <class Count, class Displacement>
int make_sparse_plan(SparseArguments<Count, Displacement> arguments, MPI_Info info,
                     Rondo_Plan* plan) {
  return guarded(arguments.comm, [&] {
    refuse_inter(arguments);
    communicator::State& state = *communicator::state_of(arguments.comm);
    state.prepare();
    arguments.send_buffer = &state;  // the buffers are not looked at
    arguments.target = given(&state, std::numeric_limits<std::int64_t>::max());
    SparsePlacing placing(arguments, state);
    auto failure = placing.bind();
    if (auto wrong = failure_of([&] { clear_plan(plan); })) failure = std::move(wrong);
    const auto to = edges_of(arguments, state.own().binding.sending());
    const auto learned =
        learn_sources(state, arguments.comm, to.ranks, to.lengths, std::move(failure));
    failure = failure_of([&] {
      placing.place(learned, state.own().binding.receive);
      placing.finish();
    });
    const auto from = std::make_shared<Edges<Count, Displacement>>(
        std::get<Edges<Count, Displacement>>(state.sparse_arrays.sources));
    const auto sources = static_cast<int>(learned.size());
    auto made = plan_along(state, arguments, to, *from, sources, info, std::move(failure));
    made->keeps = from;
    *arguments.sources = {sources, from->ranks.data(), from->counts.data(),
                          from->displacements.data()};
    *plan = made.release();
  });
}

}  // namespace rondo::exchange
