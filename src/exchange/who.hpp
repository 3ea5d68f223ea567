// Who exchanges blocks: all ranks of a communicator, or the ranks at the ends of a topology's edges. What
// differs between the two is here and in along_edges.hpp. Calls, starts and plans are written once for both.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "buffers/arguments.hpp"
#include "communicator/attributes.hpp"
#include "communicator/lengths.hpp"
#include "communicator/turns.hpp"
#include "exchange/along_edges.hpp"
#include "exchange/execute.hpp"
#include "mpi/error.hpp"

namespace rondo::exchange {

/// Returns the length of the blocks of an alltoall, or nothing on a rank with a `failure` that does not
/// know it. Nothing for other forms.
template <class Arguments>
std::optional<std::size_t> known_block_bytes(const buffers::Binding& binding,
                                             const Arguments& arguments, int ranks,
                                             const std::optional<Error>& failure) {
  if (Arguments::kForm != buffers::Form::alltoall) return std::nullopt;
  return failure ? block_bytes_of_valid_side(arguments, ranks)
                 : std::optional(binding.block_bytes());
}

/// Returns the algorithm of an exchange in a channel. `block_bytes` is known_block_bytes(). A
/// rank with a `failure` takes part too, to report it, unless it does not know the length that decides what the others
/// run. Returns a copy, since `auto` may decide anew before the exchange ends.
inline choice::Choice choose(communicator::Channel& channel, buffers::Form form,
                             const std::optional<std::size_t>& block_bytes,
                             const std::optional<Error>& failure) {
  const bool is_known = block_bytes || form != buffers::Form::alltoall;
  if (!is_known && channel.requested(form) == nullptr) throw Error(*failure);
  return channel.choose(form, block_bytes);
}

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
  static void compare_lengths(engines::Context& context, Workspace&, std::optional<Error> failure,
                              const Binding& binding) {
    communicator::compare_lengths(context, std::move(failure), binding);
  }

  /// Returns what a call runs.
  template <class Arguments, class Bind>
  static choice::Choice choose(communicator::State& state, const Binding& binding,
                               const Arguments& arguments, const std::optional<Error>& failure,
                               Bind&&) {
    const choice::Choice choice =
        exchange::choose(state.own(), Arguments::kForm,
                         known_block_bytes(binding, arguments, state.ranks(), failure), failure);
    state.note_choice(choice, binding, failure);
    return choice;
  }

  /// What times the call; null if it is not timed.
  static communicator::Learner* take_timed(communicator::State& state) {
    return state.own().take_timed();
  }

  // Starts.

  static bool can_start(communicator::State& state, buffers::Form form) {
    const communicator::ChoiceOrAuto& asked = state.choice_or_auto(form);
    return !asked || !asked->algorithm->is_library();
  }

  /// What a nonblocking exchange must know of its start.
  template <class Arguments>
  class AtStart {
   public:
    AtStart(communicator::State& state, const Binding& binding, const Arguments& arguments,
            const std::optional<Error>& failure)
        : block_bytes_(known_block_bytes(binding, arguments, state.ranks(), failure)) {
      if (!block_bytes_ || state.own().requested(Arguments::kForm) != nullptr) return;
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
    return request
               ? state.own().usable(choice::resolve(*request, state.context().layout()), longest)
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

  static MPI_Comm comm_for_forwarding(communicator::State& state) {
    return state.forwarding_comm();
  }
};

template <class Arguments>
using WhoOf =
    std::conditional_t<Arguments::kForm == buffers::Form::neighbor_alltoallv, AlongEdges, AllRanks>;

}  // namespace rondo::exchange
