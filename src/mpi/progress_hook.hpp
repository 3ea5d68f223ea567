// Lets outstanding exchanges go on wherever the MPI library makes progress: in every function in which it
// waits, whatever for, and in its tests.
//
// Open MPI calls a function that opal_progress_register was given, as it calls its own that carry out
// MPI_Ialltoall. So what goes on there goes on wherever the library's own started exchanges do.
//
// MPICH has nothing that does. Version 4.0 calls the function of MPIX_Grequest_start only in tests of that
// request, never in MPI_Recv. Version 5.0 calls what MPIX_Async_start was given in all of its waits. But with
// MPI_THREAD_MULTIPLE a call of MPI from there ends the program, MPI_Finalize waits for it before it deletes
// the attributes of MPI_COMM_SELF, and MPI_Waitany and its like may end the program at a generalized request.
#pragma once

namespace rondo::mpi {

/// Local. Whether the MPI library of this process can do that.
bool has_progress_hook();

/// Asks the library to do it from now on. It must be able to. Costs a call and a look at a number wherever
/// the library makes progress, also while nothing is outstanding.
void begin_progress_hook();

/// Ends it. Must be called before MPI is finalized.
void end_progress_hook();

}  // namespace rondo::mpi
