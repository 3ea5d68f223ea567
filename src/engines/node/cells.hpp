// What a cell says of a block between two ranks of a node.
//
// A block of at most Cell::kInlineBytes is in the cell. A longer one is in its sender's slot, at the
// cell's offset. A still longer one is elsewhere: see Neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engines/node/node.hpp"

namespace rondo::engines {

/// Where a cell without a block has the sender's report (history.hpp). A cell with a block has it in
/// place of the offset.
inline constexpr std::size_t kReportAt = sizeof(std::uint64_t);

inline std::size_t bytes_of(const segment::Cell& cell) {
  return cell.bytes & ~kHasLong;
}

inline void write_report(segment::Cell& cell, std::uint32_t report) {
  std::memcpy(cell.data.data() + kReportAt, &report, sizeof report);
}

/// Returns the report in a cell with a block of `bytes` bytes.
inline std::uint32_t report_in(const segment::Cell& cell, std::size_t bytes) {
  std::uint32_t report = cell.offset;
  if (bytes > segment::Cell::kInlineBytes)
    std::memcpy(&report, cell.data.data() + kReportAt, sizeof report);
  return report;
}

/// Writes a block that is not long, to the cell or to this rank's slot from `used` on. Returns the
/// bytes that it takes there.
[[gnu::always_inline]] inline std::size_t write_block(const Node& node, segment::Cell& cell,
                                                      const ConstBlock& block, std::uint32_t report,
                                                      std::size_t used) {
  cell.bytes = static_cast<std::uint32_t>(block.bytes);
  if (block.bytes <= segment::Cell::kInlineBytes) {
    copy_short(cell.data.data(), block.data, block.bytes);
    cell.offset = report;
    return 0;
  }
  write_report(cell, report);
  cell.offset = static_cast<std::uint32_t>(used);
  copy_bytes(node.slot(node.self()) + used, block.data, block.bytes);
  return node.taken_in_slot(block.bytes);
}

/// Returns the block in the cell from rank `local`, which is not long.
inline const std::byte* block_in(const Node& node, const segment::Cell& cell, std::size_t bytes,
                                 int local) {
  return bytes <= segment::Cell::kInlineBytes ? cell.data.data() : node.slot(local) + cell.offset;
}

/// What a cell has whose block is neither there nor in the slot.
struct Elsewhere {
  std::uint64_t bytes;
  std::uint32_t report;
  segment::Way way;
  std::uint64_t
      where;  ///< the block's address if it is pulled, where it begins in the pipe if it is copied
};
static_assert(offsetof(Elsewhere, report) == kReportAt);
static_assert(sizeof(Elsewhere) <= segment::Cell::kInlineBytes);

inline bool is_elsewhere(const segment::Cell& cell) {
  return bytes_of(cell) == kElsewhere;
}

inline Elsewhere elsewhere_in(const segment::Cell& cell) {
  Elsewhere found;
  std::memcpy(&found, cell.data.data(), sizeof found);
  return found;
}

inline void write_elsewhere(segment::Cell& cell, const Elsewhere& block) {
  cell.bytes = kElsewhere;
  std::memcpy(cell.data.data(), &block, sizeof block);
}

}  // namespace rondo::engines
