// What Rondo keeps of a communicator for neighbourhood exchanges: its topology, the ranks with which
// this rank exchanges, and the algorithm.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "buffers/neighbor.hpp"
#include "communicator/peer_blocks.hpp"
#include "communicator/state.hpp"
#include "exchange/pattern.hpp"
#include "select/edges.hpp"

namespace rondo::communicator {

/// What one exchange at a time uses of a neighbourhood.
struct EdgeRoom {
  PeerBlocks peers;
  exchange::Pattern pattern;
  buffers::EdgeBinding binding{};
};

class Neighbourhood {
 public:
  /// Collective. Reads the topology of `comm`, and agrees whether it is ambiguous at any rank. Throws an
  /// error of class MPI_ERR_TOPOLOGY on all ranks if there is none.
  explicit Neighbourhood(MPI_Comm comm);

  const Topology& topology() const { return topology_; }

  /// Collective at the first call; the state must be prepared. Throws an error of class
  /// MPI_ERR_TOPOLOGY on all ranks if one rank has an edge that the rank at its other end does not have.
  void prepare(State& state);

  /// These may be used once it is prepared.
  PeerBlocks& blocks() { return *blocks_; }
  exchange::Pattern& pattern() { return *pattern_; }

  /// Collective. Returns what a call runs. Under `auto` the ranks agree on the longest block of the first
  /// call and of the calls 64, 128, 256, ... after it, and then decide. `longest` returns the longest of
  /// this rank's blocks, or 0 if they are not known.
  template <class Longest>
  const choice::Choice& choose(State& state, Longest&& longest) {
    return choose_by(state, std::ref(longest));  // std::function would allocate for captures
  }

  /// Returns what a started exchange runs: what was requested, or what the last call decided. Returns null
  /// if there is nothing of it yet, or if it is the MPI library's. The same on all ranks.
  const choice::Choice* choice_for_start(State& state);

  /// The room of a channel of started exchanges. It may be used once choice_for_start() has returned a
  /// choice.
  EdgeRoom& room(std::size_t channel);

  /// Collective unless that was done before. Makes what `choice` needs of the pattern, so that started
  /// exchanges can run it.
  void prepare_start(exchange::Context& context, const choice::Choice& choice);

  /// Collective. Decides for blocks of up to `longest` bytes, the same on all ranks.
  choice::Choice decide(State& state, std::size_t longest);

  buffers::EdgeBinding binding;  ///< of the call in progress

 private:
  void compare_edges(const exchange::Context& context) const;
  select::EdgeLoad load(exchange::Context& context);
  bool is_due();
  const choice::Choice& choose_by(State& state, const std::function<std::size_t()>& longest);

  Topology topology_;
  std::unique_ptr<PeerBlocks> blocks_;
  std::optional<exchange::Pattern> pattern_;
  std::uint64_t calls_ = 0;  ///< under `auto`
  choice::Choice chosen_;
  choice::Choice
      fallback_;  ///< of started exchanges where edges match differently in MPI libraries
  std::deque<std::optional<EdgeRoom>> rooms_;  ///< by channel; references stay valid
};

/// Collective the first time that a choice needs shared memory. Returns `choice`, or spread_out if there
/// is no shared memory.
choice::Choice usable_on_edges(exchange::Context& context, const choice::Choice& choice);

/// One neighbourhood exchange to run, as communicator::Task.
struct EdgeTask {
  State& state;
  exchange::Context& context;  ///< in which the exchange runs
  PeerBlocks& peers;
  exchange::Pattern& pattern;
  const choice::Choice& choice;
  const buffers::Binding& binding;
  const void* send_buffer;
  void* receive_buffer;
  std::optional<Error>& failure;
  exchange::Learned* learned = nullptr;  ///< set for a plan
};

/// Collective. Runs the exchange.
void execute_on_edges(const EdgeTask& task);

/// Collective. If any rank has a `failure`, or if two ranks disagree on the length of a block, all ranks
/// throw. See agree_on_lengths().
void agree_on_edges(exchange::Context& context, const PeerBlocks& blocks,
                    std::optional<Error> failure, const buffers::Binding& binding);

}  // namespace rondo::communicator
