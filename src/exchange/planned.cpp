#include "exchange/planned.hpp"

#include "mpi/transport.hpp"

namespace rondo::exchange {

using choice::Choice;
using communicator::Learner;

namespace {

/// Whether a rank's failure is an error on all ranks if this runs.
bool reports_failures(const Choice& choice) {
  return !choice.algorithm->is_library() &&
         choice.algorithm->errors == registry::Errors::everywhere;
}

}  // namespace

/// The exchange number is a seed that all ranks share.
void Planned::make_learner(communicator::State& state,
                           const std::function<std::vector<Choice>()>& choices) {
  const engines::Context& context = state.context();
  std::vector<Choice> found = choices();
  by_choice_.resize(found.size());
  for (std::size_t i = 1; i < found.size(); ++i) by_choice_[i].choice = found[i];
  const auto learner =
      std::make_shared<Learner>(mpi::comm_of(context.transport()), std::move(found),
                                context.last_exchange(), counted_before_);
  state.end_with(learner);
  turns_.learn_by(learner);
}

/// If MPI fails, the other ranks may have learned what this one has not.
Learner* Planned::begin_turn(communicator::State& state, std::size_t longest) {
  try {
    return turns_.begin_learned(state.context(), state.settings(), longest);
  } catch (...) {
    state.abandon(state.own().context());
    throw;
  }
}

/// The last execution of a trial comes when the trial is over already, as do those of the incumbent that follow.
bool Planned::must_check_together() const {
  const Learner& learner = *turns_.learner();
  const bool is_trial =
      !learner.rule().is_trial_over() || !reports_failures(by_choice_[turns_.place()].choice);
  return is_trial && reports_failures(learner.best()) && !reports_failures(learner.challenger());
}

}  // namespace rondo::exchange
