// Which algorithm a call or a started exchange runs.
#pragma once

#include "buffers/arguments.hpp"
#include "communicator/auto.hpp"

namespace rondo::api {

/// What an exchange runs. A rank with a `failure` takes part in an alltoall too, to report the failure,
/// even if it does not know the block length that decides the algorithm. It does not take part only
/// if it cannot find out which algorithm the others run.
struct Chosen {
  const choice::Choice& choice;
  std::optional<std::size_t> block_bytes{};  ///< of alltoall, if it is known
  bool neighbours_decide = false;            ///< whether the neighbours' length decides the choice
};

/// `chooser` is the state, for a call, or the channel of a started exchange.
template <class Chooser, class Arguments>
Chosen choose(Chooser& chooser, const buffers::Binding& binding, const Arguments& arguments,
              const std::optional<Error>& failure) {
  constexpr buffers::Form kForm = Arguments::kForm;
  if (kForm != buffers::Form::alltoall) return {.choice = chooser.choose(kForm, std::nullopt)};
  const auto block_bytes = failure ? block_bytes_of_valid_side(arguments, chooser.ranks())
                                   : std::optional(binding.block_bytes());
  if (block_bytes)
    return {.choice = chooser.choose(kForm, block_bytes), .block_bytes = block_bytes};
  const communicator::Auto::ChoiceWithoutLength chosen = chooser.choose_without_length();
  if (chosen.choice == nullptr) throw Error(*failure);
  return {.choice = *chosen.choice, .neighbours_decide = chosen.neighbours_decide};
}

}  // namespace rondo::api
