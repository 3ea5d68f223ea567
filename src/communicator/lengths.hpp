// Lengths of blocks, compared between ranks that would otherwise notice a difference only by hanging.
#pragma once

#include <cstdint>
#include <optional>

#include "buffers/binding.hpp"
#include "engines/context.hpp"
#include "engines/mismatch.hpp"

namespace rondo::communicator {

/// Collective. As mpi::fail_together(); then compares all send and receive lengths. If any two
/// differ, all ranks throw Error(truncate), which names the pair with the lowest receiver.
void compare_lengths(engines::Context& context, std::optional<Error> failure,
                     const buffers::Binding& binding);

/// Collective. If any rank has found a mismatch, all ranks throw Error(truncate), which names the pair
/// with the lowest receiver.
void throw_lowest_mismatch(const engines::Context& context,
                           const std::optional<engines::Lengths>& own);

/// Collective. Returns the length of the longest block that any rank sends.
std::size_t longest_of_any_rank(const engines::Context& context, const buffers::Binding& binding);

}  // namespace rondo::communicator
