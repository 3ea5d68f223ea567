// The component on one communicator. Rondo carries out what it can, and calls the PMPI_ function for all
// else, on the program's communicator and on its own ones. Open MPI gives these calls to the component, which
// passes them on to the modules below it.
//
// The communicators that Rondo makes have modules, too. Whether they are Rondo's cannot be known where Open MPI
// asks for a module: with MPI_Comm_idup or several threads a communicator is completed by whichever thread
// makes progress, which may be inside Rondo on one rank and not on another.

#include "dropin/component/module.h"

#include <string.h>

#include "dropin/component/component.h"
#include "ompi/communicator/communicator.h"

struct rondo_module {
  mca_coll_base_module_t super;

  /// What was there before. Of these modules, those of functions.def are held.
  mca_coll_base_comm_coll_t below;
};
typedef struct rondo_module rondo_module;

/// A call that is inside Rondo.
struct call {
  MPI_Comm comm;
  int forwarded;  ///< the code of the modules below, if they have failed
};

/// This thread's call.
static _Thread_local struct call* t_call = NULL;

/// Returns what PMPI_Alltoall and its like get from a call inside Rondo. They would raise an error, and so
/// would the program's own call, so theirs succeeds.
static int keep_error(int code, MPI_Comm comm) {
  if (code == MPI_SUCCESS || comm != t_call->comm) return code;
  t_call->forwarded = code;
  return MPI_SUCCESS;
}

#define PARAMETERS_uniform                                                                    \
  const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count, \
      MPI_Datatype receive_type
#define ARGUMENTS_uniform send, send_count, send_type, receive, receive_count, receive_type
#define PARAMETERS_vector                                                                   \
  const void *send, const int *send_counts, const int *send_displs, MPI_Datatype send_type, \
      void *receive, const int *receive_counts, const int *receive_displs,                  \
      MPI_Datatype receive_type
#define ARGUMENTS_vector \
  send, send_counts, send_displs, send_type, receive, receive_counts, receive_displs, receive_type
#define PARAMETERS_ON(Displacement)                                            \
  const void *send, const int *send_counts, const Displacement *send_displs,   \
      MPI_Datatype const *send_type, void *receive, const int *receive_counts, \
      const Displacement *receive_displs, MPI_Datatype const *receive_type
#define PARAMETERS_typed PARAMETERS_ON(int)
#define ARGUMENTS_typed ARGUMENTS_vector
#define PARAMETERS_distant PARAMETERS_ON(MPI_Aint)
#define ARGUMENTS_distant ARGUMENTS_vector

/// A call goes through Rondo, unless it comes from there.
#define DEFINE_call(name, form)                                                                  \
  static int name(PARAMETERS_##form, MPI_Comm comm, mca_coll_base_module_t* module) {            \
    const mca_coll_base_comm_coll_t* below = &((rondo_module*)module)->below;                    \
    struct call own = {comm, MPI_SUCCESS};                                                       \
    int code;                                                                                    \
    if (t_call != NULL)                                                                          \
      return keep_error(below->coll_##name(ARGUMENTS_##form, comm, below->coll_##name##_module), \
                        comm);                                                                   \
    t_call = &own;                                                                               \
    code = rondo_functions.name(ARGUMENTS_##form, comm);                                         \
    t_call = NULL;                                                                               \
    return code != MPI_SUCCESS ? code : own.forwarded;                                           \
  }

/// A start that is not Rondo's goes to the modules below at once: MPI_Ialltoall and its like keep the types in
/// the request, and may do so only once.
#define DEFINE_start(name, form)                                                             \
  static int name(PARAMETERS_##form, MPI_Comm comm, MPI_Request* request,                    \
                  mca_coll_base_module_t* module) {                                          \
    const mca_coll_base_comm_coll_t* below = &((rondo_module*)module)->below;                \
    const int code = rondo_functions.name(ARGUMENTS_##form, comm, request);                  \
    if (code != RONDO_LEFT) return code;                                                     \
    return below->coll_##name(ARGUMENTS_##form, comm, request, below->coll_##name##_module); \
  }

/// Rondo calls PMPI_ functions while it makes a request, so this is a call, too.
#define DEFINE_persistent(name, form)                                                              \
  static int name(PARAMETERS_##form, MPI_Comm comm, MPI_Info info, MPI_Request* request,           \
                  mca_coll_base_module_t* module) {                                                \
    const mca_coll_base_comm_coll_t* below = &((rondo_module*)module)->below;                      \
    struct call own = {comm, MPI_SUCCESS};                                                         \
    int code;                                                                                      \
    t_call = &own;                                                                                 \
    code = rondo_functions.name(ARGUMENTS_##form, comm, info, request);                            \
    t_call = NULL;                                                                                 \
    if (code != RONDO_LEFT) return code;                                                           \
    return below->coll_##name(ARGUMENTS_##form, comm, info, request, below->coll_##name##_module); \
  }

#define RONDO_FUNCTION(name, Name, form, kind) DEFINE_##kind(name, form)
#include "dropin/component/functions.def"

/// Open MPI calls this for one module after the other, from the lowest priority to the highest. Where no
/// module has a function, Rondo has none either.
static int enable(mca_coll_base_module_t* super, MPI_Comm comm) {
  rondo_module* module = (rondo_module*)super;
  module->below = *comm->c_coll;
#define RONDO_FUNCTION(name, Name, form, kind)                   \
  if (module->below.coll_##name##_module != NULL) {              \
    OBJ_RETAIN(module->below.coll_##name##_module);              \
    if (rondo_functions.name != NULL) super->coll_##name = name; \
  }
#include "dropin/component/functions.def"
  return OMPI_SUCCESS;
}

static void construct(rondo_module* module) {
  memset(&module->below, 0, sizeof module->below);
  module->super.coll_module_enable = enable;
}

static void destruct(rondo_module* module) {
#define RONDO_FUNCTION(name, Name, form, kind) \
  if (module->below.coll_##name##_module != NULL) OBJ_RELEASE(module->below.coll_##name##_module);
#include "dropin/component/functions.def"
}

static OBJ_CLASS_INSTANCE(rondo_module, mca_coll_base_module_t, construct, destruct);

mca_coll_base_module_t* rondo_new_module(void) {
  rondo_module* module = OBJ_NEW(rondo_module);
  return module == NULL ? NULL : &module->super;
}
