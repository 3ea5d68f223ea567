// All blocks through the node's shared memory: for alltoall and alltoallv alike.
#pragma once

#include "exchange/long_blocks.hpp"
#include "exchange/neighbours.hpp"
#include "exchange/tell.hpp"

namespace rondo::exchange {

/// The longest block, in bytes, that goes through shared memory in this call.
inline std::size_t short_limit(const Call& call) {
  return std::min(call.choice.bytes("threshold"), call.context.node()->limit());
}

template <class Blocks>
void exchange_in_node(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  const std::size_t limit = short_limit(call);
  Neighbours neighbours(call, blocks, limit);
  News news = first_news(context, blocks.failure);
  context.node()->begin();
  if (blocks.failure != nullptr)
    neighbours.send_failure(*blocks.failure);
  else
    neighbours.send(0);
  // Each block is copied when its sender arrives, while others may still be on their way.
  neighbours.wait_for_all(news, [&](int local, int rank) {
    if (blocks.failure == nullptr) neighbours.take(local, rank);
  });
  if (tell(call, blocks.failure, news)) return;
  const int tag = context.tag(0);
  neighbours.receive_long(tag);
  send_long_blocks(context, blocks, limit, tag);
  neighbours.take_own();
  context.messages.wait();
  call.mismatch = neighbours.mismatch().error(context.rank);
}

}  // namespace rondo::exchange
