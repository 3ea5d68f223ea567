// One exchange of bound arguments, with an algorithm of ours.
#pragma once

#include <optional>

#include "communicator/state.hpp"

namespace rondo::communicator {

/// What is to be run, and on what. `failure` is what this rank found wrong with its arguments: it
/// is told to the others where the algorithm or RONDO_CHECK=1 can, and thrown.
struct Task {
  State& state;
  buffers::Form form;
  const choice::Choice& choice;
  const buffers::Binding& binding;
  const void* send_buffer;
  void* receive_buffer;
  std::optional<Error> failure;
  exchange::Learned* learned = nullptr;  ///< of a plan

  // As in exchange::Call.
  std::optional<std::size_t> block_bytes{};
  const std::function<const choice::Choice&(std::size_t)>* choose_by_neighbours = nullptr;
};

/// Collective.
void execute(Task task);

/// Local. What is wrong with the arguments of a call, if anything.
std::optional<Error> find_failure(const State& state, const buffers::Binding& binding,
                                  const void* send_buffer, const void* receive_buffer);

}  // namespace rondo::communicator
