// The rule by which `auto` learns, while a program runs, which of a few choices is the fastest.
//
// It has no clock and no ranks of its own. The caller runs what next() says, records times, and from time to time
// replaces the times of this rank by sums over all ranks. Ranks that count the same calls and have the same sums
// decide the same, whatever the sums are: all that decides is integers.
//
// The incumbent is the choice that runs. A challenger gets a duel (duel.hpp) when it is due and the account
// (account.hpp) can pay. Duels go on side by side, from look to look, so that none delays a clearer one. One that
// looks no slower than by half runs five calls in a row, as the incumbent does, and the third and the fourth are
// timed (samples.hpp). Other duels are of single calls. The loser rests: 4,096 calls, twice as many after each defeat
// up to 64 times, and from the second defeat on as much longer as it was slower. In between, reviews of the incumbent
// (watch.hpp) notice when its time changes. Then all challengers are due at once. The first time, they are due after
// 100 calls. Where times are known, the incumbent is reviewed in calls 2 to 9. Then a known choice that looks faster
// is due, and if it is clearly faster it takes over without a duel.
//
// This is successive elimination (Even-Dar, Mannor and Mansour, Journal of Machine Learning Research 7, 2006) with
// paired samples and a budget. That the first calls of a program choose its collective algorithms is the idea of
// STAR-MPI (Faraj, Yuan and Lowenthal, ICS 2006), which watches for changes as well.
//
// What it costs, in calls of the incumbent. Assume that the typical ratio of two choices is the same from one look to
// the next, and that no choice takes more than R times as long as the incumbent.
//  - A trial begins only if the account can pay what it is expected to cost. The expectation can be wrong if the
//    challenger has never run, or not since a change: it is taken to be at most 2 times as slow, and costs 3 (R - 1)
//    instead of 3 until the look. So after n calls, exploring has cost at most 6 + n/25 + 3 (R - 2) calls in excess of
//    the incumbent's, agreements included, and from 1,000 calls on 33.5 + n/80 + 3 (R - 2). With R = 3 that is 4.9 % of
//    1,000 calls and 1.6 % of 10,000, with R = 10 7 % and 1.8 %, with R = 20 10 % and 2.1 %. A ratio above 20 counts as
//    20, so each duel of such a choice costs up to 3 (R - 20) more.
//  - A program of 100 calls or fewer never runs a choice of which nothing is known.
//  - A challenger that is slower by half or more in each of the first two pairs of a duel has only these, and one that
//    is slower by a fifth only two pairs of runs. Three pairs come before, in which it makes memory and tables. They show
//    only what it may cost at most.
//  - Against the best fixed choice, this adds what the first choice costs until it is left. If its time or the best's is
//    known that is 9 calls and a look, otherwise 100 calls, the looks at those tried before, and at most 8 pairs if the
//    best takes less than 0.97 of its time in all of them.
//  - A change of the incumbent's time by more than a fifth is noticed within two reviews and 64 calls: 320 calls if an
//    agreement takes as long as half a call, 16,448 if as long as 32 calls. Where the account is empty or agreements
//    are even longer, it takes until the account can pay. In the first 1,000 calls duels come first.
// It does not promise:
//  - to tell choices apart that differ by 3 % or less, or whose difference is small in comparison with the noise,
//  - the least mean: where one choice is disturbed more often than another, the typical call decides,
//  - to notice before its rest ends that a challenger has become faster while the incumbent's time stayed the same,
//  - to follow changes faster than it notices them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "select/account.hpp"
#include "select/duel.hpp"
#include "select/samples.hpp"
#include "select/watch.hpp"

namespace rondo::select {

class Learning {
 public:
  static constexpr std::size_t kMostChoices = 8;

  /// Calls before which nothing is tried that has never run.
  static constexpr std::uint64_t kFirstUnseen = 100;

  /// A time of record(): the exchange failed on this rank.
  static constexpr std::int64_t kFailed = Samples::kFailed;

  /// Why the incumbent was chosen.
  enum class Reason {
    first,  ///< nothing has shown a faster one
    known,  ///< an earlier measurement says that the incumbent before takes at least half as long again
    duel,  ///< it won a duel
  };

  struct Decision {
    Reason reason = Reason::first;
    std::uint64_t call = 0;  ///< how many calls there were before
    std::size_t before = 0;  ///< the incumbent before
    std::size_t pairs = 0;   ///< of the duel
    std::size_t faster = 0;  ///< in how many of them the new incumbent was faster by more than 3 %
  };

  /// `choices` is 1 to kMostChoices, and 0 is the first incumbent. The seed is the same on all ranks. `known` has for
  /// each choice the nanoseconds of a call, summed over all ranks, where an earlier measurement tells them, else 0.
  /// `calls_before` were made before, or are sure to follow.
  Learning(std::size_t choices, std::uint64_t seed, std::span<const std::int64_t> known = {},
           std::uint64_t calls_before = 0);

