// Ranks tell each other what they would else only find out by hanging.
#pragma once

#include <optional>

#include "buffers/binding.hpp"
#include "exchange/context.hpp"

namespace rondo::communicator {

/// Collective. Throws on all ranks if any rank has a `failure`: its own on that rank, one that
/// names the lowest such rank, with its class, on the others.
void agree_on_failure(exchange::Context& context, const std::optional<Error>& failure);

/// Collective. As above; then compare all send and receive lengths, too. Throws Error(truncate) on
/// all ranks if any two differ, naming the pair with the lowest receiver.
void agree_on_lengths(exchange::Context& context, std::optional<Error> failure,
                      const buffers::Binding& binding);

/// Collective. The length of the longest block that anybody sends.
std::size_t agree_on_longest(const exchange::Context& context, const buffers::Binding& binding);

}  // namespace rondo::communicator
