// The requests of exchanges that Rondo has started. They are of the kind that Open MPI expects of a component:
// MPI_Ialltoall and its like keep the program's datatypes in them.

#include "dropin/component/component.h"
#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/request/request.h"

/// The class of such requests. Its header includes one that Open MPI does not install.
OMPI_DECLSPEC OBJ_CLASS_DECLARATION(ompi_coll_base_nbc_request_t);

void rondo_discard_request(MPI_Request request) {
  OMPI_REQUEST_FINI(request);
  OBJ_RELEASE(request->req_mpi_object.comm);
  OBJ_RELEASE(request);
}

/// Of a persistent request that is the exchange, which is where Open MPI's own code keeps what belongs to a callback:
/// these requests have none.
static void* exchange_of(MPI_Request request) {
  return request->req_complete_cb_data;
}

static int free_request(MPI_Request* request) {
  if (!REQUEST_COMPLETE(*request)) return MPI_ERR_REQUEST;
  if ((*request)->req_persistent) rondo_functions.free_persistent(exchange_of(*request));
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

/// The status of all of them: an exchange has neither source nor tag.
static const ompi_status_public_t kStatus = {
    .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};

/// A persistent request is complete as long as it is inactive.
static MPI_Request make_request(MPI_Comm comm, bool is_persistent) {
  MPI_Request request = (MPI_Request)opal_obj_new(OBJ_CLASS(ompi_coll_base_nbc_request_t));
  if (request == NULL) return MPI_REQUEST_NULL;
  OMPI_REQUEST_INIT(request, is_persistent);
  request->req_type = OMPI_REQUEST_COLL;
  request->req_status = kStatus;
  request->req_free = free_request;
  request->req_cancel = cancel;
  request->req_mpi_object.comm = comm;
  OBJ_RETAIN(comm);
  return request;
}

MPI_Request rondo_make_request(MPI_Comm comm) {
  MPI_Request request = make_request(comm, false);
  if (request != MPI_REQUEST_NULL) request->req_state = OMPI_REQUEST_ACTIVE;
  return request;
}

/// Called by MPI_Start and MPI_Startall. The second ignores what it returns, so errors are those of the requests.
/// MPI_Startall refuses active requests before; MPI_Start does not, and raises no error that it gets.
static int start_requests(size_t count, MPI_Request* requests) {
  for (size_t i = 0; i < count; ++i) {
    if (requests[i]->req_state != OMPI_REQUEST_INACTIVE)
      return OMPI_ERRHANDLER_INVOKE(MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_Start");
    requests[i]->req_status = kStatus;
    requests[i]->req_state = OMPI_REQUEST_ACTIVE;
    requests[i]->req_complete = REQUEST_PENDING;
    rondo_functions.start_persistent(exchange_of(requests[i]));
  }
  return OMPI_SUCCESS;
}

MPI_Request rondo_make_persistent_request(MPI_Comm comm, void* exchange) {
  MPI_Request request = make_request(comm, true);
  if (request == MPI_REQUEST_NULL) return request;
  request->req_start = start_requests;
  request->req_complete_cb_data = exchange;
  return request;
}

void rondo_complete_request(MPI_Request request, int code) {
  request->req_status.MPI_ERROR = code;
  ompi_request_complete(request, true);
}
