// The two sides of a sparse exchange: what the caller passes, and what it learns.
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "exchange/placing.hpp"
#include "rondo/rondo.h"

namespace rondo::exchange {

/// What the caller learns of the sources, for calls with int counts and with large ones.
template <class Count>
using SourcesOf = std::conditional_t<std::is_same_v<Count, int>, Rondo_Sources, Rondo_Sources_c>;

template <class Count, class Displacement>
struct SparseArguments {
  static constexpr buffers::Form kForm = buffers::Form::sparse_alltoallv;
  static constexpr const char* kKind = "sparse";
  static const choice::Choice& choose(communicator::State& state) {
    const choice::Choice* const requested = state.own().requested(buffers::Form::sparse_alltoallv);
    const choice::Choice& choice = requested != nullptr ? *requested : state.sparse().choose();
    state.note_choice(choice);
    return choice;
  }
  static communicator::Learner* take_timed(communicator::State& state) {
    return state.sparse().take_timed();
  }
  static bool is_forwarded(const choice::Choice&) { return false; }  // `mpi` has an engine here

  const void* send_buffer;
  int destination_count;
  const int* destinations;
  const Count* send_counts;
  const Displacement* send_displacements;
  MPI_Datatype send_type;
  Target target;
  MPI_Datatype receive_type;
  SourcesOf<Count>* sources;
  MPI_Comm comm;
};

/// The same counts and displacements by rank, for the MPI library, and room for those of the other side.
template <class Count, class Displacement>
struct ByRank {
  ByRank(const SparseArguments<Count, Displacement>& arguments, std::size_t ranks,
         bool has_arguments)
      : send_counts(ranks),
        send_displacements(ranks),
        receive_counts(ranks),
        receive_displacements(ranks) {
    for (int i = 0; has_arguments && i < arguments.destination_count; ++i) {
      const auto rank = static_cast<std::size_t>(arguments.destinations[i]);
      send_counts[rank] = arguments.send_counts[i];
      send_displacements[rank] = arguments.send_displacements[i];
    }
  }

  std::vector<Count> send_counts;
  std::vector<Displacement> send_displacements;
  std::vector<Count> receive_counts;
  std::vector<Displacement> receive_displacements;
};

/// Throws unless the destinations are ranks, each of which is named once. `sorted` is memory.
inline void check_destinations(std::span<const int> destinations, int ranks,
                               std::vector<int>& sorted) {
  for (std::size_t i = 0; i < destinations.size(); ++i)
    if (destinations[i] < 0 || destinations[i] >= ranks)
      throw Error(ErrorClass::argument, text("destinations[", i, "] is ", destinations[i],
                                             "; comm has ranks 0 to ", ranks - 1));
  const auto find_twice = [](const auto& list) {
    return std::ranges::adjacent_find(list, std::greater_equal<>());
  };
  if (find_twice(destinations) == destinations.end()) return;
  sorted.assign(destinations.begin(), destinations.end());
  std::ranges::sort(sorted);
  if (const auto twice = find_twice(sorted); twice != sorted.end())
    throw Error(ErrorClass::argument, text("destinations names rank ", *twice,
                                           " twice; send it one block that has both"));
}

template <class Count, class Displacement>
class SparsePlacing final : public ReceiverOf<engines::Source> {
 public:
  using Arguments = SparseArguments<Count, Displacement>;

  SparsePlacing(const Arguments& arguments, communicator::State& state)
      : arguments_(arguments),
        state_(state),
        arrays_(std::get<buffers::Sources<Count, Displacement>>(state.sparse_arrays.sources)),
        placing_(inner_, state.kept) {
    inner_.target = arguments.target;
    inner_.receive_type = arguments.receive_type;
    show(0);
  }

  /// Binds the sending side, and checks all arguments. Returns what is wrong.
  std::optional<Error> bind() {
    buffers::Binding& binding = state_.own().binding;
    binding.clear();
    binding.is_in_place = false;
    auto failure = failure_of([&] {
      if (arguments_.sources == nullptr)
        throw Error(ErrorClass::argument, "sources is a null pointer");
      placing_.bind_target(binding.receive, 1);
      bind_send(binding.send());
    });
    if (failure) binding.clear();
    return failure;
  }

  void* place(std::span<const engines::Source> sources, buffers::Side& side) override {
    arrays_.resize(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      arrays_.ranks[i] = sources[i].rank;
      arrays_.lengths[i] = sources[i].bytes;
    }
    inner_.receive_counts = arrays_.counts.data();
    inner_.receive_displacements = arrays_.displacements.data();
    placing_.name_sources(arrays_.ranks);
    void* const buffer = placing_.place(std::span(arrays_.lengths).first(sources.size()), side);
    show(sources.size());
    return buffer;
  }

  bool is_allocated() const override { return placing_.is_allocated(); }

  /// Throws what is wrong on this rank with what has arrived. Otherwise tells the caller where it is.
  void finish() const { placing_.finish(); }

  /// Lists the sources of a forwarded exchange, from the counts and displacements of all ranks.
  void list(std::span<const Count> counts, std::span<const Displacement> displacements) {
    arrays_.resize(counts.size());
    std::size_t found = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (counts[rank] == 0) continue;
      arrays_.ranks[found] = static_cast<int>(rank);
      arrays_.counts[found] = counts[rank];
      arrays_.displacements[found++] = displacements[rank];
    }
    show(found);
  }

 private:
  void bind_send(buffers::Side& side) {
    if (arguments_.send_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer, "sendbuf is MPI_IN_PLACE; a sparse exchange is not in place");
    const int count = arguments_.destination_count;
    if (count < 0)
      throw Error(ErrorClass::count,
                  text("ndestinations is ", count, "; a count must not be negative"));
    if (count == 0) return side.bind_alltoall(0, 0, MPI_BYTE);
    if (arguments_.destinations == nullptr)
      throw Error(ErrorClass::argument, "destinations is a null pointer");
    check_destinations({arguments_.destinations, static_cast<std::size_t>(count)}, state_.ranks(),
                       state_.sparse_arrays.sorted);
    side.bind_alltoallv(count, buffers::Numbers(arguments_.send_counts),
                        buffers::Numbers(arguments_.send_displacements), arguments_.send_type);
    side.check_buffer(arguments_.send_buffer);
  }

  /// Tells the caller of the first sources in the arrays.
  void show(std::size_t count) {
    if (arguments_.sources == nullptr) return;
    *arguments_.sources = {static_cast<int>(count), arrays_.ranks.data(), arrays_.counts.data(),
                           arrays_.displacements.data()};
  }

  const Arguments& arguments_;
  communicator::State& state_;
  buffers::Sources<Count, Displacement>& arrays_;
  DynamicArguments<Count, Displacement> inner_{};
  Placing<Count, Displacement> placing_;
};

}  // namespace rondo::exchange
