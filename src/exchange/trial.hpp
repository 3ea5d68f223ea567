// The first executions of a plan that measures. A few algorithms take turns until the ranks agree
// which of them is the fastest.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "communicator/state.hpp"
#include "select/trials.hpp"

namespace rondo::exchange {

/// An algorithm, and what a plan has learned from executions by it.
struct PlannedChoice {
  choice::Choice choice;
  engines::Learned learned;

  /// What was learned by one algorithm says nothing of another.
  void change_to(const choice::Choice& other) {
    if (!(choice == other)) *this = {.choice = other, .learned = {}};
  }
};

class Trial {
 public:
  /// Collective. All ranks return or all throw. `own` is what `auto` runs for blocks of up to S =
  /// `longest` bytes. The state must outlive the trial.
  static std::unique_ptr<Trial> make(communicator::State& state, const choice::Choice& own,
                                     std::size_t longest);

  bool is_over() const { return trials_.are_over(); }

  /// Collective. Runs one more execution by exchange(planned). If any rank has a `failure`, all
  /// ranks throw instead, whether or not the algorithm reports errors. The execution counts on all
  /// ranks in either case. The ranks agree on failures first. Thus they begin together, and a
  /// rank's time does not include its wait for ranks that come late.
  template <class Exchange>
  void run(const std::optional<Error>& failure, Exchange&& exchange) {
    PlannedChoice& planned = choices_[trials_.next()];
    begin_together(failure);
    const auto begin = Clock::now();
    exchange(planned);
    trials_.record(std::chrono::duration<double>(Clock::now() - begin).count());
  }

  /// Collective; call it once is_over(). Returns the fastest choice with what it has learned. If
  /// MPI fails, the state is not used again, since the other ranks may know the winner while this
  /// one does not.
  PlannedChoice settle();

  /// Returns "auto is still measuring: NAME, NAME".
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;

  Trial(communicator::State& state, const std::string& names, const choice::Choice& own,
        std::size_t longest);

  void begin_together(const std::optional<Error>& failure);
  void print_result(std::size_t winner) const;

  communicator::State& state_;
  std::size_t longest_;
  std::vector<PlannedChoice> choices_;
  select::Trials trials_;
};

}  // namespace rondo::exchange
