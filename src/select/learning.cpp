#include "select/learning.hpp"

#include <algorithm>
#include <cstdlib>

namespace rondo::select {

namespace {

/// A rank's longest time: 18 minutes. The sum over 2^20 ranks still has room.
constexpr std::int64_t kLongestOfRank = std::int64_t{1} << 40;

/// Calls until a choice that has never run may challenge. Nothing is known of what it costs.
constexpr std::uint64_t kFirstUnseen = 100;

/// Calls until a choice whose time is known may challenge.
constexpr std::uint64_t kFirstKnown = 16;

/// What a challenger that has never run is expected to cost, as a ratio to the incumbent.
constexpr std::int64_t kUnseenRatio = 2 * kSame;

/// Calls until a defeated challenger may challenge again. Doubled by each defeat, up to kMostDoublings.
constexpr std::uint64_t kRest = 4096;
constexpr unsigned kMostDoublings = 6;
constexpr std::int64_t kMostRestRatio = 64;

/// How many of the 8 times of a check must agree.
constexpr std::ptrdiff_t kManyOfCheck = 6;

/// Checks whose mean is the incumbent's time. Later ones are compared with it only, so that a slow change is noticed.
constexpr int kMostChecks = 8;

constexpr std::uint64_t kCloseSpacing = 8;
constexpr std::uint64_t kSpacing = 64;
constexpr std::uint64_t kMostSpacing = 1024;

/// SplitMix64 of Steele, Lea and Flood, OOPSLA 2014: small, and the same with every standard library.
std::uint64_t draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Learning::Learning(std::size_t choices, std::uint64_t seed, std::span<const std::int64_t> known)
    : count_(choices), random_(seed) {
  for (std::size_t c = 0; c < count_; ++c) {
    Choice& choice = choices_[c];
    if (c < known.size() && known[c] > 0) choice.known = std::min(known[c], kLongest);
    choice.has_run = c == 0 || choice.known != 0;
    choice.due = choice.has_run ? kFirstKnown : kFirstUnseen;
    compares_known_ |= c != 0 && choice.known != 0;
  }
  choices_[0].ratio = kSame;
  plan_check();
}

std::optional<std::int64_t> Learning::estimate(std::size_t choice) const {
  if (incumbent_time_ == 0 || choices_[choice].ratio == 0) return std::nullopt;
  return scaled(incumbent_time_, choices_[choice].ratio);
}

Learning::Turn Learning::next() {
  if (is_trial_over()) return hand_out({incumbent_, 1, false});
  if (trial_ == Trial::duel || begin_duel()) return hand_out(duel_turn());
  return hand_out(check_turn());
}

Learning::Turn Learning::hand_out(const Turn& turn) {
  calls_ += turn.calls;
  if (turn.choice != 0 && turn.choice == incumbent_)
    if (const auto first = estimate(0))
      saved_ += static_cast<double>(turn.calls) * static_cast<double>(*first - incumbent_time_);
  return turn;
}

bool Learning::begin_duel() {
  if (compares_known_) return false;
  if (!duel_) {
    const std::size_t challenger = pick_challenger();
    if (challenger == incumbent_) return false;
    duel_.emplace(challenger, !choices_[challenger].has_run);
    choices_[challenger].has_run = true;
  } else if (!account_.can_pay(trial_cost(duel_->challenger(), duel_->pairs_to_look()), calls_)) {
    return false;
  }
  begin_trial(Trial::duel, 2 * duel_->pairs_to_look());
  orders_ = draw(random_);
  return true;
}

/// The cheapest one that is due and that the account can pay, or the incumbent.
std::size_t Learning::pick_challenger() const {
  std::size_t cheapest = incumbent_;
  std::int64_t least = 0;
  for (std::size_t c = 0; c < count_; ++c) {
    if (c == incumbent_ || choices_[c].due > calls_) continue;
    const std::int64_t cost = trial_cost(c, 2);
    if (!account_.can_pay(cost, calls_)) continue;
    if (cheapest == incumbent_ || cost < least) {
      cheapest = c;
      least = cost;
    }
  }
  return cheapest;
}

std::int64_t Learning::trial_cost(std::size_t challenger, std::size_t pairs) const {
  const std::int64_t ratio = choices_[challenger].ratio;
  const std::int64_t excess = (ratio == 0 ? kUnseenRatio : std::max(ratio, kSame)) - kSame;
  return static_cast<std::int64_t>(pairs) * excess + agreement_cost();
}

void Learning::begin_trial(Trial trial, std::size_t times) {
  trial_ = trial;
  planned_ = times;
  recorded_ = 0;
  times_.fill(0);
}

bool Learning::is_challengers_time() const {
  const bool is_second = recorded_ % 2 != 0;
  return trial_ == Trial::duel && ((orders_ >> (recorded_ / 2)) % 2 != 0) != is_second;
}

Learning::Turn Learning::duel_turn() {
  return {is_challengers_time() ? duel_->challenger() : incumbent_, 1, true};
}

Learning::Turn Learning::check_turn() {
  if (wait_ == 0 && (trial_ == Trial::check || account_.can_pay(agreement_cost(), calls_))) {
    if (trial_ == Trial::none) begin_trial(Trial::check, kChecked);
    wait_ = spacing_ - 1;
    return {incumbent_, 1, true};
  }
  const std::uint64_t calls = std::min(wait_ == 0 ? spacing_ : wait_, calls_to_chance());
  wait_ -= std::min(calls, wait_);
  return {incumbent_, calls, false};
}

/// A challenger that is due may have to wait until the account can pay.
std::uint64_t Learning::calls_to_chance() const {
  std::uint64_t calls = kMostSpacing;
  for (std::size_t c = 0; c < count_; ++c)
    if (c != incumbent_)
      calls = std::min(calls, choices_[c].due > calls_ ? choices_[c].due - calls_ : kCloseSpacing);
  return calls;
}

void Learning::record(std::int64_t nanoseconds) {
  const bool is_challengers = is_challengers_time();
  const std::size_t place =
      trial_ == Trial::duel ? recorded_ / 2 * 2 + (is_challengers ? 1 : 0) : recorded_;
  if (nanoseconds == kFailed) ++times_[planned_ + (is_challengers ? 2 : 1)];
  times_[place] = std::clamp<std::int64_t>(nanoseconds, 0, kLongestOfRank);
  ++recorded_;
  times_[planned_] = own_agreement_;
}

void Learning::record_agreement(std::int64_t nanoseconds) {
  own_agreement_ = std::clamp<std::int64_t>(nanoseconds, 0, kLongestOfRank);
}

void Learning::learn() {
  const bool has_failed = times_[planned_ + 1] != 0 || times_[planned_ + 2] != 0;
  const bool challenger_has_failed = times_[planned_ + 2] != 0;
  clean_sums();
  if (trial_ == Trial::duel && has_failed) {
    postpone(duel_->challenger(), challenger_has_failed ? kMostRatio : kSame);
    duel_.reset();
  } else if (trial_ == Trial::duel) {
    learn_duel();
  } else if (!has_failed) {
    learn_check();
  }
  learn_agreement();
  plan_check();
  compares_known_ = false;
  trial_ = Trial::none;
  planned_ = 0;
  recorded_ = 0;
}

void Learning::clean_sums() {
  for (std::int64_t& time : times()) time = std::clamp<std::int64_t>(time, 1, kLongest);
}

/// The lesser of the last two, because an agreement also takes as long as the last rank keeps the others waiting.
void Learning::learn_agreement() {
  account_.pay(agreement_cost());
  const std::int64_t now = times_[planned_];
  if (now == 1) return;
  agreement_ = last_agreement_ == 0 ? now : std::min(now, last_agreement_);
  last_agreement_ = now;
}

/// As much as a call, if nothing is known.
std::int64_t Learning::agreement_cost() const {
  if (agreement_ == 0 || incumbent_time_ == 0) return Account::kCall;
  return ratio_of(agreement_, incumbent_time_);
}

void Learning::learn_duel() {
  const auto pairs = static_cast<std::int64_t>(planned_ / 2);
  const std::size_t challenger = duel_->challenger();
  const Verdict verdict = duel_->look(sums());
  const std::int64_t ratio = duel_->typical();
  account_.pay(pairs * (std::max(ratio, kSame) - kSame));
  choices_[challenger].ratio = ratio;
  if (incumbent_time_ == 0) incumbent_time_ = typical_time(0, 2);
  if (verdict == Verdict::open) return;
  if (verdict == Verdict::wins)
    enthrone(challenger, typical_time(1, 2),
             {Reason::duel, calls_, incumbent_, duel_->pairs(), duel_->faster()});
  else
    postpone(challenger, ratio);
  duel_.reset();
}

/// The lower median of every `step`th time.
std::int64_t Learning::typical_time(std::size_t first, std::size_t step) const {
  std::array<std::int64_t, kMostTimes> times{};
  const std::size_t count = planned_ / step;
  for (std::size_t i = 0; i < count; ++i) times[i] = times_[first + i * step];
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::nth_element(times.begin(), middle, times.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

void Learning::learn_check() {
  const std::int64_t typical = typical_time(0, 1);
  if (compares_known_) {
    incumbent_time_ = typical;
    compare_with_known();
    return;
  }
  if (checks_ == 0) {
    incumbent_time_ = typical;
    checks_ = 1;
    return;
  }
  const int deviation = this->deviation();
  if (deviation != 0 && deviation == suspicion_) {
    reopen();
    incumbent_time_ = typical;
    return;
  }
  suspicion_ = deviation;
  if (deviation == 0 && checks_ < kMostChecks)
    incumbent_time_ += (typical - incumbent_time_) / ++checks_;
}

/// Whether three quarters of a check's times are longer, or shorter, by more than a fifth.
int Learning::deviation() const {
  const auto slower = std::ranges::count_if(
      sums(), [&](std::int64_t time) { return 5 * time > 6 * incumbent_time_; });
  const auto faster = std::ranges::count_if(
      sums(), [&](std::int64_t time) { return 6 * time < 5 * incumbent_time_; });
  return slower >= kManyOfCheck ? 1 : faster >= kManyOfCheck ? -1 : 0;
}

/// The fastest known choice becomes the incumbent if the first choice clearly takes half as long again. That is safe
/// where the known choice has run before, and costs nothing.
void Learning::compare_with_known() {
  std::size_t fastest = incumbent_;
  std::int64_t least = kLongest;
  for (std::size_t c = 1; c < count_; ++c) {
    if (choices_[c].known == 0) continue;
    choices_[c].ratio = ratio_of(choices_[c].known, incumbent_time_);
    if (choices_[c].known < least) {
      least = choices_[c].known;
      fastest = c;
    }
  }
  const auto slower = std::ranges::count_if(
      sums(), [&](std::int64_t time) { return 2 * time > 3 * least; });
  if (fastest != incumbent_ && slower >= kManyOfCheck)
    enthrone(fastest, least, {Reason::known, calls_, incumbent_, 0, 0});
}

void Learning::postpone(std::size_t challenger, std::int64_t ratio) {
  Choice& choice = choices_[challenger];
  const std::int64_t factor = std::clamp(ratio / kSame, std::int64_t{1}, kMostRestRatio);
  choice.due = calls_ + (kRest << std::min(choice.defeats, kMostDoublings)) *
                            static_cast<std::uint64_t>(factor);
  ++choice.defeats;
}

void Learning::enthrone(std::size_t winner, std::int64_t time, const Decision& decision) {
  const std::int64_t ratio = choices_[winner].ratio;
  incumbent_time_ = time;
  for (Choice& choice : choices_)
    if (choice.ratio != 0) choice.ratio = ratio_of(choice.ratio, ratio);
  choices_[winner].defeats = 0;
  if (decision.reason == Reason::duel) postpone(incumbent_, choices_[incumbent_].ratio);
  incumbent_ = winner;
  checks_ = 0;
  suspicion_ = 0;
  decision_ = decision;
}

/// The incumbent's time has changed, so the others' may have changed as well.
void Learning::reopen() {
  for (Choice& choice : choices_) {
    choice.due = std::min(choice.due, calls_);
    choice.defeats = 0;
  }
  checks_ = 0;
  suspicion_ = 0;
}

void Learning::plan_check() {
  if (compares_known_ && calls_ == 0) {
    spacing_ = 1;
    wait_ = 1;
    return;
  }
  spacing_ = kCloseSpacing;
  if (checks_ != 0 && suspicion_ == 0) {
    spacing_ = kSpacing;
    while (spacing_ < kMostSpacing &&
           static_cast<std::int64_t>(kChecked * spacing_) * Account::kCall < 200 * agreement_cost())
      spacing_ *= 2;
  }
  wait_ = calls_ < kFirstUnseen ? kFirstUnseen - calls_ : spacing_ - 1;
}

}  // namespace rondo::select
