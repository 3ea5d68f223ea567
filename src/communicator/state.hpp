// The state that Rondo keeps for a communicator.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "buffers/form.hpp"
#include "buffers/kept.hpp"
#include "buffers/sources.hpp"
#include "choice/choice.hpp"
#include "communicator/automatic_sparse.hpp"
#include "communicator/channel.hpp"
#include "communicator/deferral.hpp"
#include "communicator/last_choice.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

class Neighbourhood;

/// Parses the text of a request. Null, "" and "auto" mean `auto`.
ChoiceOrAuto parse_choice(buffers::Form form, const char* text);

/// One per communicator, cached as its attribute and shared by plans. At first it only counts
/// calls; the private context is made when it is needed.
class State : public std::enable_shared_from_this<State> {
 public:
  explicit State(MPI_Comm comm);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Must be called once, before anything else. Throws Error(argument) if a setting names no algorithm.
  void begin(registry::Settings settings);

  const registry::Settings& settings() const { return settings_; }
  int rank() const { return rank_; }

  /// Returns this state's number: 1, 2, ... in the order in which this process first used its
  /// communicators. Each number is used once.
  std::size_t number() const { return number_; }
  int ranks() const { return ranks_; }

  /// Whether set-up has not been tried yet.
  bool awaits_set_up() const { return !own_.has_context() && !has_failed_; }

  /// Collective. Runs a call of `form` before set-up. `auto` runs `forward` for the first calls,
  /// since a communicator must be used often enough to pay for set-up. Otherwise this sets up and
  /// runs `exchange`.
  template <class Forward, class Exchange>
  int start(buffers::Form form, Forward&& forward, Exchange&& exchange) {
    if (is_broken_) throw_unusable();
    if (is_deferred(form)) return deferral_.timed(forward);
    return Deferral::timed_set_up(ranks_, [&] {
      prepare();
      return exchange();
    });
  }

  /// Begins a call. Returns whether it must be forwarded, because set-up failed or MPI_Pack does
  /// not write raw bytes.
  bool must_forward() {
    last_choice_.forget();
    const bool must = has_failed_ || !packs_raw_;
    if (must && is_broken_) throw_unusable();
    return must;
  }

  /// Collective. Sets up, unless that was tried before. If set-up fails on any rank, it fails on
  /// all ranks with one warning, and every exchange on the communicator is forwarded.
  void prepare();

  /// Whether MPI_Pack writes raw bytes on all ranks. If not, every exchange is forwarded.
  bool packs_raw() const { return packs_raw_; }

  bool is_prepared() const { return own_.has_context(); }

  /// Whether `auto` measures while the program runs. The same on all ranks.
  bool learns() const { return settings_.learn != "0" && ranks_ > 1; }

  /// Whether started exchanges can go on in any call of MPI, on all ranks; see progress_hook.hpp.
  bool can_have_progress_hook() const { return can_have_progress_hook_; }

  /// Whether MPI_Finalize has begun. Later exchanges are forwarded.
  bool is_closed() const { return is_closed_; }

  /// Returns the private context. Throws Error(other) if there is none, if an error interrupted an
  /// earlier exchange, or after MPI_Finalize has begun.
  engines::Context& context() {
    if (is_closed_ || is_broken_.load(std::memory_order_relaxed) || !own_.has_context())
      throw_unusable();
    return own_.context();
  }

  /// Begins an exchange and returns the private context. All ranks must call this for every
  /// exchange.
  engines::Context& begin_exchange() {
    engines::Context& own = context();
    own.begin_exchange();
    return own;
  }

  /// The channel of calls, and what the call in progress binds.
  Channel& own() { return own_; }
  buffers::Binding& binding() { return own_.binding; }

  /// Returns the channel of the next started exchange. All ranks start exchanges in the same order, so it
  /// is the same on all. Throws as context() does.
  Channel& next_channel();
  std::size_t channels() const { return ring_.size(); }

  /// Collective. Makes a channel for one persistent request, whose longest block has `longest` bytes: the ranks may
  /// start such requests in different orders, so two of them cannot share one. Returns null on all ranks if no number
  /// is free on all of them. Throws as context() does.
  std::unique_ptr<Channel> take_channel(std::size_t longest);

  /// Local. Frees it when the exchanges of its request are over here, though they may not be so on other ranks.
  void give_back(std::unique_ptr<Channel> channel);

  /// Starts `exchange` in a channel: it runs in a fiber, when those before it in the channel have ended, as
  /// the only one there. Never waits. `when_over` is that of mpi::Started::start().
  template <class Exchange>
  std::shared_ptr<mpi::Started> start_in(Channel& channel, Exchange&& exchange,
                                         mpi::Started::WhenOver when_over = nullptr) {
    mpi::begin_progress(!settings_.progress.empty());
    return mpi::Started::start(
        channel.started,
        [self = shared_from_this(), &channel, number = channel.starts++,
         exchange = std::forward<Exchange>(exchange)]() mutable {
          self->begin_turn(channel, number);
          exchange();
        },
        std::move(when_over));
  }

  /// Collective once the state is prepared.
  void set_choice(buffers::Form form, ChoiceOrAuto choice);
  const ChoiceOrAuto& choice_or_auto(buffers::Form form) const { return choices_[index(form)]; }

  /// Returns the algorithm and parameters of a call. `block_bytes` is the length of its blocks if
  /// they all have one. Collective under `auto`, local otherwise.
  const choice::Choice& choose(buffers::Form form, std::optional<std::size_t> block_bytes) {
    const choice::Choice& choice = own_.choose(form, block_bytes);
    note_choice(choice);
    return choice;
  }

