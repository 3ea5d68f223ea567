// What rank 0 prints with RONDO_VERBOSE=1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "choice/choice.hpp"
#include "communicator/learner.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// Prints a choice, for blocks of up to `block_bytes` bytes if it depends on the length.
void print_choice(registry::Collective collective, const choice::Layout& layout,
                  std::optional<std::size_t> block_bytes, const std::string& name,
                  const std::string& reason);

/// Prints what the learner has learned last, if that is requested. Prints nothing if there is no memory for the text:
/// the other ranks go on.
void print_learned(const engines::Context& context, const registry::Settings& settings,
                   std::optional<std::size_t> block_bytes, const Learner& learner);

}  // namespace rondo::communicator
