#include "select/learning.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/mix.hpp"
#include "select/duel.hpp"

namespace rondo::select {

namespace {

/// Calls until the first choice may challenge one that has replaced it without a duel.
constexpr std::uint64_t kRestOfReplaced = 16;

/// What looks faster than the incumbent takes less than this.
constexpr std::int64_t kLooksFaster = kSame * 9 / 10;

/// What one that has never run is expected to take.
constexpr std::int64_t kUnseenRatio = 2 * kSame;

/// A larger ratio may be that of disturbed calls. Costs count it as this one, or a choice that was disturbed in its
/// first duel might never get another.
constexpr std::int64_t kMostCountedRatio = 20 * kSame;

// Calls that a defeated challenger rests.
constexpr std::uint64_t kRest = 4096;
constexpr unsigned kMostDoublings = 6;
constexpr std::int64_t kMostRestRatio = 64;

/// Calls in a turn of the incumbent at most.
constexpr std::uint64_t kLongTurn = 1024;

/// The first agreement counts as at most so many calls of the incumbent, in thousandths.
constexpr std::int64_t kMostFirstAgreement = 16 * kSame;

}  // namespace

Learning::Learning(std::size_t choices, std::uint64_t seed, std::span<const std::int64_t> known,
                   std::uint64_t calls_before)
    : count_(choices), calls_(calls_before), random_(seed) {
  for (std::size_t c = 0; c < count_; ++c) {
    Choice& choice = choices_[c];
    if (c < known.size()) choice.known = std::clamp<std::int64_t>(known[c], 0, kLongest);
    choice.has_run = c == 0 || choice.known != 0;
    choice.due = kFirstUnseen;
    compares_known_ |= c != 0 && choice.known != 0;
  }
  choices_[0].ratio = kSame;
  wait_ = compares_known_ ? 1 : kFirstUnseen - std::min(calls_, kFirstUnseen);
}

Learning::Turn Learning::next() {
  const Turn turn = next_turn();
  calls_ += turn.calls;
  if (turn.choice == incumbent_)
    saved_ += static_cast<double>(turn.calls) * static_cast<double>(saved_per_call_);
  return turn;
}

Learning::Turn Learning::next_turn() {
  if (count_ == 1) return {incumbent_, kLongTurn, false};
  if (is_trial_over()) return {incumbent_, 1, false};
  if (samples_.kind() != Samples::Kind::duel && !begin_pairs()) return review_turn();
  const Turn turn{samples_.is_challengers_turn() ? challenger_ : incumbent_, 1,
                  samples_.is_timed()};
  if (!turn.is_timed) samples_.skip();
  return turn;
}

/// Up to the next look of a duel. A review that is not over is dropped, since the duel tells more.
bool Learning::begin_pairs() {
  if (compares_known_) return false;
  challenger_ = pick_challenger();
  if (challenger_ == incumbent_) return false;
  const Choice& choice = choices_[challenger_];
  samples_.begin(Samples::Kind::duel, 2 * choice.pairs(), choice.blocks(),
                 mix(random_ += kGoldenGamma));
  samples_.set_agreement(own_agreement_);
  return true;
}

/// What looks faster than the incumbent by a tenth comes first, then what has never run, then what is near and has
/// had no runs, then what has the fewest pairs, and of these the cheapest. All must be due, and the account must be
/// able to pay. But the others wait for what is new: a choice that is as fast as the incumbent costs so little that
/// its duel would take all that there is. Returns the incumbent if there is none.
std::size_t Learning::pick_challenger() const {
  std::optional<std::size_t> picked;
  const auto order = [&](std::size_t c) {
    const Choice& choice = choices_[c];
    const bool looks_faster = choice.ratio != 0 && choice.ratio < kLooksFaster;
    return std::tuple(!looks_faster, choice.has_run, !choice.is_new(), choice.duel.pairs(),
                      cost(c));
  };
  const auto can_pay = [&](std::size_t c) { return account_.can_pay(cost(c), calls_); };
  for (std::size_t c = 0; c < count_; ++c) {
    if (c == incumbent_ || choices_[c].due > calls_) continue;
    if (!choices_[c].is_new() && !can_pay(c)) continue;
    if (!picked || order(c) < order(*picked)) picked = c;
  }
  return picked && can_pay(*picked) ? *picked : incumbent_;
}

/// The account is kept for a choice that is due and has never run, and in the first calls, in which most is spent, also
/// for one without a verdict.
bool Learning::is_account_kept() const {
  for (std::size_t c = 0; c < count_; ++c) {
    const Choice& choice = choices_[c];
    if (c == incumbent_ || choice.due > calls_) continue;
    if (!choice.has_run || (calls_ < Account::kEarlyCalls && choice.defeats == 0)) return true;
  }
  return false;
}

/// Of the next trial, as far as is known.
std::int64_t Learning::cost(std::size_t challenger) const {
  const Choice& choice = choices_[challenger];
  const std::int64_t ratio =
      choice.ratio == 0 ? kUnseenRatio : std::clamp(choice.ratio, kSame, kMostCountedRatio);
  return static_cast<std::int64_t>(choice.calls()) * (ratio - kSame) + agreement_cost();
}

Learning::Turn Learning::review_turn() {
  const bool has_begun = samples_.kind() == Samples::Kind::review;
  const std::uint64_t to_review = has_begun ? wait_ : std::max(wait_, calls_to_pay_review());
  if (to_review == 0) {
    if (!has_begun) begin_review();
    wait_ = spacing_ - 1;
    return {incumbent_, 1, true};
  }
  const std::uint64_t calls = std::min(to_review, calls_to_chance());
  wait_ -= std::min(calls, wait_);
  return {incumbent_, calls, false};
}

/// The known choices are compared first, before what has never run.
std::uint64_t Learning::calls_to_pay_review() const {
  if (!compares_known_ && is_account_kept()) return kLongTurn;
  return calls_to_pay(agreement_cost());
}

void Learning::begin_review() {
  samples_.begin(Samples::Kind::review, Watch::kReviewed);
  samples_.set_agreement(own_agreement_);
}

/// A challenger that is due may have to wait until the account can pay. If it can, it waits for another one that is
/// new.
std::uint64_t Learning::calls_to_chance() const {
  std::uint64_t calls = kLongTurn;
  for (std::size_t c = 0; c < count_; ++c) {
    if (c == incumbent_) continue;
    const bool is_due = choices_[c].due <= calls_;
    const std::uint64_t left = is_due ? calls_to_pay(cost(c)) : choices_[c].due - calls_;
    if (left != 0) calls = std::min(calls, left);
  }
  return calls;
}

std::uint64_t Learning::calls_to_pay(std::int64_t cost) const {
  const std::uint64_t from = account_.can_pay_after(cost);
  return from - std::min(from, calls_);
}

void Learning::record_agreement(std::int64_t nanoseconds) {
  own_agreement_ = nanoseconds;
}

void Learning::learn() {
  samples_.clean();
  if (samples_.kind() == Samples::Kind::duel)
    learn_duel();
  else if (!samples_.have_failed())
    learn_review();
  compares_known_ = false;
  learn_agreement();
  samples_.end();
  plan_review();
}

/// What has never run may make memory and tables in more than one call. The first ones decide only if it is clearly
/// faster all the same.
void Learning::learn_duel() {
  if (samples_.have_failed()) {
    postpone(challenger_, samples_.has_challenger_failed() ? kMostRatio : kSame);
    return;
  }
  Choice& choice = choices_[challenger_];
  const Verdict verdict =
      choice.duel.look(samples_.times().subspan(2 * choice.cold_pairs()), samples_.are_of_runs());
  const std::int64_t ratio = ratio_of(samples_.challengers(), samples_.incumbents());
  const bool is_cold = !std::exchange(choice.has_run, true);
  choice.has_had_runs |= samples_.are_of_runs();
  choice.ratio = is_cold ? first_ratio(choice.duel.least()) : ratio;
  account_.pay(static_cast<std::int64_t>(samples_.calls()) *
               (std::clamp(ratio, kSame, kMostCountedRatio) - kSame));
  if (watch_.time() == 0) watch_.begin(samples_.incumbents());
  if (challenger_ == 0) saved_per_call_ = samples_.challengers() - samples_.incumbents();
  if (verdict == Verdict::wins)
    promote(challenger_, samples_.challengers(),
            {Reason::duel, calls_, incumbent_, choice.duel.pairs(), choice.duel.faster()});
  else if (is_cold)
    choice.duel = Duel();
  else if (verdict == Verdict::loses)
    postpone(challenger_, choice.ratio);
}

/// The least ratio of a pair says what a challenger may cost, because in the others it was colder. But the incumbent
/// may have been disturbed in that pair. Then the shortest times of both show that the challenger is slow.
std::int64_t Learning::first_ratio(std::int64_t least) const {
  const std::int64_t of_shortest = samples_.ratio_of_shortest();
  return of_shortest > kUnseenRatio ? of_shortest : least;
}

void Learning::learn_review() {
  if (compares_known_) {
    watch_.begin(samples_.incumbents());
    compare_with_known();
  } else if (watch_.is_change(samples_.times(), samples_.incumbents())) {
    open_all();
  }
}

/// The fastest known choice becomes the incumbent if the first one takes half as long again in most of its calls. Even
/// a wrong decision costs little, because the first choice may challenge soon.
void Learning::compare_with_known() {
  std::size_t fastest = 0;
  for (std::size_t c = 1; c < count_; ++c) {
    Choice& choice = choices_[c];
    if (choice.known == 0) continue;
    choice.ratio = ratio_of(choice.known, watch_.time());
    if (choice.ratio < kLooksFaster) choice.due = std::min(choice.due, calls_);
    if (fastest == 0 || choice.known < choices_[fastest].known) fastest = c;
  }
  const std::int64_t least = choices_[fastest].known;
  if (count_longer(samples_.times(), least, kSame * 3 / 2) < Watch::kMany) return;
  Choice& left = choices_[incumbent_];
  promote(fastest, least, {Reason::known, calls_, incumbent_, 0, 0});
  left.ratio = std::min(left.ratio, kUnseenRatio);
  left.due = calls_ + kRestOfReplaced;
}

/// The least so far, which doubles at most with each longer one: an agreement also takes as long as the last rank keeps
/// the others waiting, and a time slice must not end the learning.
void Learning::learn_agreement() {
  account_.pay(agreement_cost());
  const std::int64_t now = samples_.agreement();
  if (now == 0) return;
  const std::int64_t most =
      agreement_ == 0 ? scaled(watch_.time(), kMostFirstAgreement) : 2 * agreement_;
  agreement_ = std::min(now, std::max<std::int64_t>(most, 1));
}

/// As much as a call, if nothing is known.
std::int64_t Learning::agreement_cost() const {
  if (agreement_ == 0 || watch_.time() == 0) return Account::kCall;
  return ratio_of(agreement_, watch_.time());
}

/// How much slower it was counts from the second defeat on.
void Learning::postpone(std::size_t challenger, std::int64_t ratio) {
  Choice& choice = choices_[challenger];
  const std::int64_t factor = std::clamp(ratio / kSame, std::int64_t{1}, kMostRestRatio);
  choice.due = calls_ + (kRest << std::min(choice.defeats, kMostDoublings)) *
                            static_cast<std::uint64_t>(choice.defeats == 0 ? 1 : factor);
  ++choice.defeats;
  choice.duel = Duel();
}

void Learning::promote(std::size_t winner, std::int64_t time, const Decision& decision) {
  const std::int64_t ratio = choices_[winner].ratio;
  for (Choice& choice : choices_) {
    if (choice.ratio != 0) choice.ratio = ratio_of(choice.ratio, ratio);
    choice.duel = Duel();
  }
  choices_[winner].defeats = 0;
  if (decision.reason == Reason::duel) postpone(incumbent_, choices_[incumbent_].ratio);
  saved_per_call_ = winner == 0 ? 0 : saved_per_call_ + samples_.incumbents() - time;
  incumbent_ = winner;
  watch_.begin(time);
  decision_ = decision;
}

/// What was slow before the change may be fast now, so that alone must not make it too dear to try.
void Learning::open_all() {
  for (Choice& choice : choices_) {
    choice.due = std::min(choice.due, calls_);
    choice.ratio = std::min(choice.ratio, kUnseenRatio);
    choice.defeats = 0;
    choice.duel = Duel();
  }
}

void Learning::plan_review() {
  spacing_ = watch_.spacing(agreement_cost());
  wait_ = std::max(spacing_, kFirstUnseen - std::min(calls_, kFirstUnseen)) - 1;
}

}  // namespace rondo::select
