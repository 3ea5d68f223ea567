#include "mpi/progress.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <mutex>

#include "mpi/error.hpp"

namespace rondo::mpi {

namespace {

/// Returns how many events there were. If there were none, the library may yield its core.
using Callback = int (*)();

/// Open MPI's functions; null in other libraries.
struct Registration {
  int (*add)(Callback) = nullptr;
  int (*remove)(Callback) = nullptr;
};

int advance() {
  return transport::has_outstanding() && transport::advance_outstanding() ? 1 : 0;
}

#ifdef OPEN_MPI
Registration registration_in(void* library) {
  Registration found{
      .add = reinterpret_cast<int (*)(Callback)>(dlsym(library, "opal_progress_register")),
      .remove = reinterpret_cast<int (*)(Callback)>(dlsym(library, "opal_progress_unregister"))};
  if (found.remove == nullptr) found.add = nullptr;
  return found;
}
#endif

/// Looks in the library that this process's MPI calls go to, and in those that it needs. Another one may
/// be mapped. Most programs have theirs among the symbols that all libraries see, which are found much sooner than a
/// library by an address.
Registration find_registration() {
  Registration found;
#ifdef OPEN_MPI
  void* const init = reinterpret_cast<void*>(&PMPI_Init);
  if (dlsym(RTLD_DEFAULT, "PMPI_Init") == init) return registration_in(RTLD_DEFAULT);
  Dl_info mpi{};
  if (dladdr(init, &mpi) == 0) return found;
  void* const library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return found;
  found = registration_in(library);
  dlclose(library);
#endif
  return found;
}

const Registration& registration() {
  static const Registration found = find_registration();
  return found;
}

/// Guards g_has_progress_hook against other threads that begin.
std::mutex& hook_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

bool has_progress_hook() {
  return registration().add != nullptr;
}

void begin_progress_hook() {
  if (g_has_progress_hook.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(hook_mutex());
  if (g_has_progress_hook) return;
  constexpr int kSuccess = 0;  // of Open MPI's own functions
  if (registration().add(&advance) != kSuccess)
    throw Error(ErrorClass::no_memory,
                "opal_progress_register has failed, so a nonblocking exchange would not go on");
  g_has_progress_hook.store(true, std::memory_order_release);
}

void end_progress_hook() {
  const std::lock_guard lock(hook_mutex());
  if (!g_has_progress_hook.exchange(false)) return;
  registration().remove(&advance);
}

void begin_progress(bool wants_thread) {
  if (has_progress_hook()) begin_progress_hook();
  static const bool has_threads = [] {
    int level = MPI_THREAD_SINGLE;
    check(PMPI_Query_thread(&level), "MPI_Query_thread");
    return level == MPI_THREAD_MULTIPLE;
  }();
  if (wants_thread || (has_threads && !has_progress_hook())) transport::begin_progress_thread();
}

int end_outstanding(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  transport::end_progress_thread(patience);
  end_progress_hook();
  while (transport::has_outstanding() && std::chrono::steady_clock::now() < end) {
    transport::advance_outstanding();
    transport::yield_core();
  }
  return transport::give_up_outstanding();
}

}  // namespace rondo::mpi
