#include "exchange/alltoall/rotation.hpp"

namespace rondo::exchange::alltoall {

void rotate_in(const Travel& travel, const Uniform& blocks, std::byte* work) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const ConstBlock block = blocks.send_block(travel.destination(name));
    copy_bytes(work + static_cast<std::size_t>(name) * block.bytes, block.data, block.bytes);
  }
}

void rotate_out(const Travel& travel, const std::byte* work, const Uniform& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name) {
    const Block block = blocks.receive_block(travel.source(name));
    copy_bytes(block.data, work + static_cast<std::size_t>(name) * block.bytes, block.bytes);
  }
}

void rotate_to_slots(const Travel& travel, const Uniform& blocks) {
  for (int name = 0; name < travel.schedule().ranks(); ++name)
    copy_bytes(slot(travel, blocks, name), blocks.send_block(travel.destination(name)).data,
               blocks.block_bytes);
}

}  // namespace rondo::exchange::alltoall
