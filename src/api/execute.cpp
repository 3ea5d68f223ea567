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

/// Take part without data, so that the others hear of the failure, if the algorithm can tell them;
/// throw it in any case.
[[noreturn]] void take_part_failed(exchange::Call& call, const Task& task) {
  if (task.form == Form::alltoall)
    exchange::run(call, exchange::Uniform{.failure = &*task.failure});
  else
    exchange::run(call, Blocks::without_data(call.context, task.binding, *task.failure));
  throw Error(*task.failure);
}

/// An exchange broke off. If MPI failed in the middle, nobody knows what others still send.
void give_up(const Task& task, bool has_mpi_failed) {
  task.state.abandon(has_mpi_failed);
  if (task.learned != nullptr && !task.learned->complete()) task.learned->forget();
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
  exchange::Call call{.context = context, .choice = task.choice, .learned = task.learned};
  bool is_exchanging = false;
  try {
    std::optional<Blocks> blocks;
    if (!task.failure)
      task.failure = failure_of(
          [&] { blocks.emplace(context, task.binding, task.send_buffer, task.receive_buffer); });
    if (task.state.settings().check != 0) agree_on_failure(context, task.failure);
    if (task.failure) take_part_failed(call, task);
    is_exchanging = true;
    run(call, task.form, *blocks);
    is_exchanging = false;
    if (call.told) throw Error(*call.told);
    blocks->finish();
    if (call.mismatch) throw Error(*call.mismatch);
  } catch (const Error& error) {
    give_up(task, is_exchanging && error.mpi_class() != 0);
    throw;
  } catch (...) {
    give_up(task, false);
    throw;
  }
}

}  // namespace rondo::api
