#include "api/execute.hpp"

#include "api/agree.hpp"
#include "api/blocks.hpp"
#include "exchange/functions.hpp"

namespace rondo::api {

namespace {

void run(exchange::Call& call, Form form, const Blocks& blocks) {
  if (form != Form::alltoall) return exchange::run(call, blocks.variable());
  exchange::run(call, blocks.uniform());
}

/// Take part without data, so that the others hear of the failure.
void take_part_failed(exchange::Call& call, const Task& task) {
  if (task.form == Form::alltoall)
    exchange::run(call, exchange::Uniform{.failure = &*task.failure});
  else
    exchange::run(call, Blocks::without_data(call.context, task.binding, *task.failure));
}

/// What other ranks wait for. If it throws, they may wait for ever for messages of this rank, or it
/// for theirs: the communicator must not be used again.
void exchange_all(exchange::Call& call, const Task& task, std::optional<Blocks>& blocks) {
  try {
    if (task.failure) return take_part_failed(call, task);
    run(call, task.form, *blocks);
    if (!call.told) blocks->exchange_pairs();
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
  std::optional<Blocks> blocks;
  if (!task.failure)
    task.failure = failure_of(
        [&] { blocks.emplace(context, task.binding, task.send_buffer, task.receive_buffer); });
  if (task.state.settings().check != 0) agree_on_failure(context, task.failure);
  const bool tells = task.choice.algorithm->failures == registry::Failures::told;
  if (task.failure && !tells) throw Error(*task.failure);
  exchange_all(call, task, blocks);
  if (task.failure) throw Error(*task.failure);
  if (call.told) throw Error(*call.told);
  blocks->finish();
  if (call.mismatch) throw Error(*call.mismatch);
}

}  // namespace rondo::api
