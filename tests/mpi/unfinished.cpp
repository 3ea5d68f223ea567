// MPI_Finalize while two exchanges are outstanding, of which the second begins when the first has ended. If all ranks
// have started them, they are completed. If only rank 0 has (with the argument `one`), they are given up: rank 0 does
// not hang, and says so.
//
// The exit code is the result.
#include <rondo/rondo.h>

#include <cstdio>
#include <cstdlib>
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
  setenv("RONDO_REQUESTS", "1", 1);  // channels
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  const bool is_one = argc > 1 && std::string(argv[1]) == "one";
  MPI_Comm comm = new_comm();
  const int rank = rank_of(comm);
  must(prepare_starts(comm));
  must(Rondo_Comm_set_algorithm(comm, "alltoall", "node_aware"));
  std::vector<SmallExchange> exchanges(2, SmallExchange(comm, 3));
  Rondo_Request requests[] = {RONDO_REQUEST_NULL, RONDO_REQUEST_NULL};
  const bool starts = !is_one || rank == 0;
  for (std::size_t i = 0; starts && i < exchanges.size(); ++i) {
    SmallExchange& small = exchanges[i];
    small.fill(static_cast<int>(i));
    must(start(Collective::alltoall, small.send(Collective::alltoall),
               small.receive(Collective::alltoall), comm, &requests[i]));
  }
  MPI_Finalize();
  bool is_right = true;
  for (const std::size_t i : {1U, 0U})
    if (starts)
      is_right &= is_one ? is_given_up(&requests[i])
                         : Rondo_Wait(&requests[i]) == MPI_SUCCESS && exchanges[i].is_right();
  if (!is_right) std::printf("FAIL rank %d\n", rank);
  return is_right ? 0 : 1;
}
