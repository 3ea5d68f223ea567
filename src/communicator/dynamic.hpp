// Runs one dynamic exchange: an alltoallv in which no rank knows how much it receives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "communicator/state.hpp"

namespace rondo::communicator {

/// What a rank that has learned the lengths does with them.
class Receiver {
 public:
  virtual ~Receiver() = default;

  /// Binds `side` to blocks of `lengths` bytes by source, one after another, and returns the buffer
  /// for them. If the caller has no place for the blocks, this is memory of Rondo's own.
  virtual void* place(std::span<const std::uint64_t> lengths, buffers::Side& side) = 0;

  /// Whether place() lets the program allocate the buffer.
  virtual bool is_allocated() const = 0;
};

/// One dynamic exchange. The sending side of the state's binding is bound, unless there is a
/// `failure`, which all ranks then return.
struct DynamicTask {
  State& state;
  choice::Choice choice;  ///< a copy, since `auto` may decide anew while the lengths go first
  const void* send_buffer;
  Receiver& receiver;
  std::optional<Error> failure;
};

/// Collective. Runs the exchange by one of Rondo's algorithms. If its engine does not carry lengths,
/// they go first, in an alltoall of one integer.
void execute_dynamic(DynamicTask task);

/// Writes the integers that go first if an engine does not carry lengths: the lengths of the blocks
/// or, if there is a `failure`, what tells the other ranks of it.
void write_lengths(std::span<std::uint64_t> sent, const buffers::Side& sending,
                   const std::optional<Error>& failure);

/// Returns the error of the lowest rank whose integers tell of a failure, if any.
std::optional<Error> failure_in(std::span<const std::uint64_t> arriving);

}  // namespace rondo::communicator
