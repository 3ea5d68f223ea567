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
#include "choice/choice.hpp"
#include "communicator/automatic_sparse.hpp"
#include "communicator/channel.hpp"
#include "communicator/deferral.hpp"
#include "communicator/last_choice.hpp"
#include "communicator/watched.hpp"
#include "engines/context.hpp"
#include "mpi/progress.hpp"
#include "registry/settings.hpp"
#include "transport/outstanding.hpp"

namespace rondo::communicator {

class Neighbourhood;

/// Parses the text of a request. Null, "" and "auto" mean `auto`.
ChoiceOrAuto parse_choice(buffers::Form form, const char* text);

/// The life of a communicator's state:
///
///   counting --> ready --> closed
///       `------> forwarding
///
/// It is the same on all ranks, except that one rank may give up alone, at any stage before `closed`. Only a state
/// with a context is closed.
enum class Life {
  counting,  ///< set-up has not been tried; the MPI library carries out the calls, which are counted
  ready,     ///< it has a private context
  forwarding,  ///< set-up has failed, so the MPI library carries out all exchanges
  given_up,  ///< an error interrupted an exchange, and other ranks may still be in it: none begins any more
  closed  ///< the communicator is freed, or MPI_Finalize has begun
};

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

  /// Collective. From then on it is watched, if the settings ask for it. `first` is what Watched::at_first_exchange()
  /// has returned.
  void watch(std::unique_ptr<Watched> first);

  /// Where this rank tells what it does; null if it is not watched.
  watch::Line* watched_line() const { return watched_ ? &watched_->line() : nullptr; }

  const registry::Settings& settings() const { return settings_; }

  /// Whether the settings ask for a report on what programs that are not recompiled exchange.
  bool is_observed() const { return is_observed_; }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Returns this state's number: 1, 2, ... in the order in which this process first used its
  /// communicators. Each number is used once.
  std::size_t number() const { return number_; }

  /// May change in any thread that lets an exchange go on, to given_up.
  Life life() const { return life_.load(std::memory_order_relaxed); }

  /// Whether exchanges begin with nothing before them: the state has become ready, is not closed, and nobody watches.
  bool goes_straight() const { return goes_straight_.load(std::memory_order_relaxed); }

  // Set-up.

  /// Collective. Runs a call of `form` before set-up. `auto` runs `forward` for the first calls,
  /// since a communicator must be used often enough to pay for set-up. Otherwise this sets up and
  /// runs `exchange`.
  template <class Forward, class Exchange>
  int start(buffers::Form form, Forward&& forward, Exchange&& exchange) {
    if (is_deferred(form)) return deferral_->timed(forward);
    return Deferral::timed_set_up(ranks_, [&] {
      prepare();
      return exchange();
    });
  }

  /// Collective. Sets up, unless that was tried before. If set-up fails on any rank, it fails on
  /// all ranks with one warning, and every exchange on the communicator is forwarded.
  void prepare();

  /// Collective once the state is ready.
  void set_choice(buffers::Form form, ChoiceOrAuto choice);
  const ChoiceOrAuto& choice_or_auto(buffers::Form form) const { return choices_[index(form)]; }

  /// Whether MPI_Pack writes raw bytes on all ranks. If not, every exchange is forwarded.
  bool packs_raw() const { return packs_raw_; }

  /// Whether `auto` measures while the program runs. The same on all ranks.
  bool learns() const { return settings_.learn != "0" && ranks_ > 1; }

  /// Whether nonblocking exchanges can go on in any call of MPI, on all ranks; see mpi/progress.hpp.
  bool can_have_progress_hook() const { return can_have_progress_hook_; }

  // Exchanges.

  /// Begins a call. Returns whether it must be forwarded, because set-up failed or MPI_Pack does
  /// not write raw bytes.
  bool must_forward() {
    last_choice_.forget();
    if (!packs_raw_ && life() == Life::given_up) throw_unusable();
    return !packs_raw_ || life() == Life::forwarding;
  }

  /// Returns the private context. Throws Error(other) unless the state is ready.
  engines::Context& context() {
    if (life() != Life::ready) throw_unusable();
    return own_.context();
  }

  /// Begins an exchange and returns the private context. All ranks must call this for every
  /// exchange.
  engines::Context& begin_exchange() {
    engines::Context& own = context();
    own.begin_exchange();
    return own;
  }

  /// The channel of calls. It has a context once the state is ready; its binding can be used before.
  Channel& own() { return own_; }
  const Channel& own() const { return own_; }

  /// Those of nonblocking exchanges.
  Channels& channels() { return *channels_; }

  /// Returns the channel of the next one. Throws as context() does.
  Channel& next_channel() {
    context();
    return channels_->next();
  }

  /// What `auto` runs in sparse exchanges.
  AutomaticSparse& sparse() { return *sparse_; }
  const AutomaticSparse& sparse() const { return *sparse_; }

