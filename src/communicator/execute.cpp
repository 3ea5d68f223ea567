#include "communicator/execute.hpp"

#include "buffers/buffers.hpp"
#include "communicator/agree.hpp"

namespace rondo::communicator {

namespace {

/// Runs the part of an exchange that involves the other ranks. If it throws, this rank and others
/// may wait for each other's messages for ever, so the communicator must not be used again.
void exchange_all(exchange::Call& call, const Task& task,
                  std::optional<buffers::Buffers>& buffers) {
  try {
    // A failed rank takes part without data, so that the others learn of the failure.
    exchange::run(call, task.failure ? buffers::Buffers::without_data(call.context, task.binding,
                                                                      *task.failure)
                                     : buffers->blocks());
    if (!task.failure && !call.failure) buffers->exchange_pairs();
  } catch (...) {
    task.state.abandon();
    throw;
  }
}

}  // namespace

std::optional<Error> find_failure(const buffers::Binding& binding, const void* send_buffer,
                                  const void* receive_buffer) {
  return failure_of([&] {
    binding.receive.check_buffer(receive_buffer);
    if (!binding.is_in_place) binding.sending().check_buffer(send_buffer);
  });
}

void execute(const Task& task) {
  exchange::Context& context = task.state.context();
  exchange::Call call{.context = context,
                      .choice = task.choice,
                      .learned = task.learned,
                      .block_bytes = task.block_bytes,
                      .choose_by_neighbours = task.choose_by_neighbours};
  std::optional<buffers::Buffers> buffers;
  if (!task.failure)
    task.failure = failure_of(
        [&] { buffers.emplace(context, task.binding, task.send_buffer, task.receive_buffer); });
  if (task.state.settings().check != 0) agree_on_failure(context, task.failure);
  const bool returns_alone = task.choice.algorithm->errors == registry::Errors::local;
  if (task.failure && returns_alone) throw Error(*task.failure);
  exchange_all(call, task, buffers);
  if (task.failure) throw Error(*task.failure);
  if (call.failure) throw Error(*call.failure);
  buffers->finish();
  if (call.mismatch) throw Error(*call.mismatch);
}

}  // namespace rondo::communicator
