// Agreement between ranks on errors that they would otherwise notice only by hanging.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "buffers/binding.hpp"
#include "engines/context.hpp"
#include "engines/mismatch.hpp"

namespace rondo::communicator {

/// Collective. If any rank has a `failure`, all ranks throw: a rank with a failure throws its own,
/// the others throw an error that names the lowest such rank and has its class.
void agree_on_failure(engines::Context& context, const std::optional<Error>& failure);

/// Collective on a communicator of the program, on which Rondo has no tags. The same, and replaces the numbers by the
/// greatest that any rank has in their places. The first one is for the failure. It allocates nothing, so a rank without
/// memory does not leave the others alone.
void agree_on_greatest(MPI_Comm comm, const std::optional<Error>& failure,
                       std::span<std::int64_t> numbers);

/// Collective, likewise, without other numbers.
void agree_on_failure(MPI_Comm comm, const std::optional<Error>& failure);

/// Collective. As agree_on_failure(); then compares all send and receive lengths. If any two
/// differ, all ranks throw Error(truncate), which names the pair with the lowest receiver.
void agree_on_lengths(engines::Context& context, std::optional<Error> failure,
                      const buffers::Binding& binding);

/// Collective unless `progress`, the value of RONDO_PROGRESS, is empty. Throws Error(argument) on all
/// ranks if a rank has no MPI_THREAD_MULTIPLE.
void require_progress(MPI_Comm comm, const std::string& progress);

/// Collective. If any rank has found a mismatch, all ranks throw Error(truncate), which names the pair
/// with the lowest receiver.
void throw_lowest_mismatch(const engines::Context& context,
                           const std::optional<engines::Lengths>& own);

/// Collective. Returns the length of the longest block that any rank sends.
std::size_t agree_on_longest(const engines::Context& context, const buffers::Binding& binding);

}  // namespace rondo::communicator
