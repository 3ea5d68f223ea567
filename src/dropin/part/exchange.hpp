// One exchange of the program. Rondo or the MPI library carries it out, depending on whose turn it
// is. If the user asked for it, the exchange is recorded: in the statistics (RONDO_STATS=1), for
// predictions and as a count matrix (RONDO_RECORD=FILE) or by its duration (RONDO_AB=1).
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>

#include "communicator/attributes.hpp"
#include "dropin/contract.hpp"
#include "dropin/report/arrivals.hpp"
#include "dropin/report/comparison.hpp"
#include "dropin/report/report.hpp"
#include "exchange/along_edges.hpp"
#include "exchange/for_mpi.hpp"
#include "exchange/guard.hpp"
#include "exchange/watched.hpp"

namespace rondo::dropin {

template <class Arguments>
constexpr bool kIsOnEdges = Arguments::kForm == buffers::Form::neighbor_alltoallv;

/// The bytes that this rank sends, by destination.
template <class Arguments>
ByteRow sent_bytes(const communicator::State& state, const Arguments& arguments) {
  ByteRow row(static_cast<std::size_t>(state.ranks()));
  if constexpr (kIsOnEdges<Arguments>) {
    const communicator::Topology& topology = state.neighbourhood->topology();
    buffers::EdgeBinding binding;
    binding.bind(arguments, topology.to.ranks, topology.from.ranks);
    for (std::size_t edge = 0; edge < topology.to.ranks.size(); ++edge)
      if (const int rank = topology.to.ranks[edge]; rank != MPI_PROC_NULL)
        row[static_cast<std::size_t>(rank)] += binding.sending().bytes(edge);
  } else {
    buffers::Binding binding;
    bind(binding, arguments, state.ranks());
    for (std::size_t rank = 0; rank < row.size(); ++rank)
      row[rank] = binding.sending().part(rank).bytes;
  }
  return row;
}

/// Whether `code` says that the arguments were wrong. Rondo's exchanges then fail on all ranks with the same code. If
/// the MPI library's fails on one rank, the others wait for it, and only the program can report the error.
inline bool is_of_arguments(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  constexpr int kClasses[] = {MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_COUNT,
                              MPI_ERR_TYPE};
  return std::ranges::find(kClasses, error_class) != std::end(kClasses);
}

/// Collective if the communicator's calls are recorded or compared, or if this one is measured. A rank on which the
/// call failed takes part too and reports that it sent nothing, because the call may have succeeded on other ranks.
/// If it failed for wrong arguments, it has not. An inter-communicator has no state: its exchanges are forwarded to the
/// MPI library.
template <class Arguments>
void note_exchange(const Arguments& arguments, const Arrival& arrival, const ab::Outcome& outcome,
                   int code) {
  if (arguments.comm == MPI_COMM_NULL) return;
  const communicator::State* const state = communicator::known_state(arguments.comm);
  if (state == nullptr) {
    if (outcome.has_succeeded) count_inter(Arguments::kForm);
    return;
  }
  if (state->settings().ab != 0) ab::note_call(*state, arguments.comm, Arguments::kForm, outcome);
  if (is_of_arguments(code)) return;
  const bool is_counted = is_counting() && outcome.has_succeeded;
  const bool is_recorded = !state->settings().record.empty();
  if (!is_counted && !is_recorded && !arrival.is_measured()) return;
  const ByteRow row = outcome.has_succeeded ? sent_bytes(*state, arguments)
                                            : ByteRow(static_cast<std::size_t>(state->ranks()));
  const double waited =
      add_exchange(*state, arguments.comm, Arguments::kForm, arrival, row, outcome.seconds);
  const bool is_ours = outcome.turn.arm == ab::Arm::rondo;
  const auto choice = is_ours ? state->last_choice() : std::nullopt;
  if (is_counted)
    count({.form = Arguments::kForm,
           .algorithm = choice ? choice->algorithm : nullptr,
           .seconds = waited + outcome.seconds},
          row);
  if (is_recorded) record_matrix(*state, arguments.comm, Arguments::kForm, row);
}

/// Whether MPI_Init has been called. Rondo's states depend on MPI_COMM_SELF, and a program that
/// uses MPI through sessions alone does not have it.
inline bool has_world() {
  static std::atomic<bool> has_it = false;
  if (has_it.load(std::memory_order_relaxed)) return true;
  int is_initialized = 0;
  if (PMPI_Initialized(&is_initialized) == MPI_SUCCESS && is_initialized != 0) has_it = true;
  return has_it;
}

/// Whether an exchange on `comm` is timed and reported. True for a communicator's first call, because
/// its settings are not known before. Without a request for a report, an exchange must cost nothing
/// more.
inline bool is_reported(MPI_Comm comm) {
  const communicator::State* state = communicator::recent_state(comm);
  if (state == nullptr || is_counting()) return true;
  return state->is_observed();
}

/// Whether Rondo carries out neighbourhood exchanges on the communicator of `state`, whose topology has been read. If
/// libraries differ in which edges match, the program must find what its own does, unless the user names an algorithm
/// of Rondo.
inline bool takes_edges(const communicator::State& state) {
  constexpr auto kForm = buffers::Form::neighbor_alltoallv;
  const communicator::ChoiceOrAuto& asked = state.choice_or_auto(kForm);
  return !state.neighbourhood->topology().is_ambiguous ||
         (asked && !asked->algorithm->is_library());
}

/// The same of a communicator that may have no state yet, or no topology: then the MPI library raises the error.
inline bool takes_edges(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return false;
  const communicator::State* state = communicator::recent_state(comm);
  if (state == nullptr || !state->neighbourhood) {
    if (communicator::has_ended(comm) || !communicator::has_topology(comm)) return false;
    state = exchange::state_with_topology(comm).get();
  }
  return takes_edges(*state);
}

/// Enters an exchange if its communicator has a state. Of a wrong communicator the call itself says so.
inline void enter(std::optional<exchange::InExchange>& in_exchange, MPI_Comm comm,
                  buffers::Form form) {
  failure_of([&] {
    if (const auto* const state = communicator::known_state(comm))
      in_exchange.emplace(*state, form);
  });
}

/// By the MPI library alone, as its turn of `--ab`.
template <class Arguments>
int forward_watched(const Arguments& arguments) {
  std::optional<exchange::InExchange> in_exchange;
  enter(in_exchange, arguments.comm, Arguments::kForm);
  if (in_exchange) in_exchange->leave_to_library();
  return arguments.forward();
}

/// `call` is the function that the program calls. The program continues even if the exchange cannot be recorded.
template <class Arguments>
int exchange(const Arguments& arguments, MpiCall call) {
  if (!has_world()) return arguments.forward();
  if constexpr (kIsOnEdges<Arguments>) {
    bool is_ours = true;
    const int code =
        exchange::guarded(arguments.comm, [&] { is_ours = takes_edges(arguments.comm); });
    if (code != MPI_SUCCESS) return code;
    if (!is_ours) {
      count_forwarded(call);
      return forward_watched(arguments);
    }
  }
  if (!is_reported(arguments.comm)) return exchange::carry_out(arguments);
  // Ranks also wait for each other in what is measured before and after.
  std::optional<exchange::InExchange> in_exchange;
  enter(in_exchange, arguments.comm, Arguments::kForm);
  const ab::Turn turn = ab::next_turn(arguments.comm, Arguments::kForm);
  const Arrival arrival = measure_arrival(arguments.comm, Arguments::kForm);
  const double start = now_in_seconds();
  const int code =
      turn.arm == ab::Arm::library ? forward_watched(arguments) : exchange::carry_out(arguments);
  const double end = now_in_seconds();
  try {
    note_exchange(
        arguments, arrival,
        {.turn = turn, .has_succeeded = code == MPI_SUCCESS, .seconds = end - start, .end = end},
        code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: an exchange is missing from the report: %s\n", error.what());
  }
  return code;
}

template <class Result, class... Arguments>
Function untyped(Result (*function)(Arguments...)) {
  return reinterpret_cast<Function>(function);
}

/// Enters the replacements of MPI's exchanges for calls from Fortran, with Open MPI.
void add_fortran(Part& part);

}  // namespace rondo::dropin
