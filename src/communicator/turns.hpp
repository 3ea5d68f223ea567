// Hands out exchanges of one kind in turns: runs of one choice, after each of which the learner may try another of
// those that are worth trying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choice/choice.hpp"
#include "communicator/learner.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// The same on all ranks.
class Turns {
 public:
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

  /// Whether there was a turn at all.
  bool have_begun() const { return have_begun_; }

  /// Whether the next exchange must begin a turn.
  bool is_over() const { return left_ == 0; }

  /// What the turn runs.
  const choice::Choice& choice() const { return choice_; }

  /// The place of that among the learner's choices; 0 before there is a learner.
  std::size_t place() const { return place_; }

  /// Counts an exchange of the turn, and returns what it runs.
  const choice::Choice& next() {
    --left_;
    return choice_;
  }

  /// Begins a turn of what was decided without any measurement.
  void begin(const choice::Choice& choice, std::uint64_t exchanges) {
    have_begun_ = true;
    choice_ = choice;
    left_ = exchanges;
  }

  /// From now on the learner decides, at the end of each turn.
  void learn_by(std::shared_ptr<Learner> learner) { learner_ = std::move(learner); }

  /// Collective from time to time. Begins the learner's next turn. Returns what times its exchange; null if it is not
  /// timed. `block_bytes` is for RONDO_VERBOSE.
  Learner* begin_learned(const engines::Context& context, const registry::Settings& settings,
                         std::optional<std::size_t> block_bytes);

  /// Null before anything was learned.
  const std::shared_ptr<Learner>& learner() const { return learner_; }

  /// What runs when nothing is tried.
  const choice::Choice& best() const { return learner_ ? learner_->best() : choice_; }

  /// See Learner::end().
  void end(bool is_given_up) {
    if (learner_) learner_->end(is_given_up);
  }

 private:
  choice::Choice choice_{};
  std::uint64_t left_ = 0;
  std::size_t place_ = 0;
  bool have_begun_ = false;
  std::shared_ptr<Learner> learner_;
};

/// Whether ranks of a node share memory. Collective the first time, if any could.
bool can_share_memory(engines::Context& context);

/// Collective. Returns what is worth measuring for blocks of up to `longest` bytes, `own` first. `may_forward`, the
/// same on all ranks, is that of select::Place; besides, the library must know the devices whose memory ranks may
/// use. Rank 0 predicts, since profiles differ between nodes, and the last digits of predictions may.
std::vector<choice::Choice> worth_trying(engines::Context& context,
                                         const registry::Settings& settings,
                                         const choice::Choice& own, std::size_t longest,
                                         bool may_forward = true);

// What rank 0 prints with RONDO_VERBOSE=1.

/// Prints a choice, for blocks of up to `block_bytes` bytes if it depends on the length.
void print_choice(registry::Collective collective, const choice::Layout& layout,
                  std::optional<std::size_t> block_bytes, const std::string& name,
                  const std::string& reason);

/// Prints what the learner has learned last, if that is requested. Prints nothing if there is no memory for the text:
/// the other ranks go on.
void print_learned(const engines::Context& context, const registry::Settings& settings,
                   std::optional<std::size_t> block_bytes, const Learner& learner);

}  // namespace rondo::communicator
