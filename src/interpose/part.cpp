// The table of one MPI family's part.

#include "interpose/part.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <exception>

#include "interpose/exchanges.hpp"
#include "interpose/finalize.hpp"
#include "interpose/stats.hpp"

#ifdef OPEN_MPI
#include "interpose/fortran.hpp"
#endif

namespace rondo::interpose {

namespace {

template <class Result, class... Arguments>
Function untyped(Result (*function)(Arguments...)) {
  return reinterpret_cast<Function>(function);
}

/// MPI_Finalize passes twice where Fortran's ends in that of C.
void finalize() {
  static std::atomic<bool> has_passed = false;
  if (!has_passed.exchange(true)) report_all();
}

/// Nothing may be thrown at the program: a failure costs it the report.
void pass(Call call) noexcept {
  try {
    call == Call::Finalize ? finalize() : count_passed(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: there is no report: %s\n", error.what());
  }
}

Part make_part() {
  Part part{};
  part.version = Part::kVersion;
  part.passing = pass;
  part.c[index(Call::Alltoall)] = untyped(alltoall);
  part.c[index(Call::Alltoallv)] = untyped(alltoallv);
  part.c[index(Call::Alltoallw)] = untyped(alltoallw);
#if MPI_VERSION >= 4
  part.c[index(Call::Alltoall_c)] = untyped(large_alltoall);
  part.c[index(Call::Alltoallv_c)] = untyped(large_alltoallv);
  part.c[index(Call::Alltoallw_c)] = untyped(large_alltoallw);
#endif
#ifdef OPEN_MPI  // whose Fortran functions call the PMPI_ ones of C; MPICH's call the MPI_ ones
  part.fortran_scope = fortran::find_sentinels;
  if (fortran::kIsSupported) {
    part.fortran[index(Call::Alltoall)] = untyped(fortran::alltoall);
    part.fortran[index(Call::Alltoallv)] = untyped(fortran::alltoallv);
    part.fortran[index(Call::Alltoallw)] = untyped(fortran::alltoallw);
  }
#else
  part.fortran_reaches_c = true;
#endif
  return part;
}

}  // namespace

}  // namespace rondo::interpose

extern "C" __attribute__((visibility("default"))) const rondo::interpose::Part*
rondo_interpose_part() {
  static const rondo::interpose::Part part = rondo::interpose::make_part();
  return &part;
}
