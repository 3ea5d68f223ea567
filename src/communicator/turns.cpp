#include "communicator/turns.hpp"

#include "communicator/verbose.hpp"

namespace rondo::communicator {

Learner* Turns::begin_learned(const engines::Context& context, const registry::Settings& settings,
                              std::optional<std::size_t> block_bytes) {
  const Learner::Turn turn = learner_->next();
  if (turn.has_learned) print_learned(context, settings, block_bytes, *learner_);
  place_ = static_cast<std::size_t>(&turn.choice - learner_->choices().data());
  begin(turn.choice, turn.calls);
  return turn.is_timed ? learner_.get() : nullptr;
}

}  // namespace rondo::communicator
