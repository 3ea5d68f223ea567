#include "group/group.hpp"

#include <algorithm>

#include "engines/run.hpp"
#include "group/set_up.hpp"
#include "select/decide.hpp"

namespace rondo::group {

namespace {

using registry::Collective;

/// Those of the algorithms that a group runs.
engines::Engine engine_of(const choice::Choice& choice) {
  return choice.algorithm->engine == "fused" ? engines::fused : engines::node_aware;
}

/// The error of a rank without a buffer, or without the arrays that describe it.
std::optional<Error> wrong(const char* name, const void* buffer, const Side& side, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  if (side.lengths == nullptr) {
    if (buffer != nullptr || side.bytes == 0) return std::nullopt;
    return Error(ErrorClass::argument,
                 text(name, "buf is a null pointer, and bytes is ", side.bytes));
  }
  const auto moves = std::find_if(side.lengths, side.lengths + count,
                                  [](std::size_t bytes) { return bytes != 0; });
  if (buffer != nullptr || moves == side.lengths + count) return std::nullopt;
  return Error(ErrorClass::argument, text(name, "buf is a null pointer, and ", name, "bytes[",
                                          moves - side.lengths, "] is ", *moves));
}

/// The error of a rank whose block to itself has two lengths.
std::optional<Error> wrong_own_block(const Side& sending, const Side& receiving, int rank) {
  const std::size_t sent = sending.lengths[rank];
  const std::size_t expected = receiving.lengths[rank];
  if (sent == expected) return std::nullopt;
  return Error(ErrorClass::truncate,
               text("rank ", rank, " sends ", sent, " bytes to itself, but expects ", expected));
}

/// The error of a rank that has no such array.
std::optional<Error> missing(const char* name, const void* array) {
  if (array != nullptr) return std::nullopt;
  return Error(ErrorClass::argument, text(name, " is a null pointer"));
}

template <class... Errors>
std::optional<Error> first_of(const Errors&... errors) {
  std::optional<Error> first;
  ((first ? void() : void(first = errors)), ...);
  return first;
}

template <class Item, class Byte>
BlockList<Item> list(std::span<Item> blocks, Byte* buffer, const Side& side) {
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    const std::size_t bytes = side.lengths[rank];
    blocks[rank] = {bytes == 0 ? nullptr : buffer + side.displacements[rank], bytes};
  }
  return blocks;
}

}  // namespace

Group::Group(const Rondo_Transport& transport)
    : table_(std::make_shared<Table>(transport)), context_(set_up(table_, transport.node)) {
  choose();
}

/// On one node everything goes through its memory. Elsewhere the model decides, as long as nothing has been measured:
/// among the algorithms that report errors and lengths.
void Group::choose() {
  constexpr Collective kRow = Collective::alltoallv;
  const bool has_neighbours = context_->nodes.nodes() < ranks();
  engines::Node* const node = has_neighbours ? context_->node() : nullptr;
  if (node == nullptr && has_neighbours && !table_->has_messages())
    throw Error(ErrorClass::no_memory,
                text("the ranks cannot share memory, and the transport has no "
                     "send and receive: ",
                     context_->why_no_node()));
  if (!table_->has_messages() && node != nullptr && !node->copies_long())
    throw Error(ErrorClass::no_memory,
                text("shared memory for ", context_->ranks,
                     " ranks is too little for long blocks, and the transport has no send and "
                     "receive; raise RONDO_SLOT_BYTES and RONDO_MEMORY"));
  if (node != nullptr && context_->nodes.nodes() == 1) {
    bands_.push_back({select::kNoEnd, context_->defaults(kRow, "node_aware")});
    return;
  }
  const select::Place place{.layout = context_->layout(),
                            .has_node = node != nullptr,
                            .copies_long = node != nullptr && node->copies_long(),
                            .may_forward = false};
  const select::Bands bands = select::predicted(place, select::machine_of(nullptr)).alltoallv;
  const auto otherwise = select::reporting(bands, place, nullptr);
  for (const select::Band& band : bands) {
    const select::Band& near = select::reporting_band_of(bands, band.up_to);
    const auto& open = select::reports_longest(near.choice) ? near.choice : otherwise;
    bands_.push_back({band.up_to, choice::resolve(open, place.layout)});
  }
}

/// By what all ranks know, since the lengths of a rank with wrong arguments may be others.
const choice::Choice& Group::choice() const {
  const std::size_t longest = context_->longest.bytes();
  return std::ranges::find_if(bands_, [&](const Band& band) { return longest <= band.up_to; })
      ->choice;
}

