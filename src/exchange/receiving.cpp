#include "exchange/receiving.hpp"

#include <algorithm>
#include <vector>

#include "base/status.hpp"
#include "buffers/buffers.hpp"
#include "mpi/error.hpp"
#include "mpi/progress.hpp"
#include "mpi/transport.hpp"

namespace rondo::exchange {

using engines::Destination;
using engines::Source;
using mpi::check;
using Lengths = std::span<std::uint64_t>;

namespace {

/// Integers above the longest length are this number minus what a failed rank tells of its error: told_of().
constexpr std::uint64_t kFailed = UINT64_MAX;
constexpr std::uint64_t kLongest = INT64_MAX;

/// What both kinds have in common.
template <class Length>
class Receiving {
 public:
  explicit Receiving(ReceivingTask<Length>& task) : task_(task), context_(task.channel.context()) {}

  engines::Context& context() { return context_; }

  /// Local. Writes the received bytes to the receive buffer.
  void finish() {
    if (task_.failure) throw Error(*task_.failure);
    if (failure_) throw Error(*failure_);
    buffers_->finish();
  }

 protected:
  buffers::Binding& binding() { return task_.binding; }

  /// Finds, or packs, what this rank sends. After a failure it sends nothing.
  BlockList<ConstBlock> find_sent() {
    if (!task_.failure)
      task_.failure = failure_of([&] {
        buffers_.emplace(context_.scratch, mpi::comm_of(context_.transport()), binding(),
                         task_.send_buffer);
      });
    return task_.failure ? BlockList<ConstBlock>{} : buffers_->blocks().send;
  }

  BlockList<Block> place(std::span<const Length> lengths) {
    void* const buffer = task_.receiver.place(lengths, binding().receive);
    return buffers_->set_receive(buffer, task_.receiver.is_allocated());
  }

  ReceivingTask<Length>& task_;
  engines::Context& context_;
  std::optional<buffers::Buffers> buffers_;
  std::optional<Error> failure_;  ///< that some rank has reported
};

class Dynamic final : public Receiving<std::uint64_t> {
 public:
  using Receiving::Receiving;

  void run() {
    const auto ranks = static_cast<std::size_t>(context_.ranks);
    const Lengths both =
        context_.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    blocks_.send = find_sent();
    if (task_.failure) {
      binding().clear();
      blocks_ = buffers::Buffers::without_data(context_.scratch, context_.ranks, binding(),
                                               *task_.failure);
    }
    incoming_ = {.lengths = both.last(ranks), .place = [this] { return place(incoming_.lengths); }};
    if (engines::learns_lengths(task_.choice))
      run_engine(&incoming_);
    else
      run_after_lengths(both.first(ranks));
  }

 private:
  void run_engine(engines::Incoming* incoming) {
    engines::Call call{.context = context_, .choice = task_.choice, .incoming = incoming};
    engines::run(call, blocks_);
    failure_ = call.failure;
  }

  void run_after_lengths(Lengths sent) {
    write_lengths(sent, binding().sending(), task_.failure);
    exchange_integers(sent, incoming_.lengths);
    failure_ = failure_in(incoming_.lengths);
    if (failure_) return;
    context_.begin_exchange();
    blocks_.receive = place(incoming_.lengths);
    run_engine(nullptr);
  }

  void exchange_integers(Lengths from, Lengths to) {
    const choice::Choice choice = choose_for_lengths();
    communicator::run_timed(task_.channel.take_timed(), [&] {
      exchange_integers_by(choice, from, to);
      return MPI_SUCCESS;
    });
  }

  /// What was chosen for the exchange itself remains the last choice.
  choice::Choice choose_for_lengths() {
    communicator::Channel& channel = task_.channel;
    const choice::Choice& choice = channel.choose(buffers::Form::alltoall, sizeof(std::uint64_t));
    return &channel == &task_.state.own() ? choice : channel.instead_of_library(choice);
  }

  void exchange_integers_by(const choice::Choice& choice, Lengths from, Lengths to) {
    if (choice.algorithm->is_library()) {
      mpi::before_library_call();
      return check(PMPI_Alltoall(from.data(), 1, MPI_UINT64_T, to.data(), 1, MPI_UINT64_T,
                                 mpi::comm_of(context_.transport())),
                   "MPI_Alltoall");
    }
    const std::size_t bytes = sizeof(std::uint64_t);
    engines::Call call{.context = context_, .choice = choice};
    engines::run(call, {.send = {std::as_bytes(from).data(), bytes, from.size()},
                        .receive = {std::as_writable_bytes(to).data(), bytes, to.size()}});
  }

  Blocks blocks_;
  engines::Incoming incoming_;
};

class Sparse final : public Receiving<Source> {
 public:
  using Receiving::Receiving;

  void run() {
    list_destinations(find_sent());
    engines::SparseCall call{
        .context = context_,
        .choice = task_.choice,
        .destinations = engines::sparse_workspace(context_).destinations,
        .failure = task_.failure ? &*task_.failure : nullptr,
        .place = [this](std::span<const Source> sources) { return place(sources); }};
    engines::run_sparse(call);
    failure_ = std::move(call.failure_of_some);
  }

 private:
  /// Most callers name their destinations in ascending order.
  void list_destinations(const BlockList<ConstBlock>& blocks) {
    std::vector<Destination>& destinations = engines::sparse_workspace(context_).destinations;
    destinations.clear();
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (const ConstBlock block = blocks[i]; block.bytes != 0)
        destinations.push_back({task_.destinations[i], block});
    if (!std::ranges::is_sorted(destinations, {}, &Destination::rank))
      std::ranges::sort(destinations, {}, &Destination::rank);
  }
};

template <class Exchange, class Task>
void execute_as(Task& task) {
  Exchange exchange(task);
  try {
    exchange.run();
  } catch (...) {
    task.state.abandon(exchange.context());
    throw;
  }
  exchange.finish();
}

}  // namespace

void write_lengths(Lengths sent, const buffers::Side& sending,
                   const std::optional<Error>& failure) {
  const auto failed = static_cast<std::uint64_t>(failure ? told_of(*failure) : 0);
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    sent[rank] = failure ? kFailed - failed : sending.part(rank).bytes;
}

std::optional<Error> failure_in(std::span<const std::uint64_t> arriving) {
  for (std::size_t rank = 0; rank < arriving.size(); ++rank)
    if (arriving[rank] > kLongest)
      return failure_elsewhere(static_cast<int>(rank), static_cast<int>(kFailed - arriving[rank]));
  return std::nullopt;
}

void execute(DynamicTask task) {
  execute_as<Dynamic>(task);
}

void execute(SparseTask task) {
  execute_as<Sparse>(task);
}

}  // namespace rondo::exchange
