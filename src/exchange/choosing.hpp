// Which algorithm a call or a started exchange runs.
#pragma once

#include "buffers/arguments.hpp"
#include "communicator/auto.hpp"

namespace rondo::exchange {

/// What an exchange runs. A rank with a `failure` takes part in an alltoall too, to report the failure,
/// even if it does not know the block length that decides the algorithm. It does not take part only
/// if it cannot find out which algorithm the others run.
struct Decision {
  choice::Choice choice;  ///< a copy, since `auto` may decide anew before the exchange ends
  std::optional<std::size_t> block_bytes{};  ///< of alltoall, if it is known
};

/// Returns the length of the blocks of an alltoall, or nothing on a rank with a `failure` that does not
/// know it. Nothing for other forms.
template <class Arguments>
std::optional<std::size_t> known_block_bytes(const buffers::Binding& binding,
                                             const Arguments& arguments, int ranks,
                                             const std::optional<Error>& failure) {
  if (Arguments::kForm != buffers::Form::alltoall) return std::nullopt;
  return failure ? block_bytes_of_valid_side(arguments, ranks)
                 : std::optional(binding.block_bytes());
}

/// `chooser` is the state, for a call, or the channel of a started exchange. `block_bytes` is
/// known_block_bytes().
template <class Chooser>
Decision choose(Chooser& chooser, buffers::Form form, const std::optional<std::size_t>& block_bytes,
                const std::optional<Error>& failure) {
  if (form != buffers::Form::alltoall) return {.choice = chooser.choose(form, std::nullopt)};
  if (block_bytes) return {.choice = chooser.choose(form, block_bytes), .block_bytes = block_bytes};
  if (const choice::Choice* const requested = chooser.requested(form))
    return {.choice = *requested};
  const choice::Choice* const choice = chooser.choose_without_length();
  if (choice == nullptr) throw Error(*failure);
  return {.choice = *choice};
}

template <class Chooser, class Arguments>
Decision choose(Chooser& chooser, const buffers::Binding& binding, const Arguments& arguments,
                const std::optional<Error>& failure) {
  return choose(chooser, Arguments::kForm,
                known_block_bytes(binding, arguments, chooser.ranks(), failure), failure);
}

}  // namespace rondo::exchange