  /// Starts `exchange` in a channel: it runs in a fiber, when those before it in the channel have ended, as
  /// the only one there. Never waits. `when_over` is that of transport::Started::start().
  template <class Exchange>
  std::shared_ptr<transport::Started> start_in(Channel& channel, Exchange&& exchange,
                                               transport::Started::WhenOver when_over = nullptr) {
    mpi::begin_progress(!settings_.progress.empty());
    return transport::Started::start(
        channel.started,
        [self = shared_from_this(), &channel, number = channel.starts++,
         exchange = std::forward<Exchange>(exchange)]() mutable {
          self->begin_turn(channel, number);
          exchange();
        },
        std::move(when_over));
  }

  /// Notes what the exchange in progress runs. A nonblocking exchange does so in any thread.
  void note_choice(const choice::Choice& choice) {
    if (!last_choice_.is(choice)) [[unlikely]]
      change_choice(choice, nullptr);
    last_choice_.note();
  }

  /// The same for a call, which has bound what it sends unless it has a `failure`. A watched call notes the lengths.
  void note_choice(const choice::Choice& choice, const buffers::Binding& binding,
                   const std::optional<Error>& failure) {
    if (!last_choice_.is(choice)) [[unlikely]]
      change_choice(choice, failure ? nullptr : &binding);
    last_choice_.note();
  }

  /// A call begins. If it is watched, its choice is noted as if it differed from the last.
  void forget_choice() {
    if (!watched_) return;
    last_choice_.forget();
    last_choice_.replace({});
  }

  /// Returns what the last call ran, or nothing if it was forwarded without a choice.
  std::optional<choice::Choice> last_choice() const { return last_choice_.get(); }

  // Communicators.

  /// Returns the user's communicator, or MPI_COMM_NULL once it is freed.
  MPI_Comm user_comm() const { return comm_; }
  void forget_comm() { comm_ = MPI_COMM_NULL; }

  /// Returns the communicator on which errors are raised: the user's, or the private one once the
  /// user's is freed.
  MPI_Comm error_comm() const;

  /// Returns the communicator on which a plan's exchange is forwarded: the private one while it
  /// exists, since it outlives the user's, else the user's. Throws Error(other) if neither exists.
  MPI_Comm forwarding_comm();

  // The end.

  /// Gives up the messages of an exchange that an error interrupted in one of the private contexts.
  /// No new exchange begins in any of them, since other ranks may still be in that one.
  void abandon(engines::Context& context);

  /// The same for the exchanges of calls, which before set-up are the MPI library's.
  void give_up();

  /// No new exchange begins, since this rank has not begun one that the others have.
  void begin_no_more();

  /// Ends what the learner of a plan has under way in MPI_Finalize, if the plan is not freed before.
  void end_with(const std::shared_ptr<Learner>& learner);

  /// Local. Makes its rank 0 note what calls have learned, the first time; see profile.hpp.
  void note_learned();

  /// Collective. Frees what all ranks must free together: when the user's communicator is freed, at the latest
  /// in MPI_Finalize.
  void close_together();

  /// Frees the private communicator, at the latest in MPI_Finalize. After an interrupted exchange
  /// it is not freed, since MPI could reuse its context id while messages are still in flight.
  void close();

  buffers::Kept kept;  ///< what the last dynamic exchange left here
  buffers::SparseArrays sparse_arrays;
  std::unique_ptr<Neighbourhood> neighbourhood;  ///< set by the first neighbourhood exchange

 private:
  [[noreturn]] void throw_unusable() const;
  bool is_deferred(buffers::Form form);
  void change_choice(const choice::Choice& choice, const buffers::Binding* binding);
  void begin_turn(Channel& channel, std::uint64_t number);
  /// Returns what runs if the user requests `open` for `form`.
  choice::Choice usable_for(buffers::Form form, const choice::OpenChoice& open);
  static std::size_t index(buffers::Form form) { return static_cast<std::size_t>(form); }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::size_t number_;
  registry::Settings settings_;
  std::optional<Deferral> deferral_;  ///< once begin() has read the settings
  ChoicesOrAuto choices_;
  LastChoice last_choice_;
  Channel own_;
  std::optional<Channels> channels_;  ///< once ready, like what follows
  std::optional<AutomaticSparse> sparse_;
  std::vector<std::weak_ptr<Learner>> learners_of_plans_;
  bool is_observed_ = false;
  bool packs_raw_ = true;
  bool can_have_progress_hook_ = false;
  bool has_noted_ = false;  ///< what was learned
  std::atomic<Life> life_ = Life::counting;
  std::atomic<bool> goes_straight_ = false;
  std::unique_ptr<Watched> watched_;  ///< the first to go, since its watcher asks this state
};

}  // namespace rondo::communicator
