// MPI_Finalize while an exchange is outstanding. If all ranks have started it, it is completed. If only
// rank 0 has (with the argument `one`), it is given up: rank 0 does not hang, and says so.
//
// The exit code is the result.
#include <rondo/rondo.h>

#include <cstdio>
#include <string>

#include "support/small.hpp"

namespace {

using namespace rondo::testing;

bool is_given_up(Rondo_Request* request) {
  return Rondo_Wait(request) == MPI_ERR_OTHER &&
         std::string(Rondo_Get_last_error()).find("given up") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  const bool is_one = argc > 1 && std::string(argv[1]) == "one";
  MPI_Comm comm = new_comm();
  const int rank = rank_of(comm);
  must(prepare_starts(comm));
  must(Rondo_Comm_set_algorithm(comm, "alltoall", "node_aware"));
  SmallExchange small(comm, 3);
  Rondo_Request request = RONDO_REQUEST_NULL;
  const bool starts = !is_one || rank == 0;
  if (starts)
    must(start(Collective::alltoall, small.send(Collective::alltoall),
               small.receive(Collective::alltoall), comm, &request));
  MPI_Finalize();
  const bool is_right =
      !starts ||
      (is_one ? is_given_up(&request) : Rondo_Wait(&request) == MPI_SUCCESS && small.is_right());
  if (!is_right) std::printf("FAIL rank %d\n", rank);
  return is_right ? 0 : 1;
}
