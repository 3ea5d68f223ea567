// Runs an exchange in which no rank knows how much it receives: a dynamic one of all ranks, or a sparse one, in
// which each rank names the ranks to which it sends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "communicator/state.hpp"
#include "engines/discovery/sparse.hpp"

namespace rondo::exchange {

/// What a rank that has learned the lengths does with them.
template <class Length>
class ReceiverOf {
 public:
  virtual ~ReceiverOf() = default;

  /// Binds `side` to blocks of these lengths, one after another, and returns the buffer for them. If the
  /// caller has no place for the blocks, this is memory of Rondo's own.
  virtual void* place(std::span<const Length> lengths, buffers::Side& side) = 0;

  /// Whether place() lets the program allocate the buffer.
  virtual bool is_allocated() const = 0;
};

/// One exchange, in one channel. The sending side of the binding is bound, unless there is a `failure`, which
/// all ranks then return.
template <class Length>
struct ReceivingTask {
  communicator::State& state;
  communicator::Channel& channel;
  buffers::Binding& binding;
  choice::Choice choice;  ///< a copy, since `auto` may decide anew while lengths go first
  const void* send_buffer;
  ReceiverOf<Length>& receiver;
  std::optional<Error> failure;
  const int* destinations = nullptr;  ///< of the blocks of a sparse exchange
};

using DynamicTask = ReceivingTask<std::uint64_t>;   ///< bytes, by source
using SparseTask = ReceivingTask<engines::Source>;  ///< of those that send anything

/// Collective. Runs the exchange by one of Rondo's algorithms. If the engine of a dynamic exchange does not
/// carry lengths, they go first, in an alltoall of one integer.
void execute(DynamicTask task);
void execute(SparseTask task);

/// Writes the integers that go first if an engine does not carry lengths: the lengths of the blocks
/// or, if there is a `failure`, what tells the other ranks of it.
void write_lengths(std::span<std::uint64_t> sent, const buffers::Side& sending,
                   const std::optional<Error>& failure);

/// Returns the error of the lowest rank whose integers tell of a failure, if any.
std::optional<Error> failure_in(std::span<const std::uint64_t> arriving);

}  // namespace rondo::exchange
