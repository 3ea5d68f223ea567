// From a call's buffers to blocks of bytes, and back.
#pragma once

#include <optional>

#include "buffers/binding.hpp"
#include "buffers/staging.hpp"
#include "exchange/context.hpp"

namespace rondo::buffers {

/// The bytes of one call, whose buffers have been checked. A side with types that are not
/// contiguous, or in the memory of a device, is packed into scratch when it is made and unpacked by
/// finish(). With MPI_IN_PLACE the short blocks are copied out when it is made; the long ones count
/// as empty and are exchanged by exchange_pairs(), when it is known that no rank failed.
class Buffers {
 public:
  Buffers(exchange::Context& context, const Binding& binding, const void* send_buffer,
          void* receive_buffer);

  /// The blocks of a rank that found an error: lengths where they are known, and no data.
  static Blocks without_data(exchange::Context& context, const Binding& binding,
                             const Error& failure);

  Blocks blocks() const { return {.send = send_, .receive = receive_}; }

  /// Collective. Exchange in place what counted as empty.
  void exchange_pairs();

  /// Write what was received to where it goes. Local.
  void finish();

 private:
  bool is_receive_packed() const { return staging_ || binding_.receive.is_packed(); }
  std::byte* packed_receive();
  void stage_receive();
  BlockList<ConstBlock> pack_all(const std::byte* buffer, const Device* device);
  std::span<Block> list_receive();
  void copy_out_in_place();
  void unpack_received();

  exchange::Context& context_;
  const Binding& binding_;
  std::byte* receive_buffer_;
  BlockList<ConstBlock> send_;
  BlockList<Block> receive_;
  std::optional<Staging> staging_;  ///< of the receive side, if a device holds it
  bool has_pairs_ = false;          ///< long blocks to be exchanged in place
};

}  // namespace rondo::buffers
