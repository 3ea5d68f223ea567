// Lets outstanding exchanges go on whatever the program does: by a hook in the MPI library, or by a thread.
// begin_progress() says which.
#pragma once

#include <chrono>

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

/// Ends it. Must be called before MPI is finalized.
void end_progress_hook();

// The thread.
//
// It calls MPI only while an exchange is outstanding, and only one thread at a time lets exchanges go on. So a
// program that has completed its requests may end MPI at any time.

/// Makes the thread, unless this process has it. Prints a warning once if that is impossible: exchanges
/// then go on in calls only.
void begin_progress_thread();

/// Must be called after an exchange has become outstanding.
void wake_progress_thread();

/// Ends the thread, if there is one. Waits at most for `patience` until it has left MPI, and returns
/// whether it has.
bool end_progress_thread(std::chrono::milliseconds patience);

}  // namespace rondo::mpi
