#include "engines/discovery/straight.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/error.hpp"
#include "mpi/transport.hpp"
#include "transport/outstanding.hpp"

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
    call.failure_of_some = failure_told_in(status, call.context.ranks);
  return status.has_failure();
}

Straight::Straight(SparseCall& call, std::size_t limit)
    : call_(call),
      context_(call.context),
      workspace_(sparse_workspace(context_)),
      limit_(std::min(limit, mpi::Messages::kLongestMessage - kLengthBytes)) {
  workspace_.arrivals.clear();
  workspace_.data.clear();
  workspace_.sends.clear();
}

void Straight::send(Mode mode) {
  std::size_t total = 0;
  for (const Destination& destination : call_.destinations)
    total += kLengthBytes + (is_long(destination.block.bytes) ? 0 : destination.block.bytes);
  std::byte* at = context_.scratch.bytes(Scratch::kOutgoing, total);
  const auto send = mode == Mode::synchronous ? PMPI_Issend : PMPI_Isend;
  for (const Destination& destination : call_.destinations) {
    if (destination.rank == context_.rank) continue;
    const std::uint64_t length = destination.block.bytes;
    const std::size_t bytes = is_long(length) ? 0 : length;
    std::memcpy(at, &length, kLengthBytes);
    copy_bytes(at + kLengthBytes, destination.block.data, bytes);
    mpi::check(send(at, static_cast<int>(kLengthBytes + bytes), MPI_BYTE, destination.rank,
                    context_.tag(kFirst), mpi::comm_of(context_.transport()),
                    &workspace_.sends.emplace_back(MPI_REQUEST_NULL)),
               "MPI_Isend");
    at += kLengthBytes + bytes;
  }
}

bool Straight::has_sent() {
  int is_complete = 0;
  mpi::check(PMPI_Testall(static_cast<int>(workspace_.sends.size()), workspace_.sends.data(),
                          &is_complete, MPI_STATUSES_IGNORE),
             "MPI_Testall");
  return is_complete != 0;
}

bool Straight::receive_if_any() {
  int is_there = 0;
  MPI_Status status;
  mpi::check(PMPI_Iprobe(MPI_ANY_SOURCE, context_.tag(kFirst), mpi::comm_of(context_.transport()),
                         &is_there, &status),
             "MPI_Iprobe");
  if (is_there != 0) take(status);
  return is_there != 0;
}

void Straight::receive(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!transport::has_outstanding()) {
      MPI_Status status;
      mpi::check(PMPI_Probe(MPI_ANY_SOURCE, context_.tag(kFirst),
                            mpi::comm_of(context_.transport()), &status),
                 "MPI_Probe");
      take(status);
      continue;
    }
    while (!receive_if_any()) {
      transport::advance_outstanding();
      transport::yield_core();
    }
  }
}

void Straight::take(const MPI_Status& status) {
  int bytes = 0;
  mpi::check(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  const std::size_t begin = workspace_.data.size();
  workspace_.data.resize(begin + static_cast<std::size_t>(bytes));
  mpi::check(PMPI_Recv(workspace_.data.data() + begin, bytes, MPI_BYTE, status.MPI_SOURCE,
                       status.MPI_TAG, mpi::comm_of(context_.transport()), MPI_STATUS_IGNORE),
             "MPI_Recv");
  std::uint64_t length = 0;
  std::memcpy(&length, workspace_.data.data() + begin, kLengthBytes);
  workspace_.arrivals.push_back({status.MPI_SOURCE, begin + kLengthBytes, length});
}

void Straight::finish() {
  for (const Destination& destination : call_.destinations)
    if (destination.rank == context_.rank)
      workspace_.arrivals.push_back({context_.rank, 0, destination.block.bytes});
  std::ranges::sort(workspace_.arrivals, {}, &SparseWorkspace::Arrival::rank);
  workspace_.sources.clear();
  for (const auto& arrival : workspace_.arrivals)
    workspace_.sources.push_back({arrival.rank, arrival.bytes});
  const BlockList<Block> places = exchange_placed(call_, limit_, context_.tag(kLong));
  for (std::size_t i = 0; i < workspace_.arrivals.size(); ++i) {
    const auto& arrival = workspace_.arrivals[i];
    if (arrival.rank != context_.rank && !is_long(arrival.bytes))
      copy_bytes(places[i].data, workspace_.data.data() + arrival.offset, arrival.bytes);
  }
  mpi::check(mpi::wait_for_all(static_cast<int>(workspace_.sends.size()), workspace_.sends.data(),
                               MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  context_.messages.wait();
}

BlockList<Block> exchange_placed(SparseCall& call, std::size_t limit, int tag) {
  Context& context = call.context;
  const auto& sources = sparse_workspace(context).sources;
  const BlockList<Block> places = call.place(sources);
  const auto own = std::ranges::find(call.destinations, context.rank, &Destination::rank);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].rank == context.rank)
      copy_bytes(places[i].data, own->block.data, own->block.bytes);
    else if (sources[i].bytes > limit)
      context.messages.receive(places[i].data, sources[i].bytes, sources[i].rank, tag);
  }
  for (const Destination& destination : call.destinations)
    if (destination.rank != context.rank && destination.block.bytes > limit)
      context.messages.send(destination.block.data, destination.block.bytes, destination.rank, tag);
  return places;
}

}  // namespace rondo::engines::discovery
