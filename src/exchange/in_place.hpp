// MPI_IN_PLACE: no byte is overwritten before it has left.
#pragma once

#include <span>

#include "exchange/context.hpp"

namespace rondo::exchange {

/// Blocks longer than this are exchanged in place pair by pair, in pieces of this length; shorter
/// ones are copied out first. Both ends of a pair know its length and decide alike.
inline constexpr std::size_t kInPlacePieceBytes = std::size_t{1} << 20;

inline bool is_exchanged_by_pair(std::size_t bytes) {
  return bytes > kInPlacePieceBytes;
}

/// Exchange block i with rank i, wherever both are longer than a piece; in place, through one piece
/// of scratch. Other blocks are not touched.
void exchange_pairs_in_place(Context& context, std::span<const Block> blocks);

}  // namespace rondo::exchange
