// From a call's buffers to blocks of bytes, and back.
#pragma once

#include <optional>

#include "buffers/binding.hpp"
#include "buffers/device.hpp"
#include "buffers/staging.hpp"

namespace rondo::buffers {

/// Whether the blocks of a call can be exchanged where they are: described by the caller's arguments,
/// of contiguous types, and in memory that the host can access.
bool are_plain(const Binding& binding);

/// Returns these blocks.
Blocks plain_blocks(const Binding& binding, const void* send_buffer, void* receive_buffer);

/// Blocks longer than this are exchanged in place pair by pair, in pieces of this length. Shorter
/// blocks are copied out first. Both ranks of a pair know the length and decide alike.
inline constexpr std::size_t kInPlacePieceBytes = std::size_t{1} << 20;

inline bool is_exchanged_by_pair(std::size_t bytes) {
  return bytes > kInPlacePieceBytes;
}

/// The bytes of one call whose buffers have been checked. If a side has non-contiguous types or
/// lies in device memory, the constructor packs it into scratch memory and finish() unpacks it.
/// With MPI_IN_PLACE the constructor copies the short blocks to scratch memory. The long blocks
/// count as empty, and are exchanged in pairs() once it is known that no rank failed.
class Buffers {
 public:
  Buffers(Scratch& scratch, MPI_Comm comm, const Binding& binding, const void* send_buffer,
          void* receive_buffer);

  /// Of a dynamic exchange: the sending side alone. The other side is bound later.
  Buffers(Scratch& scratch, MPI_Comm comm, const Binding& binding, const void* send_buffer);

  /// Returns the blocks of the receiving side, which has been bound in the meantime. `is_allocated`
  /// says that the program has allocated the buffer in the meantime. For this, it may have loaded
  /// the library of a device.
  BlockList<Block> set_receive(void* receive_buffer, bool is_allocated);

  /// Returns the blocks of a rank with an error: no data, and lengths only if they are known.
  static Blocks without_data(Scratch& scratch, int ranks, const Binding& binding,
                             const Error& failure);

  Blocks blocks() const { return {.send = send_, .receive = receive_}; }

  /// The blocks to be exchanged in place, if there are long ones, which counted as empty.
  std::span<const Block> pairs() { return has_pairs_ ? list_receive() : std::span<Block>(); }

  /// Local. Writes the received bytes to the receive buffer.
  void finish();

 private:
  bool is_receive_packed() const { return staging_ || binding_.receive.is_packed(); }
  std::byte* packed_receive();
  void stage_receive();
  void find_sent(const std::byte* send_buffer);
  void find_received();
  BlockList<ConstBlock> pack_all(const std::byte* buffer, const Device* device);
  std::span<Block> list_receive();
  void copy_out_in_place();
  void unpack_received();

  Scratch& scratch_;
  MPI_Comm comm_;  ///< for MPI_Pack
  const Binding& binding_;
  std::byte* receive_buffer_;
  bool has_devices_ = may_use_devices();
  BlockList<ConstBlock> send_;
  BlockList<Block> receive_;
  std::optional<Staging> staging_;  ///< of a receive side in device memory
  bool has_pairs_ = false;          ///< whether long blocks must be exchanged in place
};

}  // namespace rondo::buffers
