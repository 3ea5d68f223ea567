#include "communicator/turns.hpp"

#include <cstdio>

#include "base/error.hpp"

namespace rondo::communicator {

Learner* Turns::begin_learned(const engines::Context& context, const registry::Settings& settings,
                              std::optional<std::size_t> block_bytes) {
  const Learner::Turn turn = learner_->next();
  if (turn.has_learned) print_learned(context, settings, block_bytes, *learner_);
  place_ = static_cast<std::size_t>(&turn.choice - learner_->choices().data());
  begin(turn.choice, turn.calls);
  return turn.is_timed ? learner_.get() : nullptr;
}

void print_choice(registry::Collective collective, const choice::Layout& layout,
                  std::optional<std::size_t> block_bytes, const std::string& name,
                  const std::string& reason) {
  const auto counted = [](int count, const char* what) {
    return text(count, " ", what, count == 1 ? "" : "s");
  };
  const std::string place =
      text(registry::to_string(collective), " on ", counted(layout.ranks, "rank"), ", ",
           counted(layout.real_nodes(), "node"));
  const std::string length = block_bytes ? text(", S = ", *block_bytes) : std::string();
  std::fprintf(stderr, "rondo: %s%s: %s; %s\n", place.c_str(), length.c_str(), name.c_str(),
               reason.c_str());
}

void print_learned(const engines::Context& context, const registry::Settings& settings,
                   std::optional<std::size_t> block_bytes, const Learner& learner) {
  if (settings.verbose == 0 || context.rank != 0) return;
  failure_of([&] {
    const choice::Choice& best = learner.best();
    print_choice(best.algorithm->collective, context.layout(), block_bytes, best.text(),
                 learner.reason());
  });
}

}  // namespace rondo::communicator
