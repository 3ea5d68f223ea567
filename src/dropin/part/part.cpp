// The table of one MPI family's part: the replacements of MPI's exchanges in C, and the reports at
// MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <exception>

#include "dropin/contract.hpp"
#include "dropin/part/exchange.hpp"
#include "dropin/part/start.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin {

namespace {

using mpi::check;

template <class Arguments, class... Words>
int c_exchange(Words... words) {
  return exchange(Arguments{words...});
}

template <class Arguments, MpiCall call, class... Words>
int c_exchange_on_edges(Words... words) {
  return exchange_on_edges(Arguments{{words...}}, call);
}

/// Returns the replacement of an exchange: a function that takes the same arguments as MPI's.
template <class Arguments, class... Words>
Function c_function(int (*)(Words...)) {
  return untyped(c_exchange<Arguments, Words...>);
}

template <class Arguments, MpiCall call, class... Words>
void replace_on_edges(Part& part, int (*)(Words...)) {
  part.c[index(call)] = untyped(c_exchange_on_edges<Arguments, call, Words...>);
}

/// Collective over MPI_COMM_WORLD: every rank calls this in MPI_Finalize. Rank 0 prints the reports
/// that any rank requested. If MPI fails here, only the reports are lost.
void report_all() {
  check(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  struct {
    int counting;
    int comparing;
  } requested{is_counting() ? 1 : 0, ab::is_comparing() ? 1 : 0};
  check(PMPI_Allreduce(MPI_IN_PLACE, &requested, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  if (requested.counting != 0)
    report_counts(rank, {.ranks = ranks, .counting = requested.counting});
  if (requested.comparing != 0) ab::report_comparison(rank, ranks);
}

/// Called twice if Fortran's MPI_Finalize calls C's.
void finalize() {
  static std::atomic<bool> has_reported = false;
  if (!has_reported.exchange(true)) report_all();
}

/// Must not throw into the program. If it fails, only the report is lost.
void before_forward(MpiCall call) noexcept {
  try {
    call == MpiCall::Finalize ? finalize() : count_forwarded(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: cannot print the report: %s\n", error.what());
  }
}

Part make_part() {
  Part part{};
  part.version = Part::kVersion;
  part.before_forward = before_forward;
  part.c[index(MpiCall::Alltoall)] = c_function<buffers::Alltoall>(PMPI_Alltoall);
  part.c[index(MpiCall::Alltoallv)] = c_function<buffers::Alltoallv>(PMPI_Alltoallv);
  part.c[index(MpiCall::Alltoallw)] = c_function<buffers::Alltoallw>(PMPI_Alltoallw);
#if MPI_VERSION >= 4
  part.c[index(MpiCall::Alltoall_c)] = c_function<buffers::LargeAlltoall>(PMPI_Alltoall_c);
  part.c[index(MpiCall::Alltoallv_c)] = c_function<buffers::LargeAlltoallv>(PMPI_Alltoallv_c);
  part.c[index(MpiCall::Alltoallw_c)] = c_function<buffers::LargeAlltoallw>(PMPI_Alltoallw_c);
#endif
  replace_on_edges<buffers::NeighborAlltoall, MpiCall::Neighbor_alltoall>(part,
                                                                          PMPI_Neighbor_alltoall);
  replace_on_edges<buffers::NeighborAlltoallv, MpiCall::Neighbor_alltoallv>(
      part, PMPI_Neighbor_alltoallv);
  replace_on_edges<buffers::NeighborAlltoallw, MpiCall::Neighbor_alltoallw>(
      part, PMPI_Neighbor_alltoallw);
#if MPI_VERSION >= 4
  replace_on_edges<buffers::LargeNeighborAlltoall, MpiCall::Neighbor_alltoall_c>(
      part, PMPI_Neighbor_alltoall_c);
  replace_on_edges<buffers::LargeNeighborAlltoallv, MpiCall::Neighbor_alltoallv_c>(
      part, PMPI_Neighbor_alltoallv_c);
  replace_on_edges<buffers::LargeNeighborAlltoallw, MpiCall::Neighbor_alltoallw_c>(
      part, PMPI_Neighbor_alltoallw_c);
#endif
  add_starts(part);
  add_fortran(part);
  return part;
}

}  // namespace

}  // namespace rondo::dropin

extern "C" __attribute__((visibility("default"))) const rondo::dropin::Part* rondo_dropin_part() {
  static const rondo::dropin::Part part = rondo::dropin::make_part();
  return &part;
}
