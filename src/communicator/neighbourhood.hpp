// What Rondo keeps of a communicator for neighbourhood exchanges: its topology, the ranks with which
// this rank exchanges, and the algorithm.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "buffers/neighbor.hpp"
#include "communicator/learner.hpp"
#include "communicator/peer_blocks.hpp"
#include "communicator/state.hpp"
#include "engines/pattern.hpp"

namespace rondo::communicator {

/// What one exchange at a time uses of a neighbourhood.
struct EdgeWorkspace {
  PeerBlocks peers;
  buffers::EdgeBinding binding{};
};

class Neighbourhood {
 public:
  /// Collective. Reads the topology of `comm`, and agrees whether it is ambiguous at any rank. Throws an
  /// error of class MPI_ERR_TOPOLOGY on all ranks if there is none.
  static std::unique_ptr<Neighbourhood> read(MPI_Comm comm);

  /// Local. Read, or edges that only Rondo knows.
  explicit Neighbourhood(Topology topology) : topology_(std::move(topology)) {}

  const Topology& topology() const { return topology_; }

  /// Collective at the first call; the state must be prepared. Throws an error of class
  /// MPI_ERR_TOPOLOGY on all ranks if one rank has an edge that the rank at its other end does not have.
  void prepare(State& state);

  // What follows may be used once it is prepared.

  /// What the call in progress uses.
  EdgeWorkspace& own_workspace() { return *own_; }

  /// Nonblocking exchanges read it, beside calls. They use its nodes only if these were made before the start
  /// (choice_for_start()), and nothing else in it changes.
  engines::Pattern& pattern() { return *pattern_; }

  /// The pattern of exchanges whose blocks are as long as those that are bound.
  engines::Pattern pattern_for(const engines::Context& context,
                               const buffers::Binding& bound) const;

  /// Collective. Returns what a call runs. Under `auto` the ranks agree on what the first call, and the
  /// calls 64, 128, 256, ... after it, move, and then decide. `bind` returns this rank's arguments, or
  /// null if they are wrong. Once it has learned something, measurements decide instead.
  template <class Bind>
  const choice::Choice& choose(State& state, Bind&& bind) {
    return choose_by(state, std::ref(bind));  // std::function would allocate for captures
  }

  /// Begins a call. Returns whether it is forwarded without a look at anything else: `auto` has chosen
  /// the MPI library's own call, and it is not yet time to decide again. All ranks answer alike. With two
  /// ranks the library's call takes less than 200 ns, so everything before it counts.
  bool must_forward(State& state) {
    if (!is_forwarding_ || turns_.is_over() ||
        state.own().requested(buffers::Form::neighbor_alltoallv) != nullptr)
      return false;
    state.note_choice(turns_.next());
    return true;
  }

  /// As in Auto.
  Learner* take_timed() { return timed_.take(); }
  void end_learning(bool is_given_up) { turns_.end(is_given_up); }

  /// Local. Null before anything was learned.
  const Learner* learner() const { return turns_.learner().get(); }

  /// Collective. Decides for an exchange like the one that is bound, the same on all ranks. `bound` is
  /// null on a rank whose arguments are wrong.
  choice::Choice decide(State& state, engines::Pattern& pattern, const buffers::Binding* bound);

  /// Returns what a nonblocking exchange runs: what was requested, or what the last call decided. Returns nothing
  /// if there is none of it yet, or if it is the MPI library's. The same on all ranks.
  std::optional<choice::Choice> choice_for_start(State& state) const;

  /// The workspace of a channel of nonblocking exchanges. It may be used once choice_for_start() has returned a
  /// choice.
  EdgeWorkspace& workspace(std::size_t channel);

 private:
  void compare_edges(const engines::Context& context) const;
  void begin_turn(State& state, const std::function<const buffers::Binding*()>& bind);
  const choice::Choice& choose_by(State& state,
                                  const std::function<const buffers::Binding*()>& bind);

  Topology topology_;
  std::optional<EdgeWorkspace> own_;
  std::optional<engines::Pattern> pattern_;
  std::uint64_t decided_at_ = 0;  ///< the number of a call, of those under `auto`
  Turns turns_;
  TimedTurn timed_;
  bool is_forwarding_ = false;  ///< whether the turn's calls go to the MPI library at once
  std::deque<std::optional<EdgeWorkspace>> workspaces_;  ///< by channel; references stay valid
};

/// Collective unless that was done before. Makes what `choice` needs of the pattern, so that nonblocking
/// exchanges can run it.
void prepare_start(engines::Context& context, engines::Pattern& pattern,
                   const choice::Choice& choice);

}  // namespace rondo::communicator
