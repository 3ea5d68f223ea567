// What the files of Open MPI's component `rondo` share. Those that need Open MPI's own headers are in C,
// because these headers are.
#pragma once

#include <mpi.h>

#include <mpi-ext.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The functions that make persistent requests are an extension of Open MPI 4.1, which may be missing, and MPI's own in
/// 5.0.
#if OMPI_MAJOR_VERSION >= 5
#define RONDO_HAS_PERSISTENT
#define RONDO_PERSISTENT_NAME(Name) PMPI_##Name
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define RONDO_HAS_PERSISTENT
#define RONDO_PERSISTENT_NAME(Name) PMPIX_##Name
#endif

/// What a function that starts an exchange, or makes a persistent request, returns if Rondo does not.
#define RONDO_LEFT (-1)

/// Rondo's functions, which return their errors and do not raise them. A null pointer means that Rondo leaves
/// such calls to Open MPI.
struct rondo_functions {
#define NAME_OF_call(Name) PMPI_##Name
#define NAME_OF_start(Name) PMPI_##Name
#define NAME_OF_persistent RONDO_PERSISTENT_NAME
#define RONDO_FUNCTION(name, Name, form, kind) __typeof__(NAME_OF_##kind(Name))* name;
#include "dropin/component/functions.def"
#undef NAME_OF_call
#undef NAME_OF_start
#undef NAME_OF_persistent

  /// What is done with the exchange of a persistent request.
  void (*start_persistent)(void* exchange);
  void (*free_persistent)(void* exchange);

  /// Prints the reports. Called when MPI_Finalize begins.
  void (*finalize)(void);
};

extern struct rondo_functions rondo_functions;

/// Sets rondo_functions. Returns 0 if Rondo does not take part in this process; if something is wrong, one
/// line on rank 0 says what.
int rondo_load_functions(void);

/// Whether this component is for the Open MPI that has loaded it, whose headers have the version
/// `major`.`minor`. If not, one line on rank 0 says so.
int rondo_fits(int major, int minor, int has_same_layout);

/// The requests of nonblocking exchanges, as in exchange::LibraryRequests.
MPI_Request rondo_make_request(MPI_Comm comm);
MPI_Request rondo_make_persistent_request(MPI_Comm comm, void* exchange);
void rondo_complete_request(MPI_Request request, int code);
void rondo_discard_request(MPI_Request request);

#ifdef __cplusplus
}
#endif
