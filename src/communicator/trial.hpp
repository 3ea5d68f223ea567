// The first executions of a plan that was asked to measure: by a few algorithms in turn, until all
// ranks know alike which is the fastest here.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "communicator/state.hpp"
#include "select/trials.hpp"

namespace rondo::communicator {

/// An algorithm, and what a plan remembers of its executions by it.
struct Candidate {
  choice::Choice choice;
  exchange::Learned learned;
};

class Trial {
 public:
  /// Collective; all ranks return or all throw. `own` is what `auto` runs for blocks of up to S =
  /// `longest` bytes. The state must outlive it.
  static std::unique_ptr<Trial> make(State& state, const choice::Choice& own, std::size_t longest);

  bool is_over() const { return trials_.are_over(); }

  /// Collective. One more execution, which exchange(candidate) carries out, unless some rank has a
  /// `failure`: then all throw, whether or not the algorithm could tell them. It counts on all ranks
  /// alike, whatever becomes of it. They agree on that first, so they also begin together: what one
  /// rank takes is then not what it waits for ranks that come late.
  template <class Exchange>
  void run(const std::optional<Error>& failure, Exchange&& exchange) {
    Candidate& candidate = candidates_[trials_.next()];
    meet(failure);
    const auto begin = Clock::now();
    exchange(candidate);
    trials_.record(std::chrono::duration<double>(Clock::now() - begin).count());
  }

  /// Collective, once it is over. The fastest candidate, with what it has learned. Where MPI fails the
  /// state is not used again, since the other ranks know the winner then and this one does not.
  Candidate settle();

  /// "auto is still measuring: NAME, NAME".
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;

  Trial(State& state, const std::string& names, const choice::Choice& own, std::size_t longest);

  void meet(const std::optional<Error>& failure);
  void say(std::size_t winner) const;

  State& state_;
  std::size_t longest_;
  std::vector<Candidate> candidates_;
  select::Trials trials_;
};

}  // namespace rondo::communicator
