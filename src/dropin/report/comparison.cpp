#include "dropin/report/comparison.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "communicator/attributes.hpp"
#include "dropin/contract.hpp"
#include "dropin/report/report.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin::ab {

using mpi::check;

namespace {

/// The series of one communicator, by form.
using Comparison = std::array<Series, buffers::kFormNames.size()>;

struct Comparisons {
  std::mutex mutex;
  std::map<std::size_t, Comparison> of_state;  ///< by State::number, which is never reused
  std::vector<Series*> series;
  std::atomic<bool> has_any = false;
  std::atomic<std::int64_t> turns_left = kMostTurns;
  std::atomic<double> exchange_seconds = 0;
  std::atomic<std::int64_t> next_key = 0;
  std::atomic<std::int64_t> calls = 0;  ///< that took turns
};

Comparisons& comparisons() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Comparisons& all = *new Comparisons;
  return all;
}

Comparison* comparison_of(const communicator::State& state) {
  Comparisons& all = comparisons();
  const std::lock_guard lock(all.mutex);
  const auto at = all.of_state.find(state.number());
  return at == all.of_state.end() ? nullptr : &at->second;
}

void forget(const communicator::State& state) {
  Comparisons& all = comparisons();
  const std::lock_guard lock(all.mutex);
  all.of_state.erase(state.number());
}

Comparison* comparison_on(MPI_Comm comm) {
  const communicator::State* const state = communicator::known_state(comm);
  return state == nullptr ? nullptr : comparison_of(*state);
}

/// Returns false once no turn is left. It stays false, since the stored turns must have no gaps.
bool store_turn(Series& series, const OwnTurn& turn) {
  std::atomic<std::int64_t>& turns_left = comparisons().turns_left;
  if (turns_left.load() <= 0 || turns_left.fetch_sub(1) <= 0) return false;
  try {
    series.turns.push_back(turn);
  } catch (const std::bad_alloc&) {
    turns_left = 0;
    return false;
  }
  return true;
}

void begin_turn(Series& series, double now) {
  series.turn_begin = now;
  series.inside_turn = 0;
}

void begin_series(Series& series, double now) {
  series.begin = comparisons().calls;
  begin_turn(series, now);
}

void end_turn(Series& series, double now) {
  if (!series.is_full)
    series.is_full = !store_turn(series, {.end = comparisons().calls,
                                          .elapsed = static_cast<float>(now - series.turn_begin),
                                          .inside = static_cast<float>(series.inside_turn)});
  begin_turn(series, now);
}

void note_turn(const Outcome& outcome) {
  if (outcome.turn.series == nullptr) return;
  Series& series = *outcome.turn.series;
  if (!outcome.turn.is_counted) return begin_series(series, outcome.end);
  ++comparisons().calls;
  series.inside_turn += outcome.seconds;
  if (series.calls % kTurnCalls == 0) end_turn(series, outcome.end);
}

/// Which rank of MPI_COMM_WORLD is rank 0 of `comm`, or MPI_UNDEFINED.
int root_in_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  const int root = 0;
  int in_world = MPI_UNDEFINED;
  check(PMPI_Comm_group(comm, &group), "MPI_Comm_group");
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check(PMPI_Group_translate_ranks(group, 1, &root, world, &in_world), "MPI_Group_translate_ranks");
  check(PMPI_Group_free(&group), "MPI_Group_free");
  check(PMPI_Group_free(&world), "MPI_Group_free");
  return in_world;
}

