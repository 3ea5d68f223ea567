// Lets outstanding exchanges go on whatever the program does: by a hook in the MPI library, or by a thread.
// begin_progress() says which.
#pragma once

#include <atomic>
#include <chrono>

#include "transport/outstanding.hpp"
#include "transport/progress_thread.hpp"

namespace rondo::mpi {

// The hook: they go on wherever the MPI library makes progress: in every function in which it
// waits, whatever for, and in its tests.
//
// Open MPI calls a function that opal_progress_register was given, as it calls its own that carry out
// MPI_Ialltoall. So what goes on there goes on wherever the library's own nonblocking exchanges do.
//
// MPICH has nothing that does. Version 4.0 calls the function of MPIX_Grequest_start only in tests of that
// request, never in MPI_Recv. Version 5.0 calls what MPIX_Async_start was given in all of its waits. But with
// MPI_THREAD_MULTIPLE a call of MPI from there ends the program, MPI_Finalize waits for it before it deletes
// the attributes of MPI_COMM_SELF, and MPI_Waitany and its like may end the program at a generalized request.

/// Local. Whether the MPI library of this process can do that.
bool has_progress_hook();

/// Asks the library to do it from now on. It must be able to. Costs a call and a look at a number wherever
/// the library makes progress, also while nothing is outstanding.
void begin_progress_hook();

/// Whether it does.
inline std::atomic<bool> g_has_progress_hook{false};

/// Ends it. Must be called before MPI is finalized.
void end_progress_hook();

/// Must be called before an exchange is started. Makes sure that what is outstanding goes on while a thread
/// waits in the MPI library: by a hook where the library has one. Elsewhere a thread does it, if the program's
/// threads may call MPI at the same time, or if it `wants_thread`.
void begin_progress(bool wants_thread);

/// Must be called before a function of the MPI library that waits for ranks which may be waiting for what
/// is outstanding here. If that does not go on meanwhile, completes it first.
inline void before_library_call() {
  if (transport::has_outstanding() && !transport::g_has_progress_thread && !g_has_progress_hook)
    transport::complete_all_outstanding();
}

/// Completes what is outstanding at the end of MPI. After `patience` gives up what is left, and
/// returns how many.
int end_outstanding(std::chrono::milliseconds patience);

}  // namespace rondo::mpi
