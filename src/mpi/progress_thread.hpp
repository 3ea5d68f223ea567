// A thread that lets outstanding exchanges go on whatever the program does; begin_progress() says when there
// is one.
//
// It calls MPI only while an exchange is outstanding, and only one thread at a time lets exchanges go on. So a
// program that has completed its requests may end MPI at any time.
#pragma once

#include <chrono>

namespace rondo::mpi {

/// Makes the thread, unless this process has it. Prints a warning once if that is impossible: exchanges
/// then go on in calls only.
void begin_progress_thread();

/// Must be called after an exchange has become outstanding.
void wake_progress_thread();

/// Ends the thread, if there is one. Waits at most for `patience` until it has left MPI, and returns
/// whether it has.
bool end_progress_thread(std::chrono::milliseconds patience);

}  // namespace rondo::mpi
