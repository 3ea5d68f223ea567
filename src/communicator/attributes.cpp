#include "communicator/attributes.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <mutex>
#include <new>

#include "communicator/announcement.hpp"
#include "communicator/profile.hpp"
#include "mpi/collectives.hpp"
#include "mpi/error.hpp"
#include "mpi/progress.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// All live states, and the attribute keys. The mutex is held across local MPI calls only.
struct States {
  std::mutex mutex;
  std::atomic<int> state_key = MPI_KEYVAL_INVALID;  ///< set last
  int finalize_key = MPI_KEYVAL_INVALID;
  int existence_key = MPI_KEYVAL_INVALID;
  std::list<std::weak_ptr<State>> alive;  ///< may contain expired ones
  std::size_t swept_at = 64;              ///< the size at which expired ones are removed
};

States& all_states() {
  // Never destroyed, because a static object's destructor may call MPI_Finalize. A rank that has no memory asks for
  // it, too.
  alignas(States) static std::array<std::byte, sizeof(States)> memory;
  static States& states = *new (memory.data()) States;
  return states;
}

/// Counts states whose communicator was freed, and MPI_Finalize. A cached handle is valid only
/// while this number stays the same, since MPI may reuse a handle for another communicator.
std::atomic<std::uint64_t> g_deleted{0};

std::atomic<bool> g_has_ended{false};

struct Recent {
  MPI_Comm comm;
  std::shared_ptr<State>* state;
  std::uint64_t deleted;
};

/// Returns this thread's cache entry for a communicator. Programs alternate between a few
/// communicators, such as the rows and columns of a grid. The lowest bits of a handle, which is a
/// small number or an address, distinguish little, so higher bits are mixed in.
Recent& recent_entry(MPI_Comm comm) {
  constexpr std::size_t kEntries = 16;
  thread_local constinit std::array<Recent, kEntries> entries{};
  const std::size_t handle = std::hash<MPI_Comm>{}(comm);
  return entries[(handle ^ handle >> 4 ^ handle >> 8 ^ handle >> 12) % kEntries];
}

int delete_state(MPI_Comm, int, void* value, void*) {
  ++g_deleted;
  const std::unique_ptr<std::shared_ptr<State>> state(static_cast<std::shared_ptr<State>*>(value));
  (*state)->forget_comm();
  (*state)->close_together();
  return MPI_SUCCESS;
}

using Existence = std::shared_ptr<std::atomic<bool>>;

int delete_existence(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<Existence> existence(static_cast<Existence*>(value));
  **existence = false;
  return MPI_SUCCESS;
}

/// Other ranks may still wait for exchanges that this rank has started and not completed. A program that
/// ends in the middle of one must not hang.
void end_requests() {
  constexpr std::chrono::seconds kPatience{2};
  const int left = mpi::end_outstanding(kPatience);
  if (left == 0) return;
  std::fprintf(stderr,
               "rondo: MPI_Finalize was called while %d exchange%s that this process has started "
               "%s not over; complete every request before\n",
               left, left == 1 ? "" : "s", left == 1 ? "was" : "were");
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while MPI can still be used. The order in which states
/// were made may differ between ranks if threads made them. MPI libraries do not synchronise when they free a
/// communicator there.
int close_all(MPI_Comm, int, void*, void*) {
  States& all = all_states();
  end_requests();
  g_has_ended = true;
  ++g_deleted;
  std::list<std::weak_ptr<State>> alive;
  {
    const std::lock_guard lock(all.mutex);
    alive.swap(all.alive);
  }
  for (const std::weak_ptr<State>& state : alive)
    if (const auto strong = state.lock()) {
      strong->close_together();
      strong->close();
    }
  write_learned();
  int state_key = all.state_key.exchange(MPI_KEYVAL_INVALID);
  PMPI_Comm_free_keyval(&state_key);
  PMPI_Comm_free_keyval(&all.existence_key);
  PMPI_Comm_free_keyval(&all.finalize_key);
  return MPI_SUCCESS;
}

int make_state_key() {
  States& all = all_states();
  const std::lock_guard lock(all.mutex);
  if (all.state_key != MPI_KEYVAL_INVALID) return all.state_key;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_all, &all.finalize_key, nullptr),
        "MPI_Comm_create_keyval");
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, all.finalize_key, nullptr), "MPI_Comm_set_attr");
  check(
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_existence, &all.existence_key, nullptr),
      "MPI_Comm_create_keyval");
  int key = MPI_KEYVAL_INVALID;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_state, &key, nullptr),
        "MPI_Comm_create_keyval");
  return all.state_key = key;
}

