// An exchange without receive counts as a call, and as one that is forwarded to the MPI library.
#pragma once

#include <vector>

#include "communicator/attributes.hpp"
#include "exchange/guard.hpp"
#include "exchange/receiving.hpp"
#include "exchange/sparse_placing.hpp"
#include "exchange/watched.hpp"
#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "mpi/progress.hpp"

namespace rondo::exchange {

/// Binds the sending side, and checks all arguments. Returns what is wrong.
template <class Count, class Displacement>
std::optional<Error> bind_dynamic(buffers::Binding& binding, int ranks,
                                  const DynamicArguments<Count, Displacement>& arguments,
                                  Placing<Count, Displacement>& placing) {
  binding.is_in_place = false;
  auto failure = failure_of([&] {
    if (arguments.send_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "sendbuf is MPI_IN_PLACE; a dynamic exchange is not in place");
    placing.bind(binding.receive, ranks);
    binding.send().bind_alltoallv(ranks, buffers::Numbers(arguments.send_counts),
                                  buffers::Numbers(arguments.send_displacements),
                                  arguments.send_type);
    binding.send().check_buffer(arguments.send_buffer);
  });
  if (failure) binding.clear();
  return failure;
}

/// The MPI library's two calls: an alltoall of lengths and an alltoallv. `failure` is what is wrong
/// with the arguments. MPI only returns its errors here, since the entry raises them.
template <class Count, class Displacement>
void forward_bound(communicator::State& state,
                   const DynamicArguments<Count, Displacement>& arguments,
                   Placing<Count, Displacement>& placing, const std::optional<Error>& failure) {
  const auto ranks = static_cast<std::size_t>(state.ranks());
  std::vector<std::uint64_t> lengths(2 * ranks);
  const std::span sent = std::span(lengths).first(ranks);
  const std::span arriving = std::span(lengths).last(ranks);
  write_lengths(sent, state.own().binding.sending(), failure);
  mpi::before_library_call();
  const mpi::ErrorsReturned returned(arguments.comm);
  mpi::check(
      PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, arguments.comm),
      "MPI_Alltoall");
  if (failure) throw Error(*failure);
  if (const auto elsewhere = failure_in(arriving)) throw Error(*elsewhere);
  const auto late = failure_of([&] {
    placing.place(arriving, state.own().binding.receive);
    placing.receive_forwarded();
  });
  if (late && late->error_class() == ErrorClass::no_memory) state.give_up();
  if (late) throw Error(*late);
  placing.finish();
}

template <class Count, class Displacement>
int forward_by_library(communicator::State& state,
                       const DynamicArguments<Count, Displacement>& arguments,
                       std::optional<Error> failure) {
  Placing placing(arguments, state.kept);
  if (!failure) failure = bind_dynamic(state.own().binding, state.ranks(), arguments, placing);
  forward_bound(state, arguments, placing, failure);
  return MPI_SUCCESS;
}

/// As a dynamic exchange of all ranks.
template <class Count, class Displacement>
int forward_by_library(communicator::State& state,
                       const SparseArguments<Count, Displacement>& arguments,
                       std::optional<Error> failure) {
  SparsePlacing sources(arguments, state);
  if (!failure) failure = sources.bind();
  ByRank by_rank(arguments, static_cast<std::size_t>(state.ranks()), !failure);
  const DynamicArguments<Count, Displacement> dense{arguments.send_buffer,
                                                    by_rank.send_counts.data(),
                                                    by_rank.send_displacements.data(),
                                                    arguments.send_type,
                                                    arguments.target,
                                                    by_rank.receive_counts.data(),
                                                    by_rank.receive_displacements.data(),
                                                    arguments.receive_type,
                                                    arguments.comm};
  Placing placing(dense, state.kept);
  if (!failure) failure = bind_dynamic(state.own().binding, state.ranks(), dense, placing);
  const auto error = failure_of([&] { forward_bound(state, dense, placing, failure); });
  sources.list(by_rank.receive_counts, by_rank.receive_displacements);
  if (error) throw Error(*error);
  return MPI_SUCCESS;
}

template <class Count, class Displacement>
void run(communicator::State& state, const DynamicArguments<Count, Displacement>& arguments,
         const choice::Choice& choice, std::optional<Error> failure) {
  Placing placing(arguments, state.kept);
  if (!failure) failure = bind_dynamic(state.own().binding, state.ranks(), arguments, placing);
  execute(DynamicTask{.state = state,
                      .channel = state.own(),
                      .binding = state.own().binding,
                      .choice = choice,
                      .send_buffer = arguments.send_buffer,
                      .receiver = placing,
                      .failure = std::move(failure)});
  placing.finish();
}

template <class Count, class Displacement>
void run(communicator::State& state, const SparseArguments<Count, Displacement>& arguments,
         const choice::Choice& choice, std::optional<Error> failure) {
  SparsePlacing placing(arguments, state);
  if (!failure) failure = placing.bind();
  execute(SparseTask{.state = state,
                     .channel = state.own(),
                     .binding = state.own().binding,
                     .choice = choice,
                     .send_buffer = arguments.send_buffer,
                     .receiver = placing,
                     .failure = std::move(failure),
                     .destinations = arguments.destinations});
  placing.finish();
}

/// Collective. Carries out an exchange on a communicator whose set-up has been tried. `failure` is what this rank
/// has already found wrong; then nothing is bound. Flattened as exchange_once().
template <class Arguments>
[[gnu::flatten]] int exchange_receiving(communicator::State& state, const Arguments& arguments,
                                        std::optional<Error> failure = std::nullopt) {
  if (state.must_forward()) return forward_by_library(state, arguments, std::move(failure));
  state.begin_exchange();
  const choice::Choice choice = Arguments::choose(state);
  const auto run_decided = [&]() -> int {
    if (Arguments::is_forwarded(choice))
      return forward_by_library(state, arguments, std::move(failure));
    run(state, arguments, choice, std::move(failure));
    return MPI_SUCCESS;
  };
  return communicator::run_timed(Arguments::take_timed(state), run_decided);
}

template <class Arguments>
void refuse_inter(const Arguments& arguments) {
  if (communicator::is_inter(arguments.comm))
    throw Error(ErrorClass::communicator,
                text("comm is an inter-communicator, on which there are no ", Arguments::kKind,
                     " exchanges"));
}

/// Collective. Carries out an exchange without receive counts. Returns MPI's code.
template <class Arguments>
int call_receiving(const Arguments& arguments) {
  return guarded(arguments.comm, [&]() -> int {
    refuse_inter(arguments);
    communicator::State* const recent = communicator::recent_state(arguments.comm);
    communicator::State& state =
        recent != nullptr ? *recent : *communicator::state_of(arguments.comm);
    state.kept.forget();
    const auto exchange = [&] { return exchange_receiving(state, arguments); };
    if (state.goes_straight()) return exchange();
    const InExchange in_exchange(state, Arguments::kForm);
    state.forget_choice();
    if (state.life() != communicator::Life::counting) return exchange();
    const auto forward = [&] {
      in_exchange.leave_to_library();
      return forward_by_library(state, arguments, std::nullopt);
    };
    return state.start(Arguments::kForm, forward, exchange);
  });
}

}  // namespace rondo::exchange
