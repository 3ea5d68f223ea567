#include "buffers/buffers.hpp"

namespace rondo::buffers {

namespace {

/// Packs one part of a buffer.
void pack_part(const Part& part, const std::byte* buffer, std::byte* to, MPI_Comm comm) {
  if (part.bytes == 0) return;
  const std::byte* const data = at_offset(buffer, part.offset);
  if (part.type->is_contiguous)
    copy_bytes(to, data, part.bytes);
  else
    pack(*part.type, data, part.count, to, comm);
}

/// Points `blocks` at the parts of `buffer`. The side needs no packing.
template <class Item, class Data>
std::span<Item> list_blocks(std::span<Item> blocks, const Side& side, Data buffer) {
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    const Part part = side.part(rank);
    blocks[rank] = {at_offset(buffer, part.offset), part.bytes};
  }
  return blocks;
}

/// The blocks of a side that is described by the caller's arguments.
template <class Item, class Data>
[[gnu::always_inline]] inline BlockList<Item> described_blocks(const Side& side, Data buffer) {
  if (side.is_uniform()) return {buffer, side.part(0).bytes, side.ranks()};
  return {buffer, side.extents(), side.ranks()};
}

/// As list_blocks(), but makes no list if the user's arguments suffice.
template <class Item, class Data>
BlockList<Item> find_blocks(Scratch& scratch, Scratch::Purpose purpose, const Side& side,
                            Data buffer) {
  if (side.is_described()) return described_blocks<Item>(side, buffer);
  return list_blocks(scratch.array<Item>(purpose, side.ranks()), side, buffer);
}

bool is_plain(const Side& side) {
  return side.is_described() && !side.is_packed();
}

}  // namespace

bool are_plain(const Binding& binding) {
  return !binding.is_in_place && is_plain(binding.receive) && is_plain(binding.sending()) &&
         !may_use_devices();
}

Blocks plain_blocks(const Binding& binding, const void* send_buffer, void* receive_buffer) {
  return {
      .send = described_blocks<ConstBlock>(binding.sending(),
                                           static_cast<const std::byte*>(send_buffer)),
      .receive = described_blocks<Block>(binding.receive, static_cast<std::byte*>(receive_buffer))};
}

void Buffers::find_sent(const std::byte* send_buffer) {
  const Side& send = binding_.sending();
  const Device* const device = has_devices_ ? device_of(send, send_buffer) : nullptr;
  send_ = device != nullptr || send.is_packed()
              ? pack_all(send_buffer, device)
              : find_blocks<ConstBlock>(scratch_, Scratch::kSendBlocks, send, send_buffer);
}

/// The send side must have been found before.
void Buffers::find_received() {
  if (has_devices_) stage_receive();
  receive_ = is_receive_packed() ? list_receive()
                                 : find_blocks<Block>(scratch_, Scratch::kReceiveBlocks,
                                                      binding_.receive, receive_buffer_);
}

Buffers::Buffers(Scratch& scratch, MPI_Comm comm, const Binding& binding, const void* send_buffer,
                 void* receive_buffer)
    : scratch_(scratch),
      comm_(comm),
      binding_(binding),
      receive_buffer_(static_cast<std::byte*>(receive_buffer)) {
  if (binding.is_in_place) {
    if (has_devices_) stage_receive();
    copy_out_in_place();
  } else {
    find_sent(static_cast<const std::byte*>(send_buffer));
    find_received();
  }
}

Buffers::Buffers(Scratch& scratch, MPI_Comm comm, const Binding& binding, const void* send_buffer)
    : scratch_(scratch), comm_(comm), binding_(binding), receive_buffer_(nullptr) {
  find_sent(static_cast<const std::byte*>(send_buffer));
}

BlockList<Block> Buffers::set_receive(void* receive_buffer, bool is_allocated) {
  receive_buffer_ = static_cast<std::byte*>(receive_buffer);
  if (is_allocated) has_devices_ = may_use_devices();
  find_received();
  return receive_;
}

