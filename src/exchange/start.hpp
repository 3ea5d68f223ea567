// An exchange as a start: it takes the arguments, and a request says when it is over.
#pragma once

#include <memory>

#include "exchange/request.hpp"
#include "exchange/started_exchange.hpp"

namespace rondo::exchange {

/// Starts an Exchange of these arguments, in the next channel. If it has something to hand over, the program's
/// stack does so.
template <class Exchange, class Arguments>
Rondo_Request start_next(communicator::State& state, const Arguments& arguments) {
  return start_with_request(state.shared_from_this(), [&] {
    communicator::Channel& channel = state.next_channel();
    const auto exchange = std::make_shared<Exchange>(state, channel, arguments);
    Begun begun{state.start_in(channel, [exchange] { exchange->run(); })};
    if constexpr (requires { exchange->hand_over(); })
      begun.hand_over = [exchange] { exchange->hand_over(); };
    return begun;
  });
}

template <class Arguments>
int start(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&]() -> int {
    clear_request(request);
    if (mpi::has_outstanding()) mpi::advance_outstanding();
    communicator::State* const state = ready_state(arguments.comm);
    if (state == nullptr || !WhoOf<Arguments>::can_start(*state, Arguments::kForm))
      return start_forwarded(arguments, request);
    *request = start_next<StartedExchange<Arguments>>(*state, arguments);
    return MPI_SUCCESS;
  });
}

}  // namespace rondo::exchange
