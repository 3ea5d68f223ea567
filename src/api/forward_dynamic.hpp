// A dynamic exchange that is forwarded to the MPI library, and how its arguments are bound.
#pragma once

#include <vector>

#include "api/placing.hpp"
#include "communicator/dynamic.hpp"
#include "exchange/handles.hpp"

namespace rondo::api {

/// Binds the sending side, and checks all arguments. Returns what is wrong.
template <class Count, class Displacement>
std::optional<Error> bind_dynamic(communicator::State& state,
                                  const DynamicArguments<Count, Displacement>& arguments,
                                  Placing<Count, Displacement>& placing) {
  buffers::Binding& binding = state.binding();
  binding.is_in_place = false;
  auto failure = failure_of([&] {
    if (arguments.send_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "sendbuf is MPI_IN_PLACE; a dynamic exchange is not in place");
    placing.bind(binding.receive, state.ranks());
    binding.send().bind_alltoallv(state.ranks(), buffers::Numbers(arguments.send_counts),
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
  communicator::write_lengths(sent, state.binding().sending(), failure);
  exchange::before_library_call();
  const exchange::ErrorsReturned returned(arguments.comm);
  exchange::check(
      PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, arguments.comm),
      "MPI_Alltoall");
  if (failure) throw Error(*failure);
  if (const auto elsewhere = communicator::failure_in(arriving)) throw Error(*elsewhere);
  placing.place(arriving, state.binding().receive);
  placing.receive_forwarded();
  placing.finish();
}

template <class Count, class Displacement>
void forward_dynamic(communicator::State& state,
                     const DynamicArguments<Count, Displacement>& arguments) {
  Placing placing(arguments, state.kept);
  const auto failure = bind_dynamic(state, arguments, placing);
  forward_bound(state, arguments, placing, failure);
}

}  // namespace rondo::api
