// All blocks through the node's shared memory: for alltoall and alltoallv alike.
#pragma once

#include "exchange/neighbours.hpp"
#include "exchange/tell.hpp"

namespace rondo::exchange {

/// The longest block, in bytes, that goes through shared memory in this call.
inline std::size_t short_limit(const Call& call) {
  return std::min(call.choice.threshold(), call.context.node()->limit());
}

template <class Blocks>
void exchange_in_node(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  Neighbours neighbours(call, blocks, short_limit(call), context.tag(0));
  News news = first_news(context, blocks.failure);
  context.node()->begin();
  if (blocks.failure != nullptr)
    neighbours.send_failure(*blocks.failure);
  else
    neighbours.send(0, 0);
  // Each block goes its way when its neighbour arrives, while others may still be on theirs.
  neighbours.wait_for_all(news, [&](int local, int rank) {
    if (blocks.failure == nullptr) neighbours.meet(local, rank);
  });
  if (!tell(call, blocks.failure, news)) neighbours.take_own();
  context.messages.wait();
  call.mismatch = neighbours.mismatch().error(context.rank);
}

}  // namespace rondo::exchange
