// The requests of exchanges that Rondo has started. They are of the kind that Open MPI expects of a component:
// MPI_Ialltoall and its like keep the program's datatypes in them.

#include "dropin/component/component.h"
#include "ompi/communicator/communicator.h"
#include "ompi/request/request.h"

/// The class of such requests. Its header includes one that Open MPI does not install.
OMPI_DECLSPEC OBJ_CLASS_DECLARATION(ompi_coll_base_nbc_request_t);

void rondo_discard_request(MPI_Request request) {
  OMPI_REQUEST_FINI(request);
  OBJ_RELEASE(request->req_mpi_object.comm);
  OBJ_RELEASE(request);
}

static int free_request(MPI_Request* request) {
  if (!REQUEST_COMPLETE(*request)) return MPI_ERR_REQUEST;
  rondo_discard_request(*request);
  *request = MPI_REQUEST_NULL;
  return OMPI_SUCCESS;
}

/// MPI does not allow it for exchanges. They go on.
static int cancel(MPI_Request request, int is_complete) {
  (void)request;
  (void)is_complete;
  return OMPI_SUCCESS;
}

MPI_Request rondo_make_request(MPI_Comm comm) {
  MPI_Request request = (MPI_Request)opal_obj_new(OBJ_CLASS(ompi_coll_base_nbc_request_t));
  if (request == NULL) return MPI_REQUEST_NULL;
  OMPI_REQUEST_INIT(request, false);
  request->req_type = OMPI_REQUEST_COLL;
  request->req_state = OMPI_REQUEST_ACTIVE;
  request->req_status = (ompi_status_public_t){
      .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
  request->req_free = free_request;
  request->req_cancel = cancel;
  request->req_mpi_object.comm = comm;
  OBJ_RETAIN(comm);
  return request;
}

void rondo_complete_request(MPI_Request request, int code) {
  request->req_status.MPI_ERROR = code;
  ompi_request_complete(request, true);
}
