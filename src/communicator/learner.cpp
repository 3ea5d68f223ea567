#include "communicator/learner.hpp"

#include <algorithm>
#include <utility>

#include "mpi/error.hpp"
#include "mpi/messages.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// Calls that go on before a rank waits for the times of the others. Few ranks wait then.
constexpr int kCallsBeforeSums = 8;

std::vector<std::int64_t> known_times(const std::vector<choice::Choice>& choices,
                                      std::int64_t library_time) {
  std::vector<std::int64_t> known;
  for (const choice::Choice& choice : choices)
    known.push_back(choice.algorithm->is_library() ? library_time : 0);
  return known;
}

}  // namespace

Learner::Learner(MPI_Comm comm, std::vector<choice::Choice> choices, std::uint64_t seed,
                 std::uint64_t calls_before, std::int64_t library_time)
    : comm_(comm),
      choices_(std::move(choices)),
      rule_(choices_.size(), seed, known_times(choices_, library_time), calls_before) {
  sums_.reserve(select::Samples::kMostSums);
}

Learner::~Learner() {
  end(false);
}

void Learner::end(bool is_given_up) {
  if (request_ == MPI_REQUEST_NULL) return;
  int is_finalized = 0;
  if (is_given_up || PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0 ||
      failure_of([&] { mpi::wait_for(request_); }))
    give_up_sum();
}

/// MPI may still write to the sums, so their memory is never freed.
void Learner::give_up_sum() {
  request_ = MPI_REQUEST_NULL;
  new auto(std::move(sums_));
}

Learner::Turn Learner::next() {
  const std::size_t before = rule_.best();
  if (request_ != MPI_REQUEST_NULL) {
    if (calls_to_wait_-- == 0)
      end_sum();
    else
      advance_sum();
  } else if (rule_.is_trial_over()) {
    begin_sum();
  }
  const select::Learning::Turn turn = rule_.next();
  return {choices_[turn.choice], turn.calls, turn.is_timed, rule_.best() != before};
}

std::string Learner::reason() const {
  const select::Learning::Decision& decision = rule_.last_decision();
  if (decision.reason == select::Learning::Reason::first)
    return "learned: from calls of about the same length";
  const std::string before = choices_[decision.before].text();
  if (decision.reason == select::Learning::Reason::known)
    return text("learned: ", before, " takes at least half as long again");
  return text("learned: faster than ", before, " in ", decision.faster, " of ", decision.pairs,
              " pairs of calls");
}

void Learner::record(std::int64_t nanoseconds) {
  rule_.record(nanoseconds);
}

void Learner::record_failure() noexcept {
  failure_of([&] { record(select::Learning::kFailed); });
}

/// It does not wait, so a rank whose exchange has failed returns to the program at once.
void Learner::begin_sum() {
  const auto begin = Clock::now();
  const auto times = rule_.times();
  sums_.assign(times.begin(), times.end());
  calls_to_wait_ = kCallsBeforeSums;
  check(PMPI_Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(sums_.size()), MPI_INT64_T,
                        MPI_SUM, comm_, &request_),
        "MPI_Iallreduce");
  sum_cost_ = nanoseconds_since(begin);
}

/// Lets the MPI library go on with the sum, which takes several messages one after the other.
void Learner::advance_sum() {
  const auto begin = Clock::now();
  int is_over = 0;
  check(PMPI_Request_get_status(request_, &is_over, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  sum_cost_ += nanoseconds_since(begin);
}

void Learner::end_sum() {
  const auto begin = Clock::now();
  mpi::wait_for(request_);
  rule_.record_agreement(std::exchange(trial_cost_, 0) + sum_cost_ + nanoseconds_since(begin));
  std::ranges::copy(sums_, rule_.times().begin());
  rule_.learn();
}

}  // namespace rondo::communicator
