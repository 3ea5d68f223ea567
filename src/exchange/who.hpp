// Who exchanges blocks: all ranks of a communicator, or the ranks at the ends of a topology's edges. What
// differs between the two is here. Calls, starts and plans are written once for both.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "buffers/neighbor.hpp"
#include "communicator/agree.hpp"
#include "communicator/attributes.hpp"
#include "communicator/worth_trying.hpp"
#include "exchange/choosing.hpp"
#include "exchange/execute.hpp"
#include "exchange/neighbor_state.hpp"

namespace rondo::exchange {

/// The two buffers of an execution of a plan.
struct BufferPair {
  const void* send;
  void* receive;
};

struct AllRanks {
  using Binding = buffers::Binding;

  /// What one exchange at a time uses; it has a `binding`.
  using Workspace = communicator::Channel;
  static Workspace& workspace(communicator::State&, communicator::Channel& channel) {
    return channel;
  }
  static communicator::PeerBlocks* peers(Workspace&) { return nullptr; }
  static engines::Pattern* pattern(communicator::State&) { return nullptr; }

  /// Returns the state for a call, or null if the MPI library carries it out. The first call on a
  /// communicator is collective.
  static communicator::State* state_for_call(MPI_Comm comm) {
    communicator::State* const recent = communicator::recent_state(comm);
    if (recent != nullptr) return recent;
    if (communicator::has_ended(comm) || communicator::is_inter(comm)) return nullptr;
    return communicator::state_of(comm).get();
  }

  /// As state_for_call(), for a plan, which shares it. Null on an inter-communicator.
  static std::shared_ptr<communicator::State> state_for_plan(MPI_Comm comm) {
    return communicator::is_inter(comm) ? nullptr : communicator::state_of(comm);
  }

  /// Whether a call's arguments are bound before it is known what the call runs.
  static constexpr bool kBindsFirst = true;

  static bool is_forwarded_at_once(communicator::State&) { return false; }
  static void prepare(communicator::State&) {}

  template <class Arguments>
  static void bind(const communicator::State& state, Binding& binding, const Arguments& arguments) {
    buffers::bind(binding, arguments, state.ranks());
    binding.check_own(state.rank());
  }

  /// Collective. If any rank has a `failure`, or if two ranks disagree on a length, all ranks throw.
  static void agree(engines::Context& context, Workspace&, std::optional<Error> failure,
                    const Binding& binding) {
    communicator::agree_on_lengths(context, std::move(failure), binding);
  }

  /// Returns what a call runs.
  template <class Arguments, class Bind>
  static choice::Choice choose(communicator::State& state, const Binding& binding,
                               const Arguments& arguments, const std::optional<Error>& failure,
                               Bind&&) {
    return exchange::choose(state, binding, arguments, failure);
  }

  /// What times the call; null if it is not timed.
  static communicator::Learner* take_timed(communicator::State& state) {
    return state.own().take_timed();
  }

  // Starts.

  static bool can_start(communicator::State& state, buffers::Form form) {
    return !state.leaves_to_library(form);
  }

  /// What a started exchange must know of its start.
  template <class Arguments>
  class AtStart {
   public:
    AtStart(communicator::State& state, const Binding& binding, const Arguments& arguments,
            const std::optional<Error>& failure)
        : block_bytes_(known_block_bytes(binding, arguments, state.ranks(), failure)) {
      if (!block_bytes_ || state.requested(Arguments::kForm) != nullptr) return;
      const choice::Choice* const learned = state.own().learned(Arguments::kForm, *block_bytes_);
      if (learned == nullptr) return;
      learned_ = *learned;
      state.note_choice(*learned);
    }

    choice::Choice choose(communicator::State& state, communicator::Channel& channel,
                          const std::optional<Error>& failure) {
      const choice::Choice choice = channel.instead_of_library(
          learned_ ? channel.usable(*learned_, *block_bytes_)
                   : exchange::choose(channel, Arguments::kForm, block_bytes_, failure));
      const bool is_noted = learned_ && choice == *learned_;  // by the start
      if (!is_noted) state.note_choice(choice);
      return choice;
    }

   private:
    std::optional<std::size_t> block_bytes_;
    std::optional<choice::Choice> learned_;  ///< by the calls before
  };

  // Plans.

  struct Partners {
    int to;
    int from;
  };
  static Partners partners(const communicator::State* state, MPI_Comm comm) {
    if (state != nullptr) return {state->ranks(), state->ranks()};
    int ranks = 0;
    mpi::check(PMPI_Comm_remote_size(comm, &ranks), "MPI_Comm_remote_size");
    return {ranks, ranks};
  }

