// Wrong use under MPI's own handler, MPI_ERRORS_ARE_FATAL: the program must end. fatal.py looks at
// what is on stderr then.
//
//   test_fatal CASE
#include <rondo/rondo.h>

#include <cstdio>
#include <cstring>

#include "support/small.hpp"

namespace {

using namespace rondo::testing;

void wrong_count() {
  SmallExchange small(MPI_COMM_WORLD, 2);
  SmallExchange wrong(MPI_COMM_WORLD, 2);
  wrong.counts.front() = -5;
  Rondo_Comm_set_algorithm(MPI_COMM_WORLD, "alltoallv", "spread_out");
  exchange(Collective::alltoallv, wrong.send(Collective::alltoallv),
           small.receive(Collective::alltoallv), MPI_COMM_WORLD);
}

void wrong_algorithm() {
  Rondo_Comm_set_algorithm(MPI_COMM_WORLD, "alltoall", "no_such");
}

void wrong_plan() {
  SmallExchange small(MPI_COMM_WORLD, 2);
  SmallExchange wrong(MPI_COMM_WORLD, 2, MPI_DATATYPE_NULL);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  make_plan(Collective::alltoallw, wrong.send(Collective::alltoallw),
            small.receive(Collective::alltoallw), MPI_COMM_WORLD, MPI_INFO_NULL, &plan);
}

struct CaseRow {
  const char* name;
  void (*act)();
};

constexpr CaseRow kRows[] = {
    {"count", wrong_count}, {"algorithm", wrong_algorithm}, {"plan", wrong_plan}};

}  // namespace

int main(int argc, char** argv) {
  must(MPI_Init(&argc, &argv));
  for (const CaseRow& row : kRows)
    if (argc > 1 && std::strcmp(argv[1], row.name) == 0) row.act();
  std::printf("the program is still alive\n");
  must(MPI_Finalize());
  return 0;
}
