// The table of one MPI family's part: the replacements of MPI's exchanges in C, and the reports at
// MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>

#include "communicator/set_up.hpp"
#include "communicator/watched.hpp"
#include "dropin/contract.hpp"
#include "dropin/part/exchange.hpp"
#include "dropin/part/start.hpp"
#include "dropin/report/record.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin {

namespace {

using mpi::check;

template <class Arguments, MpiCall call, class... Words>
int c_exchange(Words... words) {
  return exchange(Arguments{words...}, call);
}

template <class Arguments, MpiCall call, class... Words>
int c_start(Words... words, MPI_Request* request) {
  return start_exchange(Arguments{words...}, call, request);
}

/// For a component of the MPI library.
exchange::LibraryRequests g_requests{};

/// Only Open MPI's component sets them. There a handle is an address, so the functions have the same arguments.
template <class To, class From>
To with_handles(From function) {
  return reinterpret_cast<To>(reinterpret_cast<void (*)()>(function));
}

void set_requests(const Requests& requests) {
  g_requests = {with_handles<decltype(g_requests.make)>(requests.make),
                with_handles<decltype(g_requests.make_persistent)>(requests.make_persistent),
                with_handles<decltype(g_requests.complete)>(requests.complete),
                with_handles<decltype(g_requests.discard)>(requests.discard)};
}

template <class Arguments, MpiCall call, class... Words>
int exchange_in_mpi(Words... words) {
  const exchange::LibraryRaisesErrors left;
  return exchange(Arguments{words...}, call);
}

template <class Arguments, MpiCall call, class... Words>
int start_in_mpi(Words... words, MPI_Request* request) {
  const exchange::LibraryRaisesErrors left;
  return start_exchange(Arguments{words...}, call, request, &g_requests);
}

template <class Arguments, MpiCall call, class... Words>
int persistent_in_mpi(Words... words, MPI_Info info, MPI_Request* request) {
  const exchange::LibraryRaisesErrors left;
  return make_persistent(Arguments{words...}, call, info, request, g_requests);
}

exchange::PersistentExchange* persistent(void* exchange) {
  return static_cast<exchange::PersistentExchange*>(exchange);
}

/// Enters the replacements of an exchange: a function that takes the same arguments as MPI's.
template <class Arguments, MpiCall call, class... Words>
void replace(Part& part, int (*)(Words...)) {
  part.c[index(call)] = untyped(c_exchange<Arguments, call, Words...>);
  part.in_mpi[index(call)] = untyped(exchange_in_mpi<Arguments, call, Words...>);
}

/// The same of the functions that start it and that make a persistent request. Their arguments begin as those of the
/// call that blocks. Persistent requests are for a component alone: MPI_Start knows no generalized requests.
template <class Arguments, MpiCall start, MpiCall init, class... Words>
void replace_starts(Part& part, int (*)(Words...)) {
  part.c[index(start)] = untyped(c_start<Arguments, start, Words...>);
  part.in_mpi[index(start)] = untyped(start_in_mpi<Arguments, start, Words...>);
  part.in_mpi[index(init)] = untyped(persistent_in_mpi<Arguments, init, Words...>);
}

/// A launcher of another MPI library starts programs that do not find each other. Each would report of itself alone.
void tell_if_alone(int ranks) {
  if (ranks != 1 || started_ranks() < 2 || !is_first_rank()) return;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(PMPI_Get_library_version(library, &length), "MPI_Get_library_version");
  library[std::strcspn(library, ",\n")] = '\0';
  std::fprintf(stderr,
               "rondo: the launcher started %d ranks, but each is alone in MPI_COMM_WORLD: use the "
               "mpirun of the "
               "program's MPI library, %s\n",
               started_ranks(), library);
}

/// Collective over MPI_COMM_WORLD: every rank calls this in MPI_Finalize. Rank 0 prints the reports
/// that any rank requested. If MPI fails here, only the reports are lost.
void report_all() {
  check(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  struct {
    int counting;
    int comparing;
    int recording;
  } requested{is_counting() ? 1 : 0, ab::is_comparing() ? 1 : 0, is_recording() ? 1 : 0};
  check(PMPI_Allreduce(MPI_IN_PLACE, &requested, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  if (requested.counting != 0 || requested.comparing != 0) tell_if_alone(ranks);
  if (requested.counting != 0)
    report_counts(rank, {.ranks = ranks, .requesting = requested.counting});
  if (requested.comparing != 0) ab::report_comparison(rank, ranks);
  if (requested.recording != 0)
    write_record(rank, {.ranks = ranks, .requesting = requested.recording});
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
  failure_of([] { communicator::prepare_process(); });  // set-ups would do without
  communicator::watch_process();
  part.before_forward = before_forward;
  part.note_own_call = note_own_call;
  part.set_requests = set_requests;
  part.start_persistent = [](void* exchange) { persistent(exchange)->start(); };
  part.free_persistent = [](void* exchange) { delete persistent(exchange); };
  using namespace buffers;
#define RONDO_EXCHANGE(Arguments, Call, ...) replace<Arguments, MpiCall::Call>(part, PMPI_##Call);
#include "buffers/exchanges.def"
  if (mpi::has_progress_hook()) {
#define RONDO_EXCHANGE(Arguments, Call, Start, ...) \
  replace_starts<Arguments, MpiCall::Start, MpiCall::Call##_init>(part, PMPI_##Call);
#define RONDO_LARGE_EXCHANGE(...)
#include "buffers/exchanges.def"
  }
#ifdef OPEN_MPI
  add_fortran(part);
#else
  // Fortran's functions call the MPI_ functions of C, where Rondo sees the call.
  part.fortran_reaches_c = true;
#endif
  return part;
}

}  // namespace

}  // namespace rondo::dropin

extern "C" __attribute__((visibility("default"))) const rondo::dropin::Part* rondo_dropin_part() {
  static const rondo::dropin::Part part = rondo::dropin::make_part();
  return &part;
}
