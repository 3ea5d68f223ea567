// The six exchanges and three plans of the interface behind one argument list.
#pragma once

#include <rondo/rondo.h>

#include "support/layout.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// How an exchange is asked for.
enum class Form {
  direct,  ///< Rondo_Alltoall...
  plan,    ///< a plan, executed three times with other data and other buffers
  large,   ///< the _c functions of MPI 4
};

const char* name_of(Form form);

/// The forms that this MPI has.
std::vector<Form> forms();

/// One side. For alltoall the first count and type hold for all.
struct Arguments {
  void* buffer = nullptr;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const MPI_Datatype* types = nullptr;  ///< by peer; alltoall and alltoallv look at the first
};

/// What one rank passes to an exchange of any kind. What its kind does not have is null or 0.
struct AnyArguments {
  Arguments send;
  Arguments receive;  ///< a dynamic exchange writes its counts and displacements
  int capacity = 0;
  int destination_count = 0;
  const int* destinations = nullptr;
  Rondo_Sources* sources = nullptr;
};

/// In place, or any buffer: counts, displacements and types that nobody may look at.
Arguments in_place();

/// With these settings every exchange of a row is started and completed instead.
const std::string kEveryStarted = "RONDO_TEST_STARTED=1 RONDO_REQUESTS=2";
/// Whether they are in the environment.
bool are_started();

/// A call or, if are_started(), a start that is completed.
int exchange(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm);

/// Rondo_Execute or, in the same way, Rondo_Start.
int execute(Rondo_Plan plan, const void* send_buffer, void* receive_buffer);

/// Starts an exchange. prepare_starts() must have been called, or the MPI library may carry it out.
int start(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
          Rondo_Request* request);

/// Collective. Sets a communicator up and uses all of its channels once.
int prepare_starts(MPI_Comm comm);

/// Completes a request: tests it a few times, then waits for it.
int complete(Rondo_Request* request);

/// Completes a request by testing it as often as it takes.
int test_until_over(Rondo_Request* request);

/// MPI_ERR_UNSUPPORTED_OPERATION where the MPI has no _c functions.
int exchange_large(Collective collective, const Arguments& send, const Arguments& receive,
                   MPI_Comm comm);

int make_plan(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
              MPI_Info info, Rondo_Plan* plan);

/// Must succeed. Null stands for `auto`.
void set_algorithm(MPI_Comm comm, const char* collective, const char* algorithm, Row& row);
void set_algorithm(MPI_Comm comm, Collective collective, const std::string& algorithm, Row& row);

/// For all three.
void set_algorithms(MPI_Comm comm, const std::string& algorithm, Row& row);

/// What Rondo says that exchanges of a collective run, that a plan runs, or that the last exchange ran. It must
/// say something.
std::string algorithm_of(const char* collective, MPI_Comm comm, Row& row);
std::string algorithm_of(Rondo_Plan plan, Row& row);
std::string last_algorithm(MPI_Comm comm, Row& row);

/// MPI's own, as a reference.
int exchange_mpi(Collective collective, const Arguments& send, const Arguments& receive,
                 MPI_Comm comm);

}  // namespace rondo::testing
