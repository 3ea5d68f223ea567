#include "engines/discovery/straight.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/error.hpp"
#include "mpi/outstanding.hpp"

namespace rondo::engines::discovery {

namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);

// The kinds of messages; see Context::tag().
constexpr int kFirst = 0;
constexpr int kLong = 2;

}  // namespace

bool note_failure(SparseCall& call, const Status& status) {
  if (call.failure != nullptr)
    call.failure_of_some = *call.failure;
  else if (status.has_failure())
    call.failure_of_some = mpi::failure_elsewhere(status.failed_rank, status.failed_class);
  return status.has_failure();
}

Straight::Straight(SparseCall& call, std::size_t limit)
    : call_(call),
      context_(call.context),
      room_(context_.sparse),
      limit_(std::min(limit, mpi::Messages::kLongestMessage - kLengthBytes)) {
  room_.arrivals.clear();
  room_.data.clear();
  room_.sends.clear();
}

void Straight::send(Mode mode) {
  std::size_t total = 0;
  for (const Parcel& parcel : call_.parcels)
    total += kLengthBytes + (is_long(parcel.block.bytes) ? 0 : parcel.block.bytes);
  std::byte* at = context_.scratch.bytes(Scratch::kOutgoing, total);
  const auto send = mode == Mode::synchronous ? PMPI_Issend : PMPI_Isend;
  for (const Parcel& parcel : call_.parcels) {
    if (parcel.rank == context_.rank) continue;
    const std::uint64_t length = parcel.block.bytes;
    const std::size_t bytes = is_long(length) ? 0 : length;
    std::memcpy(at, &length, kLengthBytes);
    copy_bytes(at + kLengthBytes, parcel.block.data, bytes);
    mpi::check(
        send(at, static_cast<int>(kLengthBytes + bytes), MPI_BYTE, parcel.rank,
             context_.tag(kFirst), context_.comm, &room_.sends.emplace_back(MPI_REQUEST_NULL)),
        "MPI_Isend");
    at += kLengthBytes + bytes;
  }
}

bool Straight::has_sent() {
  int is_complete = 0;
  mpi::check(PMPI_Testall(static_cast<int>(room_.sends.size()), room_.sends.data(), &is_complete,
                          MPI_STATUSES_IGNORE),
             "MPI_Testall");
  return is_complete != 0;
}

bool Straight::receive_if_any() {
  int is_there = 0;
  MPI_Status status;
  mpi::check(PMPI_Iprobe(MPI_ANY_SOURCE, context_.tag(kFirst), context_.comm, &is_there, &status),
             "MPI_Iprobe");
  if (is_there != 0) take(status);
  return is_there != 0;
}

void Straight::receive(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!mpi::has_outstanding()) {
      MPI_Status status;
      mpi::check(PMPI_Probe(MPI_ANY_SOURCE, context_.tag(kFirst), context_.comm, &status),
                 "MPI_Probe");
      take(status);
      continue;
    }
    while (!receive_if_any()) {
      mpi::advance_outstanding();
      mpi::breathe();
    }
  }
}

void Straight::take(const MPI_Status& status) {
  int bytes = 0;
  mpi::check(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  const std::size_t begin = room_.data.size();
  room_.data.resize(begin + static_cast<std::size_t>(bytes));
  mpi::check(PMPI_Recv(room_.data.data() + begin, bytes, MPI_BYTE, status.MPI_SOURCE,
                       status.MPI_TAG, context_.comm, MPI_STATUS_IGNORE),
             "MPI_Recv");
  std::uint64_t length = 0;
  std::memcpy(&length, room_.data.data() + begin, kLengthBytes);
  room_.arrivals.push_back({status.MPI_SOURCE, begin + kLengthBytes, length});
}

void Straight::finish() {
  for (const Parcel& parcel : call_.parcels)
    if (parcel.rank == context_.rank)
      room_.arrivals.push_back({context_.rank, 0, parcel.block.bytes});
  std::ranges::sort(room_.arrivals, {}, &SparseRoom::Arrival::rank);
  room_.origins.clear();
  for (const auto& arrival : room_.arrivals) room_.origins.push_back({arrival.rank, arrival.bytes});
  const BlockList<Block> places = exchange_placed(call_, limit_, context_.tag(kLong));
  for (std::size_t i = 0; i < room_.arrivals.size(); ++i) {
    const auto& arrival = room_.arrivals[i];
    if (arrival.rank != context_.rank && !is_long(arrival.bytes))
      copy_bytes(places[i].data, room_.data.data() + arrival.offset, arrival.bytes);
  }
  mpi::check(mpi::wait_for_all(static_cast<int>(room_.sends.size()), room_.sends.data(),
                               MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  context_.messages.wait();
}

BlockList<Block> exchange_placed(SparseCall& call, std::size_t limit, int tag) {
  Context& context = call.context;
  const auto& origins = context.sparse.origins;
  const BlockList<Block> places = call.place(origins);
  const auto own = std::ranges::find(call.parcels, context.rank, &Parcel::rank);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].rank == context.rank)
      copy_bytes(places[i].data, own->block.data, own->block.bytes);
    else if (origins[i].bytes > limit)
      context.messages.receive(places[i].data, origins[i].bytes, origins[i].rank, tag);
  }
  for (const Parcel& parcel : call.parcels)
    if (parcel.rank != context.rank && parcel.block.bytes > limit)
      context.messages.send(parcel.block.data, parcel.block.bytes, parcel.rank, tag);
  return places;
}

}  // namespace rondo::engines::discovery
