#include "api/execute.hpp"

#include "api/agree.hpp"
#include "api/buffers.hpp"
#include "exchange/run.hpp"

namespace rondo::api {

namespace {

/// What other ranks wait for. If it throws, they may wait for ever for messages of this rank, or it
/// for theirs: the communicator must not be used again.
void exchange_all(exchange::Call& call, const Task& task, std::optional<Buffers>& buffers) {
  try {
    // A rank that failed takes part without data, so that the others hear of it.
    exchange::run(call, task.failure ? Buffers::without_data(call.context, task.binding, *task.failure)
                                     : buffers->blocks());
    if (!task.failure && !call.told) buffers->exchange_pairs();
  } catch (...) {
    task.state.abandon();
    throw;
  }
}

}  // namespace

std::optional<Error> find_failure(const State& state, const Binding& binding,
                                  const void* send_buffer, const void* receive_buffer) {
  return failure_of([&] {
    binding.receive.check_buffer(receive_buffer);
    if (!binding.is_in_place) binding.sending().check_buffer(send_buffer);
    binding.check_own(state.rank());
  });
}

void execute(Task task) {
  exchange::Context& context = task.state.context();
  exchange::Call call{.context = context,
                      .choice = task.choice,
                      .learned = task.learned,
                      .block_bytes = task.block_bytes,
                      .choose_by_neighbours = task.choose_by_neighbours};
  std::optional<Buffers> buffers;
  if (!task.failure)
    task.failure = failure_of(
        [&] { buffers.emplace(context, task.binding, task.send_buffer, task.receive_buffer); });
  if (task.state.settings().check != 0) agree_on_failure(context, task.failure);
  const bool tells = task.choice.algorithm->failures == registry::Failures::told;
  if (task.failure && !tells) throw Error(*task.failure);
  exchange_all(call, task, buffers);
  if (task.failure) throw Error(*task.failure);
  if (call.told) throw Error(*call.told);
  buffers->finish();
  if (call.mismatch) throw Error(*call.mismatch);
}

}  // namespace rondo::api