  /// What the next calls run, `calls` of them. A timed turn has one call.
  struct Turn {
    std::size_t choice;
    std::uint64_t calls;
    bool is_timed;
  };

  /// The caller carries out the whole turn before it asks for the next one. While a trial is over and not yet learnt
  /// from, turns are single calls of the incumbent, so the ranks may take some calls to combine their times.
  Turn next();

  /// This rank's time of the call of a timed turn.
  void record(std::int64_t nanoseconds) { samples_.record(nanoseconds); }

  /// After a turn: whether the ranks now combine times() and then call learn(), all after the same call.
  bool is_trial_over() const { return samples_.are_complete(); }

  /// Of the trial that is over: the times of this rank, what the one before cost besides its calls, and how many
  /// calls failed. The caller replaces each by the sum over all ranks, at most 2^20 of them.
  std::span<std::int64_t> times() { return samples_.all(); }

  /// What the trial has cost this rank besides its calls: combining times() and, in a plan, checks before executions.
  /// It counts from the next trial on.
  void record_agreement(std::int64_t nanoseconds);

  /// Decides by the sums.
  void learn();

  /// The incumbent.
  std::size_t best() const { return incumbent_; }

  /// The challenger while a duel goes on, else the incumbent.
  std::size_t challenger() const {
    return samples_.kind() == Samples::Kind::duel ? challenger_ : incumbent_;
  }

  /// Calls before, and those that turns have handed out.
  std::uint64_t calls() const { return calls_; }

  /// What incumbents have saved against the first choice, in nanoseconds summed over all ranks, if their calls have
  /// differed as much as when they were compared last. Negative if the first choice would have been faster.
  double saved() const { return saved_; }

  const Account& account() const { return account_; }
  const Decision& last_decision() const { return decision_; }

 private:
  /// The first call makes memory and tables.
  static constexpr std::size_t kColdPairs = 1;

  /// What looks about as fast as the incumbent takes at most this.
  static constexpr std::int64_t kNear = kSame * 3 / 2;

  struct Choice {
    std::int64_t known = 0;  ///< an earlier measurement, in nanoseconds, 0 if there is none
    std::int64_t ratio = 0;  ///< to the incumbent, 0 if unknown
    std::uint64_t due = 0;   ///< the number of calls from which on it may challenge
    unsigned defeats = 0;    ///< since all were due
    bool has_run = false;
    bool has_had_runs = false;
    Duel duel;

    bool is_near() const { return ratio != 0 && ratio <= kNear; }

    /// So little is known of it that it might be much faster than it seems.
    bool is_new() const { return !has_run || (is_near() && !has_had_runs); }

    // Of the next trial.
    const Blocks& blocks() const {
      if (!has_run) return kFirstCalls;
      return is_near() ? kRuns : kSingleCalls;
    }
    std::size_t cold_pairs() const { return has_run ? 0 : kColdPairs; }  ///< that are not judged
    std::size_t pairs() const { return cold_pairs() + duel.pairs_to_look(); }
    std::size_t calls() const { return pairs() * blocks().challengers.calls(); }
  };

  Turn next_turn();
  bool begin_pairs();
  std::size_t pick_challenger() const;
  bool is_account_kept() const;
  std::int64_t cost(std::size_t challenger) const;
  Turn review_turn();
  void begin_review();
  std::uint64_t calls_to_pay_review() const;
  std::uint64_t calls_to_chance() const;
  std::uint64_t calls_to_pay(std::int64_t cost) const;

  void learn_duel();
  std::int64_t first_ratio(std::int64_t least) const;
  void learn_review();
  void compare_with_known();
  void learn_agreement();
  std::int64_t agreement_cost() const;
  void postpone(std::size_t challenger, std::int64_t ratio);
  void promote(std::size_t winner, std::int64_t time, const Decision& decision);
  void open_all();
  void plan_review();

  std::array<Choice, kMostChoices> choices_{};
  std::size_t count_;
  std::size_t incumbent_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t random_;
  Account account_;
  Samples samples_;
  std::size_t challenger_ = 0;  ///< of the trial
  Watch watch_;
  std::uint64_t wait_ = 0;       ///< calls until the next reviewed call
  std::uint64_t spacing_ = 1;    ///< from one reviewed call to the next
  bool compares_known_ = false;  ///< the next review is the first one, and there are known times

  std::int64_t agreement_ =
      0;  ///< what one costs, in nanoseconds summed over all ranks, 0 if unknown
  std::int64_t own_agreement_ = 0;  ///< what the last one has cost this rank

  double saved_ = 0;
  std::int64_t saved_per_call_ = 0;  ///< by the incumbent
  Decision decision_;
};

}  // namespace rondo::select