BlockList<ConstBlock> Group::blocks_of(const void* buffer, const Side& side) {
  const auto count = static_cast<std::size_t>(ranks());
  const auto* const bytes = static_cast<const std::byte*>(buffer);
  if (side.lengths == nullptr) return {bytes, side.bytes, count};
  return list(context_->scratch.array<ConstBlock>(Scratch::kSendBlocks, count), bytes, side);
}

BlockList<Block> Group::blocks_of(void* buffer, const Side& side) {
  const auto count = static_cast<std::size_t>(ranks());
  auto* const bytes = static_cast<std::byte*>(buffer);
  if (side.lengths == nullptr) return {bytes, side.bytes, count};
  return list(context_->scratch.array<Block>(Scratch::kReceiveBlocks, count), bytes, side);
}

/// If this rank has failed, it takes part without data. If anything else goes wrong, other ranks may still be in the
/// exchange.
void Group::run(Blocks& blocks, const std::optional<Error>& failure, engines::Incoming* incoming) {
  if (is_broken_)
    throw Error(ErrorClass::communicator,
                "an error interrupted an earlier exchange of this group, and other ranks may still "
                "be in it; make a new group");
  table_->begin_call();
  context_->begin_exchange();
  if (failure) {
    const auto count = static_cast<std::size_t>(ranks());
    blocks = {.send = {static_cast<const std::byte*>(nullptr), 0, count},
              .receive = {static_cast<std::byte*>(nullptr), 0, count},
              .failure = &*failure};
  }
  engines::Call call{.context = *context_, .choice = choice(), .incoming = incoming};
  try {
    engines::run_by(engine_of(call.choice), call, blocks);
  } catch (...) {
    is_broken_ = true;
    context_->abandon();
    throw;
  }
  if (failure) throw Error(*failure);
  if (call.failure) throw Error(*call.failure);
  if (call.mismatch) throw Error(*call.mismatch);
}

void Group::alltoall(const void* from, void* to, std::size_t bytes) {
  const Side side{.bytes = bytes};
  const auto failure =
      first_of(wrong("send", from, side, ranks()), wrong("recv", to, side, ranks()));
  Blocks blocks{.send = blocks_of(from, side), .receive = blocks_of(to, side)};
  run(blocks, failure);
}

void Group::alltoallv(const void* from, const Side& sending, void* to, const Side& receiving) {
  auto failure = first_of(
      missing("sendbytes", sending.lengths), missing("sdispls", sending.displacements),
      missing("recvbytes", receiving.lengths), missing("rdispls", receiving.displacements));
  if (!failure)
    failure = first_of(wrong("send", from, sending, ranks()), wrong("recv", to, receiving, ranks()),
                       wrong_own_block(sending, receiving, rank()));
  Blocks blocks;
  if (!failure) blocks = {.send = blocks_of(from, sending), .receive = blocks_of(to, receiving)};
  run(blocks, failure);
}

BlockList<Block> Group::place(std::span<const std::uint64_t> lengths, const Receiver& receiver,
                              std::optional<Error>& failure) {
  std::size_t total = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    receiver.lengths[rank] = lengths[rank];
    receiver.displacements[rank] = total;
    total = checked_add(total, lengths[rank]);
  }
  void* buffer = nullptr;
  if (receiver.allocate != nullptr) {
    buffer = receiver.allocate(total, receiver.extra);
    if (buffer == nullptr && total != 0)
      failure = Error(ErrorClass::no_memory,
                      text("allocate returned a null pointer for ", total, " bytes"));
  }
  // Other ranks send in any case.
  if (buffer == nullptr) buffer = kept_.reserve(total);
  *receiver.buffer = buffer;
  return blocks_of(buffer,
                   Side{.lengths = receiver.lengths, .displacements = receiver.displacements});
}

void Group::alltoallv_dynamic(const void* from, const Side& sending, const Receiver& receiver) {
  auto failure =
      first_of(missing("sendbytes", sending.lengths), missing("sdispls", sending.displacements),
               missing("recvbuf", receiver.buffer), missing("recvbytes", receiver.lengths),
               missing("rdispls", receiver.displacements));
  if (!failure) failure = wrong("send", from, sending, ranks());
  std::optional<Error> late;
  engines::Incoming incoming;
  incoming.lengths = context_->scratch.array<std::uint64_t>(Scratch::kComparedLengths,
                                                            static_cast<std::size_t>(ranks()));
  incoming.place = [&] { return place(incoming.lengths, receiver, late); };
  Blocks blocks;
  if (!failure) blocks.send = blocks_of(from, sending);
  run(blocks, failure, &incoming);
  if (late) throw Error(*late);
}

}  // namespace rondo::group
