#include "exchange/alltoallv/padding.hpp"

#include <algorithm>

namespace rondo::exchange::alltoallv {

void pad(const Variable& blocks, std::size_t bytes, std::byte* padded) {
  for (const ConstBlock& block : blocks.send) {
    copy_bytes(padded, block.data, block.bytes);
    padded += bytes;
  }
}

void unpad(const std::byte* padded, std::size_t bytes, const Variable& blocks) {
  for (const Block& block : blocks.receive) {
    copy_bytes(block.data, padded, std::min(block.bytes, bytes));
    padded += bytes;
  }
}

}  // namespace rondo::exchange::alltoallv
