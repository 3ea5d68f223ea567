// What is noted of an exchange, if the user asked for it: its line of the report (RONDO_STATS=1)
// where it succeeded, its count matrix (RONDO_RECORD=FILE), its duration (RONDO_AB=1).
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

#include "buffers/arguments.hpp"
#include "communicator/attributes.hpp"
#include "interpose/ab/trial.hpp"
#include "interpose/record.hpp"
#include "interpose/stats.hpp"

namespace rondo::interpose {

/// The bytes that this rank sends, by destination.
template <class Arguments>
ByteRow sent_bytes(const Arguments& arguments, int ranks) {
  buffers::Binding binding;
  bind(binding, arguments, ranks);
  ByteRow row(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < row.size(); ++rank)
    row[rank] = binding.sending().part(rank).bytes;
  return row;
}

/// Collective where the communicator's calls are recorded or compared: a rank on which the call
/// failed takes part with nothing sent, since it may not have failed on the others. An
/// inter-communicator has no state: its exchanges are the MPI library's own.
template <class Arguments>
void observe_call(const Arguments& arguments, const ab::Outcome& outcome) {
  if (arguments.comm == MPI_COMM_NULL) return;
  const communicator::State* state = communicator::recent_state(arguments.comm);
  if (state == nullptr) state = communicator::find_state(arguments.comm);
  if (state == nullptr) {
    if (outcome.has_succeeded) count_inter(Arguments::kForm);
    return;
  }
  if (state->settings().ab != 0) ab::note_call(*state, arguments.comm, Arguments::kForm, outcome);
  const bool is_counted = is_counting() && outcome.has_succeeded;
  const bool is_recorded = !state->settings().record.empty();
  if (!is_counted && !is_recorded) return;
  const ByteRow row = outcome.has_succeeded ? sent_bytes(arguments, state->ranks())
                                            : ByteRow(static_cast<std::size_t>(state->ranks()));
  const bool is_ours = outcome.turn.arm == ab::Arm::rondo;
  if (is_counted)
    count(Arguments::kForm, row, is_ours ? state->last_choice() : nullptr, outcome.seconds);
  if (is_recorded) record(*state, arguments.comm, Arguments::kForm, row);
}

/// The program goes on whatever happens here.
template <class Arguments>
void observe(const Arguments& arguments, const ab::Outcome& outcome) noexcept {
  try {
    observe_call(arguments, outcome);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: an exchange is missing in the report: %s\n", error.what());
  }
}

}  // namespace rondo::interpose
