// What Rondo keeps of a communicator.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>

#include "buffers/binding.hpp"
#include "buffers/form.hpp"
#include "choice/choice.hpp"
#include "communicator/auto.hpp"
#include "communicator/deferral.hpp"
#include "exchange/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// Throws Error(argument) unless `name` is one of kFormNames.
buffers::Form parse_form(const char* name);

/// An algorithm that somebody asked for; nothing means auto.
using Wanted = std::optional<choice::Request>;

/// Parse the text of an algorithm; null, "" and "auto" are auto.
Wanted parse_wanted(buffers::Form form, const char* text);

/// One per communicator, cached as its attribute; a plan shares it. At first it only counts calls;
/// the private side is made when it is needed.
class State {
 public:
  State(MPI_Comm comm, registry::Settings settings);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const registry::Settings& settings() const { return settings_; }
  int rank() const { return rank_; }

  /// From 1, in the order in which this process has met its communicators; no number comes twice.
  std::size_t number() const { return number_; }
  int ranks() const { return ranks_; }

  /// Whether nobody has tried to set up yet.
  bool is_untried() const { return !context_ && !has_failed_; }

  /// Run a call of `form` before set-up: auto leaves the first ones to the MPI library, by `forward`,
  /// since a communicator must be used often enough to pay for setting up. Collective: sets up
  /// otherwise, and runs `exchange`.
  template <class Forward, class Exchange>
  int start(buffers::Form form, Forward&& forward, Exchange&& exchange) {
    if (is_deferred(form)) return deferral_.timed(forward);
    return Deferral::timed_set_up(ranks_, [&] {
      prepare();
      return exchange();
    });
  }

  /// Whether every call is the MPI library's, since set-up failed or MPI packs otherwise than we do.
  bool leaves_to_library() {
    last_choice_ = nullptr;
    return has_failed_ || !packs_raw_;
  }

  /// Collective. Make the private side if there is none. Where that fails on any rank, there is none
  /// on all, after one warning, and every exchange on the communicator is the MPI library's.
  void prepare();

  /// Whether MPI packs raw bytes on all ranks; if not, everything is left to the library.
  bool packs_raw() const { return packs_raw_; }

  bool is_prepared() const { return context_ != nullptr; }

  /// Whether MPI_Finalize has begun: what is still exchanged is the MPI library's.
  bool is_closed() const { return is_closed_; }

  /// The private side. Throws Error(other) if there is none, if an earlier exchange broke off, or
  /// after MPI_Finalize has begun.
  exchange::Context& context() {
    if (is_closed_ || is_broken_ || !context_) throw_unusable();
    return *context_;
  }

  /// The private side, for another exchange: to be called by all ranks for every one.
  exchange::Context& begin_exchange() {
    context().begin_exchange();
    return *context_;
  }

  /// Collective once the state is prepared.
  void set_wanted(buffers::Form form, Wanted wanted);
  const Wanted& wanted(buffers::Form form) const { return wanted_[index(form)]; }

  /// The algorithm and parameters of a call, whose blocks have that length if they all have one.
  /// Collective under `auto`, local otherwise.
  const choice::Choice& choose(buffers::Form form, std::optional<std::size_t> block_bytes);

  /// As choose(Form::alltoall, ...), on a rank that does not know the length of the blocks.
  Auto::Blind choose_blindly();

  /// What the last call ran; null if it was left to the MPI library without a choice.
  const choice::Choice* last_choice() const { return last_choice_; }

  /// `choice`, or what serves in its place where it needs shared memory and there is none.
  /// Collective the first time that it needs some.
  const choice::Choice& usable(const choice::Choice& choice, std::size_t block_bytes) {
    return auto_->usable(choice, block_bytes);
  }

  /// The communicator that errors are raised on: the user's, or the private one once that is freed.
  MPI_Comm error_comm() const;

  /// The communicator that the MPI library exchanges on for a plan: the private one, which outlives
  /// the user's, as long as it is there. Throws Error(other) where neither is.
  MPI_Comm library_comm();

  /// Whether prepare() has failed.
  bool has_failed() const { return has_failed_; }
  void forget_comm() { comm_ = MPI_COMM_NULL; }

  /// Free the private communicator, at the latest in MPI_Finalize; but not after a failure of MPI,
  /// since messages that are still on their way would reach the next one in its place.
  void close();

  /// An exchange broke off: give up its messages. The private side is not used again, since other
  /// ranks may still be in that exchange.
  void abandon();

  buffers::Binding binding;  ///< of the call in progress

 private:
  [[noreturn]] void throw_unusable() const;
  bool is_deferred(buffers::Form form);
  static std::size_t index(buffers::Form form) { return static_cast<std::size_t>(form); }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::size_t number_;
  registry::Settings settings_;
  Deferral deferral_;
  std::array<Wanted, 3> wanted_;
  std::array<std::optional<choice::Choice>, 3> resolved_;  ///< of wanted_, once prepared
  const choice::Choice* last_choice_ = nullptr;
  std::unique_ptr<exchange::Context> context_;
  std::optional<Auto> auto_;  ///< of context_
  bool packs_raw_ = true;
  bool has_failed_ = false;
  bool is_closed_ = false;
  bool is_broken_ = false;
};

}  // namespace rondo::communicator
