#include "exchange/execute.hpp"

#include <algorithm>
#include <span>

#include "buffers/buffers.hpp"
#include "communicator/lengths.hpp"
#include "mpi/transport.hpp"
#include "transport/agreement.hpp"

namespace rondo::exchange {

namespace {

// MPI_IN_PLACE: no byte is overwritten before it has been sent.

/// Exchanges `block` with `partner` in place, through one piece of scratch memory.
void exchange_pair(engines::Context& context, Block block, int partner) {
  const int tag = context.tag(0);
  std::byte* const leaving = context.scratch.bytes(Scratch::kOutgoing, buffers::kInPlacePieceBytes);
  for (std::size_t offset = 0; offset < block.bytes; offset += buffers::kInPlacePieceBytes) {
    const std::size_t bytes = std::min(buffers::kInPlacePieceBytes, block.bytes - offset);
    std::byte* const place = block.data + offset;
    copy_bytes(leaving, place, bytes);
    context.messages.receive(place, bytes, partner, tag);
    context.messages.send(leaving, bytes, partner, tag);
    context.messages.wait();
  }
}

/// Exchanges every block i that is longer than a piece with rank i, in place. Other blocks are not
/// touched.
void exchange_pairs_in_place(engines::Context& context, std::span<const Block> blocks) {
  // In step s, rank p is paired with rank s - p. All pairs of a step exchange at the same time.
  for (int step = 0; step < context.ranks; ++step) {
    const int partner = (step - context.rank + context.ranks) % context.ranks;
    const Block block = blocks[static_cast<std::size_t>(partner)];
    if (partner != context.rank && buffers::is_exchanged_by_pair(block.bytes))
      exchange_pair(context, block, partner);
  }
}

/// Runs the part of an exchange that involves the other ranks. If it throws, this rank and others
/// may wait for each other's messages for ever, so the communicator must not be used again. A block that is
/// too long has arrived all the same.
template <class Body>
void with_all(const Task& task, engines::Call& call, Body&& body) {
  try {
    const engines::Context::NotesTruncation notes(call.context, call.mismatch);
    body();
  } catch (...) {
    task.state.abandon(task.context);
    throw;
  }
}

void throw_if_any(const std::optional<Error>& error) {
  if (error) throw Error(*error);
}

/// Runs an exchange whose blocks stay where they are.
void execute_plain(engines::Call& call, const Task& task) {
  const Blocks blocks = buffers::plain_blocks(task.binding, task.send_buffer, task.receive_buffer);
  with_all(task, call, [&] { engines::run(call, blocks); });
  throw_if_any(call.failure);
  throw_if_any(call.mismatch);
}

/// Runs an exchange that needs memory of Rondo's own, or on a rank that has failed.
void execute_any(engines::Call& call, const Task& task) {
  std::optional<buffers::Buffers> buffers;
  Blocks parts;   // of the arguments: of ranks, or of edges
  Blocks blocks;  // of ranks
  if (!task.failure)
    task.failure = failure_of([&] {
      buffers.emplace(call.context.scratch, mpi::comm_of(call.context.transport()), task.binding,
                      task.send_buffer, task.receive_buffer);
      parts = buffers->blocks();
      blocks = task.peers == nullptr
                   ? parts
                   : task.peers->join(call.context.scratch, parts.send, parts.receive);
    });
  if (task.state.settings().check != 0)
    transport::fail_together(call.context.tagged(), task.failure);
  const bool returns_alone = task.choice.algorithm->errors == registry::Errors::local;
  if (returns_alone && task.failure) {
    // The others must not take this rank's next exchange for this one.
    if (task.failure->error_class() == ErrorClass::no_memory) task.state.abandon(task.context);
    throw Error(*task.failure);
  }
  with_all(task, call, [&] {
    // A failed rank takes part without data, so that the others learn of the failure.
    if (task.failure)
      blocks = task.peers == nullptr
                   ? buffers::Buffers::without_data(call.context.scratch, call.context.ranks,
                                                    task.binding, *task.failure)
                   : task.peers->without_data(*task.failure);
    engines::run(call, blocks);
    if (!task.failure && !call.failure)
      if (const auto pairs = buffers->pairs(); !pairs.empty())
        exchange_pairs_in_place(call.context, pairs);
  });
  throw_if_any(task.failure);
  throw_if_any(call.failure);
  if (task.peers != nullptr) task.peers->split(parts.receive);
  buffers->finish();
  throw_if_any(call.mismatch);
}

}  // namespace

void execute(const Task& task) {
  engines::Call call{.context = task.context,
                     .choice = task.choice,
                     .learned = task.learned,
                     .pattern = task.pattern};
  const bool is_plain = !task.failure && task.peers == nullptr &&
                        task.state.settings().check == 0 && buffers::are_plain(task.binding);
  if (is_plain)
    execute_plain(call, task);
  else
    execute_any(call, task);
}

}  // namespace rondo::exchange
