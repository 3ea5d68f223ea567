// Two ranks disagree on a length, so that nobody receives a message. It must not be taken for the data
// of a later exchange, in which the ranks agree.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/small.hpp"

namespace leftover_test {

using namespace rondo::testing;

/// Rank 0 sends every other rank an int that nobody expects.
void disagree(MPI_Comm comm) {
  SmallExchange send(comm, 1);
  SmallExchange receive(comm, 1);
  const int rank = rank_of(comm);
  if (rank != 0) send.counts.assign(send.counts.size(), 0);
  send.counts[static_cast<std::size_t>(rank)] = 0;
  receive.counts.assign(receive.counts.size(), 0);
  exchange(Collective::alltoallv, send.send(Collective::alltoallv),
           receive.receive(Collective::alltoallv), comm);
}

void run_after_disagreement(const std::string& algorithm, Row& row) {
  const TestComm comm(Collective::alltoallv, algorithm, row);
  for (int repeat = 0; repeat < 3; ++repeat) {
    disagree(comm);
    SmallExchange(comm, 1).run(Collective::alltoallv, comm, row, repeat);
    SmallExchange(comm, 9).run(Collective::alltoallv, comm, row, repeat);
  }
}

void run_test(Runner& runner) {
  for (const std::string& algorithm : registered(Collective::alltoallv, true))
    runner.run("after a message that nobody received: " + algorithm, run_after_disagreement,
               algorithm);
}

const AddedTest added({.name = "leftover", .run = run_test});

}  // namespace leftover_test