  static void check_in_place(const BufferPair& buffers, bool is_in_place) {
    if ((buffers.send == MPI_IN_PLACE) == is_in_place) return;
    throw Error(ErrorClass::buffer,
                is_in_place ? "sendbuf must be MPI_IN_PLACE, because the plan was made with it"
                            : "sendbuf is MPI_IN_PLACE, but the plan was made without it");
  }

  static std::optional<engines::Pattern> pattern_for(communicator::State&, const Binding&) {
    return std::nullopt;
  }

  static choice::Choice choose_for_plan(communicator::State& state, buffers::Form form,
                                        const communicator::ChoiceOrAuto& request,
                                        std::size_t longest, const Binding&,
                                        std::optional<engines::Pattern>&) {
    return request ? state.usable(choice::resolve(*request, state.context().layout()), longest)
                   : state.own().choose_for_plan(form, longest);
  }

  /// Collective. What a plan tries where it runs `own`.
  static std::vector<choice::Choice> choices_to_try(communicator::State& state,
                                                    const choice::Choice& own, std::size_t longest,
                                                    std::optional<engines::Pattern>&) {
    return communicator::worth_trying(state.context(), state.settings(), own, longest);
  }

  /// Whether the MPI library can carry out a plan's exchange that is to be forwarded.
  static bool can_forward(const communicator::State*) { return true; }

  /// Returns what a call runs in place of a forwarded exchange that cannot be forwarded.
  static choice::Choice instead_of_library(communicator::State&, const choice::Choice& choice) {
    return choice;
  }

  /// Returns what a started execution runs.
  static choice::Choice usable_in(communicator::Channel& channel, const choice::Choice& choice,
                                  std::size_t longest) {
    return channel.instead_of_library(channel.usable(choice, longest));
  }

  static MPI_Comm comm_for_forwarding(communicator::State& state) {
    return state.forwarding_comm();
  }
};

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

  static void agree(engines::Context& context, Workspace& workspace, std::optional<Error> failure,
                    const Binding& binding) {
    communicator::agree_on_edges(context, workspace.peers, std::move(failure), binding);
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
      return communicator::usable_on_edges(channel.context(), choice_);
    }

   private:
    choice::Choice choice_;
  };

  // Plans.

  AllRanks::Partners partners(const communicator::State* state, MPI_Comm) const {
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
    choice::Choice choice = request ? communicator::usable_on_edges(
                                          context, choice::resolve(*request, context.layout()))
                                    : edges(state).decide(state, *pattern, &binding);
    if (found) choice = instead_of_library(state, choice);
    communicator::prepare_start(context, *pattern, choice);
    return choice;
  }

  std::vector<choice::Choice> choices_to_try(communicator::State& state, const choice::Choice& own,
                                             std::size_t,
                                             std::optional<engines::Pattern>& pattern) const {
    auto choices = edges(state).choices_to_try(state, own, can_forward(&state));
    for (const choice::Choice& choice : choices)
      communicator::prepare_start(state.context(), *pattern, choice);
    return choices;
  }

  /// Only the user's communicator has the topology. Once it is freed, or if the library knows nothing of the
  /// edges, Rondo carries out an exchange that was the library's.
  bool can_forward(const communicator::State* state) const {
    return !found && state->user_comm() != MPI_COMM_NULL;
  }

  static choice::Choice instead_of_library(communicator::State& state,
                                           const choice::Choice& choice) {
    return choice.algorithm->shape == registry::Shape::library || !state.packs_raw()
               ? state.context().defaults(registry::Collective::neighbor_alltoallv, "spread_out")
               : choice;
  }

  static choice::Choice usable_in(communicator::Channel& channel, const choice::Choice& choice,
                                  std::size_t) {
    return communicator::usable_on_edges(channel.context(), choice);
  }

  MPI_Comm comm_for_forwarding(communicator::State& state) const {
    if (!can_forward(&state))
      throw Error(ErrorClass::other,
                  "the plan's exchange cannot be forwarded to the MPI library: its communicator "
                  "was freed or has no topology");
    return state.user_comm();
  }
};

template <class Arguments>
using WhoOf =
    std::conditional_t<Arguments::kForm == buffers::Form::neighbor_alltoallv, AlongEdges, AllRanks>;

}  // namespace rondo::exchange
