// What `auto` runs in sparse exchanges on one communicator: what the layout decides, and then what is learned.
#pragma once

#include <cstdint>
#include <optional>

#include "communicator/turns.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

class AutomaticSparse {
 public:
  AutomaticSparse(engines::Context& context, const registry::Settings& settings)
      : context_(context), settings_(settings) {}

  /// From now on it learns from the exchanges that run what choose() returns. There were `calls_before` on the
  /// communicator.
  void begin_learning(std::uint64_t calls_before);

  /// Collective the first time. What the layout decides.
  const choice::Choice& first();

  /// What the next exchange runs. All ranks must call this for every exchange under `auto`. Collective the first time
  /// and from time to time. The choice lives as long as this.
  const choice::Choice& choose() {
    if (turns_.is_over()) begin_turn();
    return turns_.next();
  }

  /// As in Auto.
  Learner* take_timed() { return timed_.take(); }
  void end_learning(bool is_given_up) { turns_.end(is_given_up); }

  /// Local. Null before anything was learned.
  const Learner* learner() const { return turns_.learner().get(); }

 private:
  void begin_turn();

  engines::Context& context_;
  const registry::Settings& settings_;
  std::optional<choice::Choice> first_;
  std::uint64_t first_calls_ = Turns::kNoEnd;  ///< by what the layout decides
  std::uint64_t counted_before_ = 0;           ///< what the learner counts as made before
  Turns turns_;
  TimedTurn timed_;
};

}  // namespace rondo::communicator
