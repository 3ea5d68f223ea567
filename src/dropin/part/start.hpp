// One exchange that the program starts with MPI_Ialltoall, MPI_Ialltoallv or MPI_Ialltoallw. Rondo carries
// it out where it goes on in every call of MPI, as MPI promises, and the MPI library elsewhere.
#pragma once

#include "dropin/part/exchange.hpp"
#include "exchange/start_in_mpi.hpp"
#include "mpi/progress_hook.hpp"

namespace rondo::dropin {

/// Returns what counts an exchange when it is over. Its seconds are those from the start to the end.
template <class Arguments>
exchange::NoteEnding note_of_start(const communicator::State& state, const Arguments& arguments) {
  if (!is_counting()) return [](const exchange::Ending&) {};
  return [row = sent_bytes(state, arguments),
          start = ab::now_in_seconds()](const exchange::Ending& ending) noexcept {
    if (!ending.has_succeeded) return;
    try {
      count({.form = Arguments::kForm,
             .is_started = true,
             .algorithm = ending.algorithm,
             .seconds = ab::now_in_seconds() - start},
            row);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rondo: an exchange is missing from the report: %s\n", error.what());
    }
  };
}

/// `call` is the function that the program calls. If `requests` is null, the MPI library's own function starts
/// what Rondo does not, and kLeft is returned otherwise.
template <class Arguments>
int start_exchange(const Arguments& arguments, MpiCall call, MPI_Request* request,
                   const exchange::LibraryRequests* requests = nullptr) {
  communicator::State* state = nullptr;
  if (has_world() && request != nullptr) {
    const int code = exchange::guarded(arguments.comm, [&] {
      state = exchange::state_for_starts(arguments.comm, Arguments::kForm);
    });
    if (code != MPI_SUCCESS) return code;
  }
  if (state == nullptr) {
    count_forwarded(call);
    return requests == nullptr ? arguments.forward(request) : kLeft;
  }
  exchange::NoteEnding note = [](const exchange::Ending&) {};
  // Wrong arguments are found at the start, and such an exchange is not counted.
  failure_of([&] { note = note_of_start(*state, arguments); });
  return exchange::start_in_mpi(*state, arguments, request, std::move(note), requests);
}

}  // namespace rondo::dropin