  /// As choose(Form::alltoallv, ...), for an exchange in which the receivers do not know the lengths.
  const choice::Choice& choose_dynamic() {
    const choice::Choice& choice = own_.choose_dynamic();
    note_choice(choice);
    return choice;
  }

  /// Returns the algorithm of the alltoall in which the lengths of a dynamic exchange go first. What
  /// was chosen for the exchange itself remains the last choice.
  choice::Choice choose_for_lengths(Channel& channel);

  /// Returns the algorithm of a sparse exchange. Collective under `auto`, local otherwise.
  const choice::Choice& choose_sparse();

  /// What times the sparse exchange for which choose_sparse() was called last; null if it is not timed.
  Learner* take_timed_sparse() { return automatic_sparse_->take_timed(); }

  /// Local. What sparse exchanges have learned; null before they have learned anything. The state must be prepared.
  const Learner* sparse_learner() const { return automatic_sparse_->learner(); }

  /// Returns what the user requested for `form`, resolved for this communicator; null under `auto`.
  const choice::Choice* requested(buffers::Form form) const { return own_.requested(form); }

  /// Notes what the exchange in progress runs, if choose() has not chosen it. A started exchange does so in any
  /// thread.
  void note_choice(const choice::Choice& choice) { last_choice_.note(choice); }

  /// Returns what the last call ran, or nothing if it was forwarded without a choice.
  std::optional<choice::Choice> last_choice() const { return last_choice_.get(); }

  /// Whether the user requests the MPI library for `form`.
  bool leaves_to_library(buffers::Form form) const {
    const ChoiceOrAuto& asked = choice_or_auto(form);
    return asked && asked->algorithm->shape == registry::Shape::library;
  }

  /// Returns `choice`, or a replacement if it needs shared memory and there is none. Collective the
  /// first time that a choice needs shared memory.
  const choice::Choice& usable(const choice::Choice& choice, std::size_t block_bytes) {
    return own_.usable(choice, block_bytes);
  }

  /// Returns the communicator on which errors are raised: the user's, or the private one once the
  /// user's is freed.
  MPI_Comm error_comm() const;

  /// Returns the communicator on which a plan's exchange is forwarded: the private one while it
  /// exists, since it outlives the user's, else the user's. Throws Error(other) if neither exists.
  MPI_Comm forwarding_comm();

  /// Returns the user's communicator, or MPI_COMM_NULL once it is freed.
  MPI_Comm user_comm() const { return comm_; }

  /// Whether prepare() has failed.
  bool has_failed() const { return has_failed_; }
  void forget_comm() { comm_ = MPI_COMM_NULL; }

  /// Ends what the learner of a plan has under way in MPI_Finalize, if the plan is not freed before.
  void end_with(const std::shared_ptr<Learner>& learner);

  /// Whether what is under way between the ranks may never end.
  bool is_given_up() const { return is_broken_; }

  /// Collective. Frees what all ranks must free together: when the user's communicator is freed, at the latest
  /// in MPI_Finalize.
  void close_together();

  /// Local. Makes its rank 0 note what calls have learned, the first time; see learned_profile.hpp.
  void note_learned();

  /// Frees the private communicator, at the latest in MPI_Finalize. After an interrupted exchange
  /// it is not freed, since MPI could reuse its context id while messages are still in flight.
  void close();

  /// Gives up the messages of an exchange that an error interrupted in one of the private contexts.
  /// No new exchange begins in any of them, since other ranks may still be in that one.
  void abandon(engines::Context& context);

  /// The same for the exchanges of calls, which before set-up are the MPI library's.
  void give_up();

  buffers::Kept kept;  ///< what the last dynamic exchange left here
  buffers::SparseArrays sparse_arrays;
  std::unique_ptr<Neighbourhood> neighbourhood;  ///< set by the first neighbourhood exchange

 private:
  [[noreturn]] void throw_unusable() const;
  std::unique_ptr<Channel> make_channel(std::size_t number, const engines::Limits& limits,
                                        const mpi::Tags& tags) const;
  bool is_deferred(buffers::Form form);
  void begin_turn(Channel& channel, std::uint64_t number);
  choice::Choice usable_sparse(const choice::OpenChoice& open);
  /// Returns what runs if the user requests `open` for `form`.
  choice::Choice usable_for(buffers::Form form, const choice::OpenChoice& open);
  static std::size_t index(buffers::Form form) { return static_cast<std::size_t>(form); }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::size_t number_;
  registry::Settings settings_;
  Deferral deferral_{settings_.forward_calls};
  ChoicesOrAuto choices_;
  std::optional<AutomaticSparse> automatic_sparse_;  ///< once prepared
  LastChoice last_choice_;
  Channel own_;
  std::vector<std::unique_ptr<Channel>> ring_;  ///< RONDO_REQUESTS, once an exchange is started
  std::size_t starts_ = 0;
  std::atomic<std::uint64_t> taken_ = 0;  ///< by persistent requests, which any thread may free
  std::vector<std::weak_ptr<Learner>> learners_of_plans_;
  bool packs_raw_ = true;
  bool can_have_progress_hook_ = false;
  bool has_failed_ = false;
  bool is_closed_ = false;
  bool has_noted_ = false;               ///< what was learned
  std::atomic<bool> is_broken_ = false;  ///< set by any thread that lets an exchange go on
};

}  // namespace rondo::communicator
