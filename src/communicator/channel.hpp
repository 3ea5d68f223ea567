// What one exchange at a time uses of a communicator, and the channels of all that go on at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "buffers/binding.hpp"
#include "buffers/form.hpp"
#include "choice/choice.hpp"
#include "communicator/auto.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"
#include "transport/outstanding.hpp"

namespace rondo::communicator {

/// The algorithm that the user requested; nothing means `auto`.
using ChoiceOrAuto = std::optional<choice::OpenChoice>;
using ChoicesOrAuto = std::array<ChoiceOrAuto, buffers::kFormNames.size()>;  ///< by form

/// A private context, what `auto` knows from earlier exchanges in it, and what the exchange in progress
/// binds. Calls use one channel of the state, and nonblocking exchanges a ring of others. All that is here may
/// be used by the exchange in progress only, in whichever thread it goes on.
class Channel {
 public:
  bool has_context() const { return context_ != nullptr; }
  int ranks() const { return context_->ranks; }
  engines::Context& context() const { return *context_; }

  /// Makes everything that needs no other rank.
  void begin(std::unique_ptr<engines::Context> context, const registry::Settings& settings) {
    context_ = std::move(context);
    auto_.emplace(*context_, settings);
  }

  /// Takes that back.
  void end() {
    auto_.reset();
    context_.reset();
  }

  /// Among those of nonblocking exchanges; first those of the ring, and then those of persistent requests.
  std::size_t number = 0;

  /// Collective. Makes the rest of it, which calls leave to the first exchange that needs it.
  /// Afterwards nothing in choosing is collective.
  void prepare(const ChoicesOrAuto& choices);
  bool is_prepared() const { return is_prepared_; }

  /// The same for a channel that runs only what usable() has returned, collectively.
  void set_prepared() { is_prepared_ = true; }

  /// Collective in the state's own channel, and local in a prepared one.
  void resolve(buffers::Form form, const ChoiceOrAuto& request) {
    auto& resolved = resolved_[index(form)];
    resolved.reset();
    if (request) resolved = usable(choice::resolve(*request, context_->layout()), 0);
  }
  void set_resolved(buffers::Form form, std::optional<choice::Choice> choice) {
    resolved_[index(form)] = std::move(choice);
  }

  /// Returns the algorithm and parameters of an exchange. `block_bytes` is the length of its blocks if
  /// they all have one. Collective under `auto` until it is prepared, local otherwise.
  const choice::Choice& choose(buffers::Form form, std::optional<std::size_t> block_bytes) {
    const auto& resolved = resolved_[index(form)];
    return resolved ? *resolved : auto_->choose(kind_of(form), block_bytes);
  }

  /// As choose(Form::alltoallv, ...), for an exchange in which the receivers do not know the lengths.
  const choice::Choice& choose_dynamic() {
    const auto& resolved = resolved_[index(buffers::Form::alltoallv)];
    return resolved ? *resolved : auto_->choose(Kind::dynamic, std::nullopt);
  }

  /// See Auto.
  const choice::Choice& choose_for_plan(buffers::Form form, std::size_t block_bytes) {
    const auto& resolved = resolved_[index(form)];
    return resolved ? *resolved : auto_->choose_for_plan(kind_of(form), block_bytes);
  }
  const choice::Choice* learned(buffers::Form form, std::size_t block_bytes) const {
    return auto_->learned(kind_of(form), block_bytes);
  }
  const Auto& automatic() const { return *auto_; }
  Learner* take_timed() { return auto_->take_timed(); }
  void begin_learning(std::uint64_t calls_before, std::int64_t library_time) {
    auto_->begin_learning(calls_before, library_time);
  }
  void end_learning(bool is_given_up) { auto_->end_learning(is_given_up); }

  /// Returns what the user requested for `form`, resolved for this communicator; null under `auto`.
  const choice::Choice* requested(buffers::Form form) const {
    const auto& resolved = resolved_[index(form)];
    return resolved ? &*resolved : nullptr;
  }

