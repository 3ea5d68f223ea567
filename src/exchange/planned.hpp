// What the executions of a plan run: at first what was chosen when it was made, and then what they learn.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "communicator/state.hpp"
#include "communicator/turns.hpp"

namespace rondo::exchange {

/// The two buffers of an execution of a plan.
struct BufferPair {
  const void* send;
  void* receive;
};

/// How many ranks this one sends to and receives from.
struct Partners {
  int to;
  int from;
};

/// An algorithm, and what a plan has learned from executions by it.
struct PlannedChoice {
  choice::Choice choice;
  engines::Learned learned;

  /// What was learned by one algorithm says nothing of another.
  void change_to(const choice::Choice& other) {
    if (!(choice == other)) *this = {.choice = other, .learned = {}};
  }
};

/// When the executions of a plan begin to learn.
struct Beginning {
  std::uint64_t executions;      ///< before that
  std::uint64_t counted_before;  ///< what the learner counts as made before
};

inline constexpr Beginning kLearnsNothing{communicator::Turns::kNoEnd, 0};

/// Who makes a plan will execute it many times, so trying begins early.
inline constexpr Beginning kLearns{16, select::Learning::kFirstUnseen};

/// Who asks a plan to measure will execute it so often that trying everything at once pays off.
inline constexpr Beginning kMeasures{0, 16000};

class Planned {
 public:
  /// Until begin(), if there is one, it learns nothing.
  Planned() { begin({}, kLearnsNothing); }

  const PlannedChoice& best() const {
    return by_choice_[has_learner() ? turns_.learner()->rule().best() : 0];
  }

  void begin(const choice::Choice& choice, const Beginning& beginning) {
    by_choice_.front().choice = choice;
    turns_.begin(choice, beginning.executions);
    counted_before_ = beginning.counted_before;
  }

  /// Whether the next execution must begin a turn. If not, it runs next().
  bool is_turn_over() const { return turns_.is_over(); }
  PlannedChoice& next() {
    turns_.next();
    return by_choice_[turns_.place()];
  }

  bool has_learner() const { return turns_.learner() != nullptr; }

  /// Collective. `choices` is collective, too, and returns what is worth trying, best()
  /// first.
  void make_learner(communicator::State& state,
                    const std::function<std::vector<choice::Choice>()>& choices);

  /// Collective. Returns what times the next execution; null if it is not timed. `longest` is for RONDO_VERBOSE.
  communicator::Learner* begin_turn(communicator::State& state, std::size_t longest);

  /// Whether the ranks must tell each other of failures before the next execution: what is tried does not report the
  /// failure of one rank to the others, while what runs otherwise does. The ranks do so before all executions of a
  /// trial, because those that are timed begin together then.
  bool must_check_together() const;

  /// See Learner::at_cost(). There must be a learner.
  template <class Part>
  void at_cost_of_trial(Part&& part) {
    turns_.learner()->at_cost(part);
  }

  /// Collective. It is not used any more.
  void end(const communicator::State& state) {
    turns_.end(state.life() == communicator::Life::given_up);
  }

 private:
  std::vector<PlannedChoice> by_choice_ = std::vector<PlannedChoice>(1);
  std::uint64_t counted_before_ = 0;
  communicator::Turns turns_;  ///< the state ends its learner in MPI_Finalize
};

}  // namespace rondo::exchange