/// Returns null if this rank cannot make one. begin_turns adds its series to the list.
Comparison* make_comparison(const communicator::State& state, MPI_Comm comm) {
  Comparisons& all = comparisons();
  try {
    const int root = root_in_world(comm);
    const std::lock_guard lock(all.mutex);
    all.series.reserve(all.series.size() + std::tuple_size_v<Comparison>);
    Comparison& comparison = all.of_state[state.number()];
    for (std::size_t form = 0; form < comparison.size(); ++form)
      comparison[form] = {.root = root,
                          .form = static_cast<buffers::Form>(form),
                          .ranks = state.ranks(),
                          .seed = static_cast<std::uint64_t>(state.settings().ab_seed),
                          .turns = {}};
    return &comparison;
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// What the ranks of a communicator agree on when a comparison begins: the greatest value of each
/// field.
struct Proposal {
  std::int64_t number;  ///< of the communicator, from its rank 0
  std::int64_t key;     ///< of the order of its turns
  std::int64_t failures;
  std::int64_t minus_set_up_nanoseconds;  ///< negative: the last rank to arrive waited for nobody
};

void begin_turns(Comparison& comparison, const Proposal& agreed, buffers::Form warm) {
  Comparisons& all = comparisons();
  const std::lock_guard lock(all.mutex);
  all.next_key = std::max(all.next_key.load(), agreed.key + 1);
  for (Series& series : comparison) {
    series.communicator = agreed.number;
    series.order = order_of(series.seed, agreed.key, series.form);
    if (series.form == warm) {
      series.is_warm = true;
      series.set_up_seconds = -1e-9 * static_cast<double>(agreed.minus_set_up_nanoseconds);
      begin_series(series, now_in_seconds());
    }
    all.series.push_back(&series);
  }
  all.has_any.store(true, std::memory_order_release);
}

/// Collective. Called after the call in which Rondo was set up; the turns begin with the next call.
/// If one rank took no turns, the others would hang, so all ranks take turns, or all try again
/// after their next call. Communicators that share a rank get different keys. The parts of one
/// split, each rank being in one of them, get the same key and so change arms together: the program
/// gains only once all of them have changed.
void begin_comparison(const communicator::State& state, MPI_Comm comm, buffers::Form warm,
                      double set_up_seconds) {
  Comparison* const comparison = make_comparison(state, comm);
  Proposal proposal{.number = state.rank() == 0 ? static_cast<std::int64_t>(state.number()) : 0,
                    .key = comparisons().next_key,
                    .failures = comparison == nullptr,
                    .minus_set_up_nanoseconds = -std::llround(1e9 * set_up_seconds)};
  check(PMPI_Allreduce(MPI_IN_PLACE, &proposal, sizeof proposal / sizeof(std::int64_t), MPI_INT64_T,
                       MPI_MAX, comm),
        "MPI_Allreduce");
  if (proposal.failures == 0) return begin_turns(*comparison, proposal, warm);
  forget(state);
}

}  // namespace

Turn next_turn(MPI_Comm comm, buffers::Form form) noexcept {
  if (!comparisons().has_any.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return {};
  Comparison* comparison = nullptr;
  try {
    comparison = comparison_on(comm);
  } catch (const std::exception&) {
    return {};  // the communicator is invalid; the call itself returns the error
  }
  if (comparison == nullptr) return {};
  Series& series = (*comparison)[static_cast<std::size_t>(form)];
  if (!std::exchange(series.is_warm, true)) return {.series = &series};
  return {.arm = arm_of(series.order, series.calls++), .series = &series, .is_counted = true};
}

void note_call(const communicator::State& state, MPI_Comm comm, buffers::Form form,
               const Outcome& outcome) {
  comparisons().exchange_seconds.fetch_add(outcome.seconds, std::memory_order_relaxed);
  note_turn(outcome);
  const bool can_compare = state.life() == communicator::Life::ready && state.packs_raw();
  if (can_compare && comparison_of(state) == nullptr)
    begin_comparison(state, comm, form, outcome.seconds);
}

bool is_comparing() {
  return comparisons().has_any || is_set("RONDO_AB");
}

const std::vector<Series*>& all_series() {
  return comparisons().series;
}

double exchange_seconds() {
  return comparisons().exchange_seconds;
}

}  // namespace rondo::dropin::ab