Blocks Buffers::without_data(Scratch& scratch, int count, const Binding& binding,
                             const Error& failure) {
  const auto ranks = static_cast<std::size_t>(count);
  const auto send = scratch.array<ConstBlock>(Scratch::kSendBlocks, ranks);
  const auto receive = scratch.array<Block>(Scratch::kReceiveBlocks, ranks);
  const bool lengths_known = binding.sending().ranks() == ranks && binding.receive.ranks() == ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    send[rank] = {nullptr, lengths_known ? binding.sending().part(rank).bytes : 0};
    receive[rank] = {nullptr, lengths_known ? binding.receive.part(rank).bytes : 0};
    // Blocks that are exchanged in place pair by pair count as empty.
    if (binding.is_in_place && is_exchanged_by_pair(send[rank].bytes))
      send[rank].bytes = receive[rank].bytes = 0;
  }
  return {.send = send, .receive = receive, .failure = &failure};
}

BlockList<ConstBlock> Buffers::pack_all(const std::byte* buffer, const Device* device) {
  const Side& side = binding_.sending();
  const auto blocks = scratch_.array<ConstBlock>(Scratch::kSendBlocks, side.ranks());
  std::byte* packed = scratch_.bytes(Scratch::kPackedSend, side.total_bytes());
  if (device != nullptr) Staging(scratch_, comm_, *device, side, buffer, packed).read();
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    if (device == nullptr) pack_part(part, buffer, packed, comm_);
    blocks[rank] = {packed, part.bytes};
    packed += part.bytes;
  }
  return blocks;
}

std::byte* Buffers::packed_receive() {
  return scratch_.bytes(Scratch::kPackedReceive, binding_.receive.total_bytes());
}

/// The send side must have been staged before.
void Buffers::stage_receive() {
  const Side& side = binding_.receive;
  if (const Device* device = device_of(side, receive_buffer_))
    staging_.emplace(scratch_, comm_, *device, side, receive_buffer_, packed_receive());
}

/// Lists memory for the packed data, or the blocks' places in the buffer.
std::span<Block> Buffers::list_receive() {
  const Side& side = binding_.receive;
  const auto blocks = scratch_.array<Block>(Scratch::kReceiveBlocks, side.ranks());
  if (!is_receive_packed()) return list_blocks(blocks, side, receive_buffer_);
  std::byte* packed = packed_receive();
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    blocks[rank] = {packed, side.part(rank).bytes};
    packed += blocks[rank].bytes;
  }
  return blocks;
}

void Buffers::copy_out_in_place() {
  const Side& side = binding_.receive;
  const std::span<Block> receive = list_receive();
  std::size_t copied = 0;
  if (staging_) staging_->read();
  for (std::size_t rank = 0; rank < receive.size(); ++rank) {
    const Block block = receive[rank];
    if (side.is_packed() && !staging_)
      pack_part(side.part(rank), receive_buffer_, block.data, comm_);
    if (!is_exchanged_by_pair(block.bytes)) copied += block.bytes;
  }
  const auto send = scratch_.array<ConstBlock>(Scratch::kSendBlocks, receive.size());
  std::byte* to = scratch_.bytes(Scratch::kPackedSend, copied);
  for (std::size_t rank = 0; rank < receive.size(); ++rank) {
    Block& block = receive[rank];
    if (is_exchanged_by_pair(block.bytes)) {
      has_pairs_ = true;
      block = {};
    }
    copy_bytes(to, block.data, block.bytes);
    send[rank] = {to, block.bytes};
    to += block.bytes;
  }
  send_ = send;
  receive_ = receive;
}

void Buffers::finish() {
  if (staging_)
    staging_->write();
  else if (binding_.receive.is_packed())
    unpack_received();
}

void Buffers::unpack_received() {
  const Side& side = binding_.receive;
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    if (part.bytes == 0) continue;
    std::byte* const data = at_offset(receive_buffer_, part.offset);
    if (part.type->is_contiguous)
      copy_bytes(data, receive_[rank].data, part.bytes);
    else
      unpack(*part.type, receive_[rank].data, part.count, data, comm_);
  }
}

}  // namespace rondo::buffers
