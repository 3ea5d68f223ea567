#include "interpose/finalize.hpp"

#include <mpi.h>

#include "exchange/mpi_error.hpp"
#include "interpose/ab/gather.hpp"
#include "interpose/ab/trial.hpp"
#include "interpose/stats.hpp"

namespace rondo::interpose {

using exchange::check;

void report_all() {
  // From here on nothing but MPI_Finalize is left of the program: a failure costs the report only.
  check(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  struct {
    int counting;
    int comparing;
  } asked{is_counting() ? 1 : 0, ab::is_comparing() ? 1 : 0};
  check(PMPI_Allreduce(MPI_IN_PLACE, &asked, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  if (asked.counting != 0) report_counts(rank, {.ranks = ranks, .counting = asked.counting});
  if (asked.comparing != 0) ab::report_comparison(rank);
}

}  // namespace rondo::interpose
