// Exchanges of the ranks at the ends of edges: those of a topology, or those that a plan has found itself.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "buffers/neighbor.hpp"
#include "communicator/attributes.hpp"
#include "communicator/lengths.hpp"
#include "communicator/neighbourhood.hpp"
#include "communicator/turns.hpp"
#include "exchange/planned.hpp"

namespace rondo::exchange {

inline constexpr buffers::Form kNeighborForm = buffers::Form::neighbor_alltoallv;

/// Returns the state of `comm` with its topology. The first call on a communicator is collective. Throws
/// an error of class MPI_ERR_TOPOLOGY if it has none, before anything collective.
inline std::shared_ptr<communicator::State>& state_with_topology(MPI_Comm comm) {
  if (communicator::is_inter(comm))
    throw Error(ErrorClass::communicator, "comm is an inter-communicator, which has no topology",
                MPI_ERR_TOPOLOGY);
  if (!communicator::has_topology(comm)) communicator::throw_no_topology();
  // First, so that it is watched if a rank is late.
  auto& state = communicator::state_of(comm);
  if (!state->neighbourhood) state->neighbourhood = communicator::Neighbourhood::read(comm);
  return state;
}

struct AlongEdges {
  using Binding = buffers::EdgeBinding;

  /// The edges that a plan has found itself; null if they are those of the communicator's topology.
  std::shared_ptr<communicator::Neighbourhood> found{};

  communicator::Neighbourhood& edges(const communicator::State& state) const {
    return found ? *found : *state.neighbourhood;
  }

  using Workspace = communicator::EdgeWorkspace;
  Workspace& workspace(communicator::State& state, communicator::Channel& channel) const {
    return &channel == &state.own() ? edges(state).own_workspace()
                                    : edges(state).workspace(channel.number);
  }
  static communicator::PeerBlocks* peers(Workspace& workspace) { return &workspace.peers; }
  static engines::Pattern* pattern(communicator::State& state) {
    return &state.neighbourhood->pattern();
  }

  static communicator::State* state_for_call(MPI_Comm comm) {
    communicator::State* state = communicator::recent_state(comm);
    if (state == nullptr || !state->neighbourhood) {
      if (communicator::has_ended(comm)) return nullptr;
      state = state_with_topology(comm).get();
    }
    // A forwarded call must match edges as later calls do.
    if (state->neighbourhood->topology().is_ambiguous) state->prepare();
    return state;
  }

  std::shared_ptr<communicator::State> state_for_plan(MPI_Comm comm) const {
    return found ? communicator::state_of(comm) : state_with_topology(comm);
  }

  /// Under `auto` most calls know without their arguments that they are the MPI library's.
  static constexpr bool kBindsFirst = false;
  static bool is_forwarded_at_once(communicator::State& state) {
    return state.neighbourhood->must_forward(state);
  }
  void prepare(communicator::State& state) const { edges(state).prepare(state); }

  template <class Arguments>
  void bind(const communicator::State& state, Binding& binding, const Arguments& arguments) const {
    const communicator::Topology& topology = edges(state).topology();
    binding.bind(arguments, topology.to.ranks, topology.from.ranks);
    edges(state).own_workspace().peers.check_own(binding);
  }

  static void compare_lengths(engines::Context& context, Workspace& workspace,
                              std::optional<Error> failure, const Binding& binding) {
    communicator::compare_edge_lengths(context, workspace.peers, std::move(failure), binding);
  }

  template <class Arguments, class Bind>
  static choice::Choice choose(communicator::State& state, const Binding& binding, const Arguments&,
                               const std::optional<Error>& failure, Bind&& bind) {
    const auto bound = [&]() -> const buffers::Binding* {
      bind();
      return failure ? nullptr : &binding;
    };
    return state.neighbourhood->choose(state, bound);
  }

  static communicator::Learner* take_timed(communicator::State& state) {
    return state.neighbourhood->take_timed();
  }

  // Starts.

  static bool can_start(communicator::State& state, buffers::Form) {
    return state.neighbourhood && state.neighbourhood->choice_for_start(state).has_value();
  }

  template <class Arguments>
  class AtStart {
   public:
    AtStart(communicator::State& state, const Binding&, const Arguments&,
            const std::optional<Error>&) {
      choice_ = *state.neighbourhood->choice_for_start(state);
      state.note_choice(choice_);
    }

    choice::Choice choose(communicator::State&, communicator::Channel& channel,
                          const std::optional<Error>&) {
      return channel.usable(choice_, 0);
    }

   private:
    choice::Choice choice_;
  };

  // Plans.

  Partners partners(const communicator::State* state, MPI_Comm) const {
    const communicator::Topology& topology = edges(*state).topology();
    return {topology.to.count(), topology.from.count()};
  }

  static void check_in_place(const BufferPair& buffers, bool) {
    if (buffers.send == MPI_IN_PLACE || buffers.receive == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "a buffer is MPI_IN_PLACE; a neighbourhood exchange is not in place");
  }

  std::optional<engines::Pattern> pattern_for(communicator::State& state,
                                              const Binding& binding) const {
    return edges(state).pattern_for(state.context(), binding);
  }

  choice::Choice choose_for_plan(communicator::State& state, buffers::Form,
                                 const communicator::ChoiceOrAuto& request, std::size_t,
                                 const Binding& binding,
                                 std::optional<engines::Pattern>& pattern) const {
    engines::Context& context = state.context();
    choice::Choice choice = request
                                ? state.own().usable(choice::resolve(*request, context.layout()), 0)
                                : edges(state).decide(state, *pattern, &binding);
    if (found) choice = state.own().instead_of_library(choice);
    communicator::prepare_start(context, *pattern, choice);
    return choice;
  }

  std::vector<choice::Choice> choices_to_try(communicator::State& state, const choice::Choice& own,
                                             std::size_t,
                                             std::optional<engines::Pattern>& pattern) const {
    const bool may_forward = can_forward(&state) && !edges(state).topology().is_ambiguous;
    auto choices =
        communicator::worth_trying(state.context(), state.settings(), own, 0, may_forward);
    for (const choice::Choice& choice : choices)
      communicator::prepare_start(state.context(), *pattern, choice);
    return choices;
  }

  /// Only the user's communicator has the topology. Once it is freed, or if the library knows nothing of the
  /// edges, Rondo carries out an exchange that was the library's.
  bool can_forward(const communicator::State* state) const {
    return !found && state->user_comm() != MPI_COMM_NULL;
  }

  MPI_Comm comm_for_forwarding(communicator::State& state) const {
    if (!can_forward(&state))
      throw Error(ErrorClass::other,
                  "the plan's exchange cannot be forwarded to the MPI library: its communicator "
                  "was freed or has no topology");
    return state.user_comm();
  }
};

}  // namespace rondo::exchange
