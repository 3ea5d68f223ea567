// Exchanges as persistent requests of the MPI library's own kind, for code inside the MPI library. Each is a
// plan, and has a channel of its own: all ranks make such requests in one order, but each starts them in an
// order of its own.
#pragma once

#include <mpi.h>

#include <functional>

#include "exchange/library_requests.hpp"

namespace rondo::exchange {

/// Called at each start. Returns what notes its end.
using NoteStart = std::function<NoteEnding()>;

/// Collective. Makes a request for the exchange, if Rondo can carry it out, and returns whether it has. Otherwise
/// the MPI library must be called. All ranks find the same. The communicator is set up for it. Returns and raises
/// errors: wrong arguments are errors on all ranks. All other errors are those of the request. Copies are made of
/// the arguments' arrays and types.
template <class Arguments>
int make_persistent(const Arguments& arguments, MPI_Info info, MPI_Request* request, bool& is_made,
                    NoteStart note, const LibraryRequests& requests);

}  // namespace rondo::exchange
