// The table of one MPI family's part: what stands in for MPI's exchanges in C, and what is left to
// do at MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <exception>

#include "dropin/contract.hpp"
#include "dropin/part/exchange.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::dropin {

namespace {

using exchange::check;

template <class Arguments, class... Words>
int c_exchange(Words... words) {
  return exchange(Arguments{words...});
}

/// What stands in for an exchange: a function that takes the arguments of MPI's own.
template <class Arguments, class... Words>
Function c_function(int (*)(Words...)) {
  return untyped(c_exchange<Arguments, Words...>);
}

/// Collective over MPI_COMM_WORLD: every rank comes by here on its way to MPI_Finalize. Rank 0
/// prints the reports that any rank was asked for. Nothing but MPI_Finalize is left of the program:
/// where MPI fails, that costs the report only.
void report_all() {
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
  if (asked.comparing != 0) ab::report_comparison(rank, ranks);
}

/// MPI_Finalize passes twice where Fortran's function calls the one of C.
void finalize() {
  static std::atomic<bool> has_passed = false;
  if (!has_passed.exchange(true)) report_all();
}

/// Nothing may be thrown at the program: a failure costs it the report.
void pass(MpiCall call) noexcept {
  try {
    call == MpiCall::Finalize ? finalize() : count_passed(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: there is no report: %s\n", error.what());
  }
}

Part make_part() {
  Part part{};
  part.version = Part::kVersion;
  part.passing = pass;
  part.c[index(MpiCall::Alltoall)] = c_function<buffers::Alltoall>(PMPI_Alltoall);
  part.c[index(MpiCall::Alltoallv)] = c_function<buffers::Alltoallv>(PMPI_Alltoallv);
  part.c[index(MpiCall::Alltoallw)] = c_function<buffers::Alltoallw>(PMPI_Alltoallw);
#if MPI_VERSION >= 4
  part.c[index(MpiCall::Alltoall_c)] = c_function<buffers::LargeAlltoall>(PMPI_Alltoall_c);
  part.c[index(MpiCall::Alltoallv_c)] = c_function<buffers::LargeAlltoallv>(PMPI_Alltoallv_c);
  part.c[index(MpiCall::Alltoallw_c)] = c_function<buffers::LargeAlltoallw>(PMPI_Alltoallw_c);
#endif
  add_fortran(part);
  return part;
}

}  // namespace

}  // namespace rondo::dropin

extern "C" __attribute__((visibility("default"))) const rondo::dropin::Part* rondo_dropin_part() {
  static const rondo::dropin::Part part = rondo::dropin::make_part();
  return &part;
}