  /// Returns `choice`, or a replacement if it needs shared memory and there is none: what `auto` runs, or spread_out
  /// along edges. Collective the first time that a choice needs shared memory, unless it is prepared.
  const choice::Choice& usable(const choice::Choice& choice, std::size_t block_bytes);

  /// As choose(), for a nonblocking exchange, whose turn may come after its start. The library cannot carry it
  /// out then: collective calls on the program's communicator must keep their order. So the ranks send their
  /// blocks as it does.
  const choice::Choice& instead_of_library(const choice::Choice& choice) {
    return choice.algorithm->is_library() ? spread_out(choice.algorithm->collective) : choice;
  }

  /// What can always run, on any communicator.
  const choice::Choice& spread_out(registry::Collective collective);

  buffers::Binding binding;  ///< of the exchange in progress, if it is the only one

  /// The last exchange that was started in it. Those before it are over when it is.
  std::shared_ptr<transport::Started> started{};

  // How many exchanges were started in it, and how many have begun.
  std::uint64_t starts = 0;
  std::uint64_t begun = 0;

  /// Whether the next exchange that is started in it begins at once, and packs what it sends.
  bool is_idle() const { return (!started || started->is_over()) && is_prepared_; }

  /// Waits for the exchanges in it.
  void complete() {
    if (started) started->complete();
    started.reset();
  }

 private:
  static std::size_t index(buffers::Form form) { return static_cast<std::size_t>(form); }
  static Kind kind_of(buffers::Form form) {
    return form == buffers::Form::alltoall    ? Kind::alltoall
           : form == buffers::Form::alltoallw ? Kind::alltoallw
                                              : Kind::alltoallv;
  }

  std::unique_ptr<engines::Context> context_;
  std::optional<Auto> auto_;
  std::array<std::optional<choice::Choice>, buffers::kFormNames.size()> resolved_;
  std::array<std::optional<choice::Choice>, buffers::kFormNames.size()>
      spread_out_;  ///< by collective
  bool is_prepared_ = false;
};

/// The channels of what is started: a ring, which exchanges use in turn, and one for each persistent request. Only
/// one thread at a time starts exchanges; any thread may return the channel of a persistent request.
class Channels {
 public:
  /// Of calls. Both must outlive this.
  Channels(const engines::Context& own, const registry::Settings& settings)
      : own_(own), settings_(settings) {}

  /// The channel of the next nonblocking exchange. All ranks start exchanges in the same order, so it is the same on
  /// all.
  Channel& next();
  std::size_t in_ring() const { return ring_.size(); }

  /// Collective. Makes a channel for one persistent request, whose longest block has `longest` bytes: the ranks may
  /// start such requests in different orders, so two of them cannot share one. Returns null on all ranks if no number
  /// is free on all of them.
  std::unique_ptr<Channel> take(std::size_t longest);

  /// Local. Frees it when the exchanges of its request are over here, though they may not be so on other ranks.
  void give_back(std::unique_ptr<Channel> channel);

  /// Waits for the exchanges in the ring.
  void complete();

  /// As Channel::resolve(), for those of the ring that are prepared.
  void resolve(buffers::Form form, const ChoiceOrAuto& request);

  /// Whether no exchange is in progress and no persistent request can start another.
  bool are_over() const;

  /// See note_last_exchange().
  void note_last_exchanges() const;

 private:
  std::unique_ptr<Channel> make(std::size_t number, const engines::Limits& limits,
                                const transport::Tags& tags) const;

  const engines::Context& own_;
  const registry::Settings& settings_;
  std::vector<std::unique_ptr<Channel>> ring_;  ///< RONDO_REQUESTS, once an exchange is started
  std::size_t starts_ = 0;
  std::atomic<std::uint64_t> taken_ = 0;  ///< by persistent requests
};

}  // namespace rondo::communicator
