#include "api/blocks.hpp"

#include "exchange/in_place.hpp"

namespace rondo::api {

namespace {

/// Write a part of a buffer in packed form.
void pack_part(const Part& part, const std::byte* buffer, std::byte* to, MPI_Comm comm) {
  if (part.bytes == 0) return;
  const std::byte* const data = at_offset(buffer, part.offset);
  if (part.type->is_contiguous)
    copy_bytes(to, data, part.bytes);
  else
    pack(*part.type, data, part.count, to, comm);
}

}  // namespace

Blocks::Blocks(exchange::Context& context, const Binding& binding, const void* send_buffer,
               void* receive_buffer)
    : context_(context),
      binding_(binding),
      receive_buffer_(static_cast<std::byte*>(receive_buffer)),
      send_(context.scratch.array<ConstBlock>(Scratch::kSendBlocks, binding.sending().ranks())),
      receive_(context.scratch.array<Block>(Scratch::kReceiveBlocks, binding.receive.ranks())) {
  point_receive();
  if (binding.is_in_place)
    copy_out_in_place();
  else
    point_send(send_buffer);
}

exchange::Variable Blocks::without_data(exchange::Context& context, const Binding& binding,
                                        const Error& failure) {
  const auto ranks = static_cast<std::size_t>(context.ranks);
  const auto send = context.scratch.array<ConstBlock>(Scratch::kSendBlocks, ranks);
  const auto receive = context.scratch.array<Block>(Scratch::kReceiveBlocks, ranks);
  const bool lengths_known = binding.sending().ranks() == ranks && binding.receive.ranks() == ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    send[rank] = {nullptr, lengths_known ? binding.sending().part(rank).bytes : 0};
    receive[rank] = {nullptr, lengths_known ? binding.receive.part(rank).bytes : 0};
    // What is exchanged in place by pairs counts as empty.
    if (binding.is_in_place && exchange::is_exchanged_by_pair(send[rank].bytes))
      send[rank].bytes = receive[rank].bytes = 0;
  }
  return {.send = send, .receive = receive, .failure = &failure};
}

void Blocks::point_send(const void* buffer) {
  const Side& side = binding_.sending();
  const auto* base = static_cast<const std::byte*>(buffer);
  ConstBlock* block = send_.data();
  if (!side.is_packed())
    return side.for_each_extent([&](std::ptrdiff_t offset, std::size_t bytes) {
      *block++ = {at_offset(base, offset), bytes};
    });
  std::byte* packed = context_.scratch.bytes(Scratch::kPackedSend, side.total_bytes());
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    pack_part(part, base, packed, context_.comm);
    *block++ = {packed, part.bytes};
    packed += part.bytes;
  }
}

void Blocks::point_receive() {
  const Side& side = binding_.receive;
  Block* block = receive_.data();
  if (!side.is_packed())
    return side.for_each_extent([&](std::ptrdiff_t offset, std::size_t bytes) {
      *block++ = {at_offset(receive_buffer_, offset), bytes};
    });
  std::byte* packed = context_.scratch.bytes(Scratch::kPackedReceive, side.total_bytes());
  side.for_each_extent([&](std::ptrdiff_t, std::size_t bytes) {
    *block++ = {packed, bytes};
    packed += bytes;
  });
}

void Blocks::copy_out_in_place() {
  const Side& side = binding_.receive;
  std::size_t copied = 0;
  for (std::size_t rank = 0; rank < receive_.size(); ++rank) {
    const Block block = receive_[rank];
    if (side.is_packed()) pack_part(side.part(rank), receive_buffer_, block.data, context_.comm);
    if (!exchange::is_exchanged_by_pair(block.bytes)) copied += block.bytes;
  }
  std::byte* to = context_.scratch.bytes(Scratch::kPackedSend, copied);
  for (std::size_t rank = 0; rank < receive_.size(); ++rank) {
    Block& block = receive_[rank];
    if (exchange::is_exchanged_by_pair(block.bytes)) {
      has_pairs_ = true;
      block = {};
    }
    copy_bytes(to, block.data, block.bytes);
    send_[rank] = {to, block.bytes};
    to += block.bytes;
  }
}

exchange::Uniform Blocks::uniform() const {
  if (has_pairs_) return {};
  return {.send = send_[0].data, .receive = receive_[0].data, .block_bytes = send_[0].bytes};
}

void Blocks::finish() {
  if (has_pairs_) {
    point_receive();
    exchange::exchange_pairs_in_place(context_, receive_);
  }
  if (binding_.receive.is_packed()) unpack_received();
}

void Blocks::unpack_received() {
  const Side& side = binding_.receive;
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    if (part.bytes == 0) continue;
    std::byte* const data = at_offset(receive_buffer_, part.offset);
    if (part.type->is_contiguous)
      copy_bytes(data, receive_[rank].data, part.bytes);
    else
      unpack(*part.type, receive_[rank].data, part.count, data, context_.comm);
  }
}

}  // namespace rondo::api
