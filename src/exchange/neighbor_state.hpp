// The state of a communicator with a topology.
#pragma once

#include <memory>
#include <utility>

#include "communicator/attributes.hpp"
#include "communicator/neighbourhood.hpp"

namespace rondo::exchange {

inline constexpr buffers::Form kNeighborForm = buffers::Form::neighbor_alltoallv;

/// Returns the state of `comm` with its topology. The first call on a communicator is collective. Throws
/// an error of class MPI_ERR_TOPOLOGY if it has none, before anything collective.
inline std::shared_ptr<communicator::State>& state_with_topology(MPI_Comm comm) {
  if (communicator::is_inter(comm))
    throw Error(ErrorClass::communicator, "comm is an inter-communicator, which has no topology",
                MPI_ERR_TOPOLOGY);
  const communicator::State* const known = communicator::find_state(comm);
  std::unique_ptr<communicator::Neighbourhood> read;
  if (known == nullptr || !known->neighbourhood) read = communicator::Neighbourhood::read(comm);
  auto& state = communicator::state_of(comm);
  if (!state->neighbourhood) state->neighbourhood = std::move(read);
  return state;
}

}  // namespace rondo::exchange
