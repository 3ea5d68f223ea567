#include "exchange/alltoallv/padding.hpp"

#include <algorithm>

namespace rondo::exchange::alltoallv {

void pad(const Variable& blocks, std::size_t bytes, std::byte* padded) {
  blocks.send.for_each([&](const ConstBlock& block) {
    copy_bytes(padded, block.data, block.bytes);
    padded += bytes;
  });
}

void unpad(const std::byte* padded, std::size_t bytes, const Variable& blocks) {
  blocks.receive.for_each([&](const Block& block) {
    copy_bytes(block.data, padded, std::min(block.bytes, bytes));
    padded += bytes;
  });
}

}  // namespace rondo::exchange::alltoallv
