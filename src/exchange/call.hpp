// An exchange as a call: it borrows the caller's arguments and is over when it returns.
#pragma once

#include "exchange/for_mpi.hpp"
#include "exchange/guard.hpp"
#include "exchange/watched.hpp"
#include "exchange/who.hpp"

namespace rondo::exchange {

/// Flattened, because each instruction counts where every rank has a core.
template <class Arguments>
[[gnu::flatten]] int exchange_once(communicator::State& state, const Arguments& arguments) {
  using Who = WhoOf<Arguments>;
  if (state.must_forward()) return forward(arguments);
  engines::Context& context = state.begin_exchange();
  const Who who;
  who.prepare(state);

  auto& workspace = who.workspace(state, state.own());
  auto& binding = workspace.binding;
  const auto bind = [&] {
    who.bind(state, binding, arguments);
    binding.check_buffers(arguments.send_buffer, arguments.receive_buffer);
  };
  const bool has_check = state.settings().check != 0;
  auto failure = Who::kBindsFirst || has_check ? failure_of(bind) : std::optional<Error>();
  if (has_check) Who::compare_lengths(context, workspace, failure, binding);
  const choice::Choice choice =
      Who::choose(state, binding, arguments, failure, [&] { failure = failure_of(bind); });
  const auto run_decided = [&]() -> int {
    if (choice.algorithm->is_library()) {
      if (Who::kBindsFirst && failure) throw Error(*failure);
      return forward(arguments);
    }
    if (!Who::kBindsFirst) failure = failure_of(bind);
    execute({.state = state,
             .context = context,
             .choice = choice,
             .binding = binding,
             .send_buffer = arguments.send_buffer,
             .receive_buffer = arguments.receive_buffer,
             .failure = failure,
             .peers = Who::peers(workspace),
             .pattern = Who::pattern(state)});
    return MPI_SUCCESS;
  };
  return communicator::run_timed(Who::take_timed(state), run_decided);
}

template <class Arguments>
int carry_out(const Arguments& arguments) {
  return guarded(arguments.comm, [&]() -> int {
    communicator::State* const state = WhoOf<Arguments>::state_for_call(arguments.comm);
    if (state == nullptr || WhoOf<Arguments>::is_forwarded_at_once(*state))
      return forward(arguments);
    const auto exchange = [&] { return exchange_once(*state, arguments); };
    if (state->goes_straight()) return exchange();
    const InExchange in_exchange(*state, Arguments::kForm);
    state->forget_choice();
    if (state->life() != communicator::Life::counting) return exchange();
    const auto forward_first = [&] {
      in_exchange.leave_to_library();
      return forward(arguments);
    };
    return state->start(Arguments::kForm, forward_first, exchange);
  });
}

}  // namespace rondo::exchange
