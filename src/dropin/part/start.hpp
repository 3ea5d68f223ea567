// One exchange that the program starts, with MPI_Ialltoall and its like or as a persistent request. Rondo carries
// it out where it goes on in every call of MPI, as MPI promises, and the MPI library elsewhere.
#pragma once

#include "dropin/part/exchange.hpp"
#include "exchange/for_mpi.hpp"
#include "mpi/progress.hpp"

namespace rondo::dropin {

inline void note_nothing(const exchange::Ending&) {}

/// Returns what counts an exchange when it is over: one that sends the bytes of `row`, by destination, and starts
/// now. Its seconds are those from the start to the end.
inline exchange::NoteEnding note_of_start(buffers::Form form, When when, ByteRow row) {
  return [form, when, row = std::move(row),
          start = now_in_seconds()](const exchange::Ending& ending) noexcept {
    if (!ending.has_succeeded) return;
    try {
      count({.form = form,
             .when = when,
             .algorithm = ending.algorithm,
             .seconds = now_in_seconds() - start},
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
      state = exchange::state_for_starts<Arguments>(arguments.comm);
      if constexpr (kIsOnEdges<Arguments>)
        if (state != nullptr && !takes_edges(*state)) state = nullptr;
    });
    if (code != MPI_SUCCESS) return code;
  }
  if (state == nullptr) {
    count_forwarded(call);
    return requests == nullptr ? arguments.forward(request) : kLeft;
  }
  exchange::NoteEnding note = note_nothing;
  // Wrong arguments are found at the start, and such an exchange is not counted.
  if (is_counting())
    failure_of([&] {
      note = note_of_start(Arguments::kForm, When::start, sent_bytes(*state, arguments));
    });
  return exchange::start_in_mpi(*state, arguments, request, std::move(note), requests);
}

/// Returns what counts the exchanges of a persistent request. `row` is empty if they are not counted.
inline exchange::NoteStart note_of_starts(buffers::Form form,
                                          const std::shared_ptr<const ByteRow>& row) {
  return [form, row]() -> exchange::NoteEnding {
    if (row->empty()) return note_nothing;
    return note_of_start(form, When::persistent, *row);
  };
}

/// Makes a persistent request of a component. Returns kLeft if Rondo does not.
template <class Arguments>
int make_persistent(const Arguments& arguments, MpiCall call, MPI_Info info, MPI_Request* request,
                    const exchange::LibraryRequests& requests) {
  bool is_ours = has_world();
  if constexpr (kIsOnEdges<Arguments>) {
    const int code = exchange::guarded(arguments.comm,
                                       [&] { is_ours = is_ours && takes_edges(arguments.comm); });
    if (code != MPI_SUCCESS) return code;
  }
  const auto row = std::make_shared<ByteRow>();
  if (is_ours) {
    const int code = exchange::make_persistent(arguments, info, request, is_ours,
                                               note_of_starts(Arguments::kForm, row), requests);
    if (code != MPI_SUCCESS) return code;
  }
  if (!is_ours) {
    count_forwarded(call);
    return kLeft;
  }
  if (is_counting())
    failure_of([&] { *row = sent_bytes(*communicator::find_state(arguments.comm), arguments); });
  return MPI_SUCCESS;
}

}  // namespace rondo::dropin
