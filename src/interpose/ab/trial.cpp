#include "interpose/ab/trial.hpp"

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
#include "exchange/mpi_error.hpp"
#include "interpose/clock.hpp"
#include "interpose/environment.hpp"

namespace rondo::interpose::ab {

using exchange::check;

namespace {

using Trial = std::array<Series, buffers::kFormNames.size()>;

struct Trials {
  std::mutex mutex;
  std::map<std::size_t, Trial> of_state;  ///< by State::number, which no other state gets
  std::vector<Series*> series;
  std::atomic<bool> has_any = false;
  std::atomic<std::int64_t> room = kMostKept;
  std::atomic<double> exchange_seconds = 0;
  std::atomic<std::int64_t> next_key = 0;
  std::atomic<std::int64_t> calls = 0;  ///< that took turns
};

Trials& trials() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Trials& all = *new Trials;
  return all;
}

Trial* trial_of(const communicator::State& state) {
  Trials& all = trials();
  const std::lock_guard lock(all.mutex);
  const auto at = all.of_state.find(state.number());
  return at == all.of_state.end() ? nullptr : &at->second;
}

void forget_trial(const communicator::State& state) {
  Trials& all = trials();
  const std::lock_guard lock(all.mutex);
  all.of_state.erase(state.number());
}

Trial* trial_on(MPI_Comm comm) {
  if (!trials().has_any.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return nullptr;
  const communicator::State* state = communicator::recent_state(comm);
  if (state == nullptr) state = communicator::find_state(comm);
  return state == nullptr ? nullptr : trial_of(*state);
}

/// False once the room is used up, for good: what is kept has no gaps.
bool keep(Series& series, const OwnBlock& block) {
  std::atomic<std::int64_t>& room = trials().room;
  if (room.load() <= 0 || room.fetch_sub(1) <= 0) return false;
  try {
    series.blocks.push_back(block);
  } catch (const std::bad_alloc&) {
    room = 0;
    return false;
  }
  return true;
}

void begin_block(Series& series, double now) {
  series.block_begin = now;
  series.inside_block = 0;
}

void begin_series(Series& series, double now) {
  series.begin = trials().calls;
  begin_block(series, now);
}

void end_block(Series& series, double now) {
  if (!series.is_full)
    series.is_full = !keep(series, {.end = trials().calls,
                                    .elapsed = static_cast<float>(now - series.block_begin),
                                    .inside = static_cast<float>(series.inside_block)});
  begin_block(series, now);
}

void note_turn(const Outcome& outcome) {
  if (outcome.turn.series == nullptr) return;
  Series& series = *outcome.turn.series;
  if (!outcome.turn.is_counted) return begin_series(series, outcome.end);
  ++trials().calls;
  series.inside_block += outcome.seconds;
  if (series.calls % kBlockCalls == 0) end_block(series, outcome.end);
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

void set_up(Trial& trial, const communicator::State& state, MPI_Comm comm) {
  const int root = root_in_world(comm);
  for (std::size_t form = 0; form < trial.size(); ++form)
    trial[form] = {.root = root,
                   .form = static_cast<buffers::Form>(form),
                   .ranks = state.ranks(),
                   .seed = static_cast<std::uint64_t>(state.settings().ab_seed),
                   .blocks = {}};
}

/// Null where this rank cannot have one. Nobody sees it before it is announced.
Trial* make_trial(const communicator::State& state, MPI_Comm comm) {
  Trials& all = trials();
  try {
    const std::lock_guard lock(all.mutex);
    all.series.reserve(all.series.size() + std::tuple_size_v<Trial>);
    Trial& trial = all.of_state[state.number()];
    set_up(trial, state, comm);
    return &trial;
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// What the ranks of a communicator tell each other when a trial begins; the greatest counts.
struct News {
  std::int64_t number;  ///< of the communicator, from its rank 0
  std::int64_t key;     ///< of the order of its turns
  std::int64_t failures;
  std::int64_t minus_set_up_nanoseconds;  ///< the last to arrive waited for nobody
};

void announce(Trial& trial, const News& news, buffers::Form warm) {
  Trials& all = trials();
  const std::lock_guard lock(all.mutex);
  all.next_key = std::max(all.next_key.load(), news.key + 1);
  for (Series& series : trial) {
    series.communicator = news.number;
    series.order = order_of(series.seed, news.key, series.form);
    if (series.form == warm) {
      series.is_warm = true;
      series.set_up_seconds = -1e-9 * static_cast<double>(news.minus_set_up_nanoseconds);
      begin_series(series, now_in_seconds());
    }
    all.series.push_back(&series);
  }
  all.has_any.store(true, std::memory_order_release);
}

/// Collective, after the call in which Rondo was set up: the turns begin with the next one. A rank
/// that did not take turns would hang the others, so either all do, or they try again after their
/// next call. Communicators that share a rank get different keys. The parts of one split get the
/// same key where each rank is in one of them, so they change arms together: what the program gains
/// shows only once all of them do.
void begin_trial(const communicator::State& state, MPI_Comm comm, buffers::Form warm,
                 double set_up_seconds) {
  Trial* const trial = make_trial(state, comm);
  News news{.number = state.rank() == 0 ? static_cast<std::int64_t>(state.number()) : 0,
            .key = trials().next_key,
            .failures = trial == nullptr,
            .minus_set_up_nanoseconds = -std::llround(1e9 * set_up_seconds)};
  check(PMPI_Allreduce(MPI_IN_PLACE, &news, sizeof news / sizeof(std::int64_t), MPI_INT64_T,
                       MPI_MAX, comm),
        "MPI_Allreduce");
  if (news.failures == 0) return announce(*trial, news, warm);
  forget_trial(state);
}

}  // namespace

Turn next_turn(MPI_Comm comm, buffers::Form form) noexcept {
  Trial* trial = nullptr;
  try {
    trial = trial_on(comm);
  } catch (const std::exception&) {
    return {};  // the communicator is no good: whoever carries out the call will say so
  }
  if (trial == nullptr) return {};
  Series& series = (*trial)[static_cast<std::size_t>(form)];
  if (!std::exchange(series.is_warm, true)) return {.series = &series};
  return {.arm = arm_of(series.order, series.calls++), .series = &series, .is_counted = true};
}

void note_call(const communicator::State& state, MPI_Comm comm, buffers::Form form,
               const Outcome& outcome) {
  trials().exchange_seconds.fetch_add(outcome.seconds, std::memory_order_relaxed);
  note_turn(outcome);
  const bool can_compare = state.is_prepared() && state.packs_raw();
  if (can_compare && trial_of(state) == nullptr) begin_trial(state, comm, form, outcome.seconds);
}

bool is_comparing() {
  return trials().has_any || is_set("RONDO_AB");
}

const std::vector<Series*>& all_series() {
  return trials().series;
}

double exchange_seconds() {
  return trials().exchange_seconds;
}

}  // namespace rondo::interpose::ab
