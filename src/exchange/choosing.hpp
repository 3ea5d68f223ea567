// Which algorithm a call or a started exchange runs.
#pragma once

#include "buffers/arguments.hpp"
#include "communicator/auto.hpp"

namespace rondo::exchange {

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

/// `chooser` is the state, for a call, or the channel of a started exchange. `block_bytes` is known_block_bytes(). A
/// rank with a `failure` takes part too, to report it, unless it does not know the length that decides what the others
/// run. Returns a copy, since `auto` may decide anew before the exchange ends.
template <class Chooser>
choice::Choice choose(Chooser& chooser, buffers::Form form,
                      const std::optional<std::size_t>& block_bytes,
                      const std::optional<Error>& failure) {
  const bool is_known = block_bytes || form != buffers::Form::alltoall;
  if (!is_known && chooser.requested(form) == nullptr) throw Error(*failure);
  return chooser.choose(form, block_bytes);
}

template <class Chooser, class Arguments>
choice::Choice choose(Chooser& chooser, const buffers::Binding& binding, const Arguments& arguments,
                      const std::optional<Error>& failure) {
  return choose(chooser, Arguments::kForm,
                known_block_bytes(binding, arguments, chooser.ranks(), failure), failure);
}

}  // namespace rondo::exchange
