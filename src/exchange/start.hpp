// An exchange as a start: it takes the arguments, and a request says when it is over.
#pragma once

#include <memory>

#include "exchange/request.hpp"
#include "exchange/started_exchange.hpp"

namespace rondo::exchange {

template <class Arguments>
int start(const Arguments& arguments, Rondo_Request* request) {
  return guarded(arguments.comm, [&]() -> int {
    clear_request(request);
    if (mpi::has_outstanding()) mpi::advance_outstanding();
    communicator::State* const state = ready_state(arguments.comm);
    if (state == nullptr || !WhoOf<Arguments>::can_start(*state, Arguments::kForm))
      return start_forwarded(arguments, request);
    *request = start_with_request(state->shared_from_this(), [&] {
      communicator::Channel& channel = state->next_channel();
      const auto exchange =
          std::make_shared<StartedExchange<Arguments>>(*state, channel, arguments);
      return state->start_in(channel, [exchange] { exchange->run(); });
    });
    return MPI_SUCCESS;
  });
}

}  // namespace rondo::exchange
