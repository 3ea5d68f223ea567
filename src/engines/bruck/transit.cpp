#include "engines/bruck/transit.hpp"

#include <algorithm>

namespace rondo::engines {

Transit::Transit(Call& call, const Blocks& blocks, const Travel& travel, const Lengths& lengths)
    : blocks_(blocks),
      travel_(travel),
      lengths_(lengths),
      held_(call.context.scratch.array<ConstBlock>(Scratch::kTable,
                                                   static_cast<std::size_t>(names()))) {
  for (int name = 0; name < names(); ++name)
    hold(name, blocks.send_block(travel_.destination(name)));
  take(0, held(0));
}

std::size_t Transit::leaving_bytes(const schedule::Round& round) const {
  std::size_t bytes = 0;
  round.blocks.for_each([&](int name) { bytes += travelling(held(name).bytes); });
  return bytes;
}

std::byte* Transit::pack(const schedule::Round& round, std::byte* out) const {
  round.blocks.for_each([&](int name) {
    const ConstBlock& block = held(name);
    const std::size_t bytes = travelling(block.bytes);
    if (block.data != nullptr)
      copy_bytes(out, block.data, bytes);
    else
      std::fill_n(out, bytes, std::byte{0});
    out += bytes;
  });
  return out;
}

void Transit::deliver(int name, ConstBlock block) {
  const int source = travel_.source(name);
  const Block place = blocks_.receive_block(source);
  if (lengths_.mismatch != nullptr) lengths_.mismatch->compare(source, block.bytes, place.bytes);
  if (block.data != nullptr && place.data != nullptr)
    copy_bytes(place.data, block.data, std::min(block.bytes, place.bytes));
}

void Transit::deliver_all(Incoming& incoming, Blocks& blocks) {
  for (int name = 0; name < names(); ++name)
    incoming.lengths[static_cast<std::size_t>(travel_.source(name))] = held(name).bytes;
  blocks.receive = incoming.place();
  for (int name = 0; name < names(); ++name) deliver(name, held(name));
}

}  // namespace rondo::engines
