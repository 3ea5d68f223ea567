// The rule by which `auto` learns, while a program runs, which of a few choices is the fastest.
//
// It has no clock and no ranks of its own. The caller runs what next() says, records times, and from time to time
// replaces the times of this rank by sums over all ranks. Ranks that count the same calls and have the same sums
// decide the same, whatever the sums are: all that decides is integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "select/account.hpp"
#include "select/duel.hpp"

namespace rondo::select {

class Learning {
 public:
  static constexpr std::size_t kMostChoices = 8;

  /// A time of record(): the exchange failed on this rank.
  static constexpr std::int64_t kFailed = std::numeric_limits<std::int64_t>::min();

  /// Why the incumbent was chosen.
  enum class Reason {
    first,  ///< nothing has shown a faster one
    known,  ///< an earlier measurement says that the incumbent before takes at least half as long again
    duel,   ///< it won a duel
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
  Learning(std::size_t choices, std::uint64_t seed, std::span<const std::int64_t> known = {});

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
  void record(std::int64_t nanoseconds);

  /// Whether the ranks now combine times() and then call learn(), all after the same call.
  bool is_trial_over() const { return recorded_ == planned_ && planned_ != 0; }

  /// The times of this rank in the trial that is over, what its last agreement cost, and how many of its calls failed.
  /// The caller replaces each by the sum over all ranks, at most 2^20 of them.
  std::span<std::int64_t> times() { return std::span(times_).first(planned_ + kExtra); }

  /// What combining times() has cost this rank. It counts from the next trial on.
  void record_agreement(std::int64_t nanoseconds);

  /// Decides by the sums.
  void learn();

  /// The incumbent.
  std::size_t best() const { return incumbent_; }

  /// Calls that turns have handed out.
  std::uint64_t calls() const { return calls_; }

  /// What a call of the choice takes, in nanoseconds summed over all ranks, if known.
  std::optional<std::int64_t> estimate(std::size_t choice) const;

  /// What incumbents have saved against the first choice by these estimates, in nanoseconds summed over all ranks.
  /// Negative if the first choice would have been faster.
  double saved() const { return saved_; }

  const Account& account() const { return account_; }
  const Decision& last_decision() const { return decision_; }

 private:
  static constexpr std::size_t kChecked = 8;  ///< calls of a check
  static constexpr std::size_t kMostTimes = 2 * Duel::kMostPairsAtOnce;
  static constexpr std::size_t kExtra = 3;  ///< after the times: the agreement, failures of either choice

  enum class Trial { none, check, duel };

  struct Choice {
    std::int64_t known = 0;  ///< an earlier measurement, until it is compared with the incumbent
    std::int64_t ratio = 0;  ///< to the incumbent, 0 if unknown
    std::uint64_t due = 0;   ///< the number of calls from which on it may challenge
    unsigned defeats = 0;    ///< since all were open
    bool has_run = false;
  };

  Turn hand_out(const Turn& turn);
  bool begin_duel();
  std::size_t pick_challenger() const;
  std::int64_t trial_cost(std::size_t challenger, std::size_t pairs) const;
  Turn duel_turn();
  Turn check_turn();
  std::uint64_t calls_to_chance() const;
  void begin_trial(Trial trial, std::size_t times);
  bool is_challengers_time() const;

  void clean_sums();
  void learn_agreement();
  std::int64_t agreement_cost() const;
  std::int64_t typical_time(std::size_t first, std::size_t step) const;
  void learn_duel();
  void learn_check();
  void compare_with_known();
  int deviation() const;
  void postpone(std::size_t challenger, std::int64_t ratio);
  void enthrone(std::size_t choice, std::int64_t time, const Decision& decision);
  void reopen();
  void plan_check();
  std::span<const std::int64_t> sums() const { return std::span(times_).first(planned_); }

  std::array<Choice, kMostChoices> choices_{};
  std::size_t count_;
  std::size_t incumbent_ = 0;
  std::int64_t incumbent_time_ = 0;  ///< nanoseconds of a call, summed over all ranks, 0 if unknown
  std::uint64_t calls_ = 0;
  std::uint64_t random_;
  Account account_;

  Trial trial_ = Trial::none;
  std::array<std::int64_t, kMostTimes + kExtra> times_{};
  std::size_t planned_ = 0;   ///< times of the trial
  std::size_t recorded_ = 0;  ///< of them
  std::uint64_t orders_ = 0;  ///< one bit for each pair: whether the challenger runs first
  std::optional<Duel> duel_;  ///< its trials may have pauses

  // What an agreement costs, in nanoseconds: the lesser of the last two and the last one, summed over all ranks, 0 if
  // unknown, and this rank's.
  std::int64_t agreement_ = 0;
  std::int64_t last_agreement_ = 0;
  std::int64_t own_agreement_ = 0;

  bool compares_known_ = false;  ///< the check is the first one, and there are known times
  std::uint64_t spacing_ = 1;    ///< calls from one checked call to the next
  std::uint64_t wait_ = 0;       ///< calls until the next checked call
  int checks_ = 0;               ///< that made incumbent_time_ what it is
  int suspicion_ = 0;            ///< of the last check: 1 slower, -1 faster

  double saved_ = 0;
  Decision decision_;
};

}  // namespace rondo::select