int state_key() {
  const int key = all_states().state_key.load(std::memory_order_acquire);
  return key != MPI_KEYVAL_INVALID ? key : make_state_key();
}

void remember(const std::shared_ptr<State>& state) {
  States& all = all_states();
  const std::lock_guard lock(all.mutex);
  all.alive.push_back(state);
  if (all.alive.size() < all.swept_at) return;
  all.alive.remove_if([](const std::weak_ptr<State>& old) { return old.expired(); });
  all.swept_at = 2 * all.alive.size() + 64;
}

/// Collective unless `progress`, the value of RONDO_PROGRESS, is empty. Throws Error(argument) on all
/// ranks if a rank has no MPI_THREAD_MULTIPLE.
void require_progress(MPI_Comm comm, const std::string& progress) {
  if (progress.empty()) return;
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level), "MPI_Query_thread");
  mpi::reduce_on(comm, &level, 1, MPI_INT, MPI_MIN);
  if (level != MPI_THREAD_MULTIPLE)
    throw Error(
        ErrorClass::argument,
        "RONDO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and MPI was initialised without it "
        "on some rank; request it from MPI_Init_thread, or unset RONDO_PROGRESS");
}

/// Collective. Gives the communicator its state.
void begin_state(MPI_Comm comm, std::unique_ptr<std::shared_ptr<State>> state) {
  remember(*state);
  auto watched = Watched::at_first_exchange(comm, **state);
  registry::Settings settings = settings_of_rank_0(comm);
  require_progress(comm, settings.progress);
  (*state)->begin(std::move(settings));
  (*state)->watch(std::move(watched));
  check(PMPI_Comm_set_attr(comm, state_key(), state.get()), "MPI_Comm_set_attr");
  state.release();
}

template <class Value>
Value* attribute_of(MPI_Comm comm, int key) {
  void* value = nullptr;
  int is_set = 0;
  check(PMPI_Comm_get_attr(comm, key, &value, &is_set), "MPI_Comm_get_attr");
  return is_set ? static_cast<Value*>(value) : nullptr;
}

}  // namespace

State* recent_state(MPI_Comm comm) {
  const Recent& recent = recent_entry(comm);
  const bool is_valid = recent.state != nullptr && recent.comm == comm &&
                        recent.deleted == g_deleted.load(std::memory_order_acquire);
  return is_valid ? recent.state->get() : nullptr;
}

State* known_state(MPI_Comm comm) {
  State* const recent = recent_state(comm);
  return recent != nullptr ? recent : find_state(comm);
}

bool has_ended(MPI_Comm comm) {
  if (g_has_ended) return true;
  int is_finalized = 0;
  check(PMPI_Finalized(&is_finalized), "MPI_Finalized");
  return is_finalized != 0 && find_state(comm) == nullptr;
}

void note_all_learned() {
  States& all = all_states();
  std::list<std::weak_ptr<State>> alive;
  {
    const std::lock_guard lock(all.mutex);
    alive = all.alive;
  }
  for (const std::weak_ptr<State>& state : alive)
    if (const auto strong = state.lock()) strong->note_learned();
}

State* find_state(MPI_Comm comm) {
  const int key = all_states().state_key.load(std::memory_order_acquire);
  if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL) return nullptr;
  const auto* state = attribute_of<std::shared_ptr<State>>(comm, key);
  return state == nullptr ? nullptr : state->get();
}

std::shared_ptr<State>& state_of(MPI_Comm comm) {
  if (has_ended(comm))
    throw Error(ErrorClass::other, "Rondo cannot be used after MPI_Finalize has begun");
  if (attribute_of<std::shared_ptr<State>>(comm, state_key()) == nullptr)
    begin_state(comm, std::make_unique<std::shared_ptr<State>>(std::make_shared<State>(comm)));
  auto* const state = attribute_of<std::shared_ptr<State>>(comm, state_key());
  recent_entry(comm) = {comm, state, g_deleted};
  return *state;
}

std::shared_ptr<const std::atomic<bool>> existence_of(MPI_Comm comm) {
  state_key();  // makes all keys
  const int key = all_states().existence_key;
  if (const auto* known = attribute_of<Existence>(comm, key)) return *known;
  auto existence = std::make_unique<Existence>(std::make_shared<std::atomic<bool>>(true));
  check(PMPI_Comm_set_attr(comm, key, existence.get()), "MPI_Comm_set_attr");
  return *existence.release();
}

}  // namespace rondo::communicator
