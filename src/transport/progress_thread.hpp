// The thread that lets outstanding exchanges go on whatever the program does.
//
// It lets messages go on only while an exchange is outstanding, and only one thread at a time lets exchanges go on. So a
// program that has completed its requests may end MPI at any time. No MPI.
#pragma once

#include <atomic>
#include <chrono>

namespace rondo::transport {

/// Makes the thread, unless this process has it. Prints a warning once if that is impossible: exchanges
/// then go on in calls only.
void begin_progress_thread();

/// Whether there is one.
inline std::atomic<bool> g_has_progress_thread{false};

/// Must be called after an exchange has become outstanding.
void wake_progress_thread();

/// Ends the thread, if there is one. Waits at most for `patience` until it has left MPI, and returns
/// whether it has.
bool end_progress_thread(std::chrono::milliseconds patience);

}  // namespace rondo::transport
