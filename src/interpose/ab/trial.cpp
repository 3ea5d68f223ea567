#include "interpose/ab/trial.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "api/attributes.hpp"
#include "exchange/mpi_error.hpp"
#include "interpose/environment.hpp"

namespace rondo::interpose::ab {

using exchange::check;

namespace {

using Trial = std::array<Series, api::kFormNames.size()>;

struct Trials {
  std::mutex mutex;
  std::map<std::size_t, Trial> of_state;  ///< by State::number, which no other state gets
  std::vector<Series*> series;
  std::atomic<bool> has_any = false;
  std::atomic<std::int64_t> room = kMostKept;
  std::atomic<double> exchange_seconds = 0;
};

Trials& trials() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Trials& all = *new Trials;
  return all;
}

Trial* trial_of(const api::State& state) {
  Trials& all = trials();
  const std::lock_guard lock(all.mutex);
  const auto at = all.of_state.find(state.number());
  return at == all.of_state.end() ? nullptr : &at->second;
}

Trial* trial_on(MPI_Comm comm) {
  if (!trials().has_any.load(std::memory_order_acquire) || comm == MPI_COMM_NULL) return nullptr;
  const api::State* state = api::recent_state(comm);
  if (state == nullptr) state = api::find_state(comm);
  return state == nullptr ? nullptr : trial_of(*state);
}

/// False once the room is used up, for good: what is kept has no gaps.
bool keep_one_more(Series& series) {
  std::atomic<std::int64_t>& room = trials().room;
  if (room.load() <= 0 || room.fetch_sub(1) <= 0) return false;
  try {
    series.seconds.push_back(std::numeric_limits<float>::infinity());
  } catch (const std::bad_alloc&) {
    room = 0;
    return false;
  }
  return true;
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

/// Collective, after a call of `warm`: the turns begin with the next one.
void begin_trial(const api::State& state, MPI_Comm comm, api::Form warm) {
  std::int64_t number = static_cast<std::int64_t>(state.number());
  check(PMPI_Bcast(&number, 1, MPI_INT64_T, 0, comm), "MPI_Bcast");
  const int root = root_in_world(comm);
  Trials& all = trials();
  const std::lock_guard lock(all.mutex);
  Trial& trial = all.of_state[state.number()];
  for (std::size_t form = 0; form < trial.size(); ++form) {
    trial[form] = {.root = root,
                   .communicator = number,
                   .form = static_cast<api::Form>(form),
                   .ranks = state.ranks(),
                   .is_root = state.rank() == 0,
                   .seed = static_cast<std::uint64_t>(state.settings().ab_seed),
                   .is_warm = static_cast<api::Form>(form) == warm,
                   .seconds = {}};
    all.series.push_back(&trial[form]);
  }
  all.has_any.store(true, std::memory_order_release);
}

}  // namespace

Turn next_turn(MPI_Comm comm, api::Form form) noexcept {
  Trial* trial = nullptr;
  try {
    trial = trial_on(comm);
  } catch (const std::exception&) {
    return {};  // the communicator is no good: whoever carries out the call will say so
  }
  if (trial == nullptr) return {};
  Series& series = (*trial)[static_cast<std::size_t>(form)];
  if (!std::exchange(series.is_warm, true)) return {};
  const Arm arm = arm_of(series.seed, series.calls++);
  if (!keep_one_more(series)) return {.arm = arm};
  return {.arm = arm, .series = &series, .place = series.seconds.size() - 1};
}

void note_call(const api::State& state, MPI_Comm comm, api::Form form, const Outcome& outcome) {
  trials().exchange_seconds.fetch_add(outcome.seconds, std::memory_order_relaxed);
  const Turn& turn = outcome.turn;
  if (turn.series != nullptr && outcome.has_succeeded)
    turn.series->seconds[turn.place] = static_cast<float>(outcome.seconds);
  const bool can_compare = state.is_prepared() && state.packs_raw();
  if (can_compare && trial_of(state) == nullptr) begin_trial(state, comm, form);
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
