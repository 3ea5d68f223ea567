#include "exchange/functions.hpp"

#include "exchange/split.hpp"
#include "registry/algorithm.hpp"

namespace rondo::exchange {

namespace {

/// One function per registry row, in the registry's order; null where the row is of the other
/// collective or forwarded.
template <class Blocks>
using Function = void (*)(Call&, const Blocks&);

template <class Blocks>
constexpr Function<Blocks> only(Function<Blocks> function) {
  return function;
}
template <class Blocks>
constexpr Function<Blocks> only(...) {
  return nullptr;
}

template <class Blocks>
constexpr Function<Blocks> kFunctions[] = {
#define RONDO_ALGORITHM(collective, name, ...) only<Blocks>(&collective::name),
#define RONDO_FORWARDED(...) nullptr,
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM
};

template <class Blocks>
void run_any(Call& call, const Blocks& blocks) {
  const auto row = call.choice.algorithm - registry::algorithms().data();
  if (call.is_learning()) *call.learned = {};
  const auto exchange = [&](const Blocks& some) { kFunctions<Blocks>[row](call, some); };
  if (call.choice.algorithm->failures == registry::Failures::told)
    exchange(blocks);
  else
    exchange_split(call, blocks, call.choice.threshold(), exchange);
  if (call.learned != nullptr && !call.told) call.learned->is_complete = true;
}

}  // namespace

void run(Call& call, const Uniform& blocks) {
  run_any(call, blocks);
}
void run(Call& call, const Variable& blocks) {
  run_any(call, blocks);
}

}  // namespace rondo::exchange
