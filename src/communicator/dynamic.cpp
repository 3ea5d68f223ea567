#include "communicator/dynamic.hpp"

#include "buffers/buffers.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::communicator {

using exchange::check;
using Lengths = std::span<std::uint64_t>;

namespace {

/// Integers above the longest length are this number minus MPI's error class on a failed rank.
constexpr std::uint64_t kFailed = UINT64_MAX;
constexpr std::uint64_t kLongest = INT64_MAX;

}  // namespace

void write_lengths(Lengths sent, const buffers::Side& sending,
                   const std::optional<Error>& failure) {
  const auto failed = static_cast<std::uint64_t>(failure ? exchange::mpi_class_of(*failure) : 0);
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    sent[rank] = failure ? kFailed - failed : sending.part(rank).bytes;
}

std::optional<Error> failure_in(std::span<const std::uint64_t> arriving) {
  for (std::size_t rank = 0; rank < arriving.size(); ++rank)
    if (arriving[rank] > kLongest)
      return exchange::failure_elsewhere(static_cast<int>(rank),
                                         static_cast<int>(kFailed - arriving[rank]));
  return std::nullopt;
}

namespace {

class Dynamic {
 public:
  explicit Dynamic(DynamicTask& task) : task_(task), context_(task.state.context()) {}

  void run() {
    const auto ranks = static_cast<std::size_t>(context_.ranks);
    const Lengths both =
        context_.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    prepare_to_send();
    incoming_ = {.lengths = both.last(ranks), .place = [this] { return place(); }};
    if (exchange::learns_lengths(task_.choice))
      run_engine(&incoming_);
    else
      run_after_lengths(both.first(ranks));
  }

  exchange::Context& context() { return context_; }

  /// Local. Writes the received bytes to the receive buffer.
  void finish() {
    if (task_.failure) throw Error(*task_.failure);
    if (failure_) throw Error(*failure_);
    buffers_->finish();
  }

 private:
  /// Finds, or packs, what this rank sends. After a failure it sends nothing.
  void prepare_to_send() {
    buffers::Binding& binding = task_.state.binding();
    if (!task_.failure)
      task_.failure = failure_of([&] { buffers_.emplace(context_, binding, task_.send_buffer); });
    if (!task_.failure) {
      blocks_ = buffers_->blocks();
      return;
    }
    binding.clear();
    blocks_ = buffers::Buffers::without_data(context_, binding, *task_.failure);
  }

  BlockList<Block> place() {
    void* const buffer = task_.receiver.place(incoming_.lengths, task_.state.binding().receive);
    return buffers_->set_receive(buffer, task_.receiver.is_allocated());
  }

  void run_engine(exchange::Incoming* incoming) {
    exchange::Call call{.context = context_, .choice = task_.choice, .incoming = incoming};
    exchange::run(call, blocks_);
    failure_ = call.failure;
  }

  void run_after_lengths(Lengths sent) {
    write_lengths(sent, task_.state.binding().sending(), task_.failure);
    exchange_integers(sent, incoming_.lengths);
    failure_ = failure_in(incoming_.lengths);
    if (failure_) return;
    context_.begin_exchange();
    blocks_.receive = place();
    run_engine(nullptr);
  }

  void exchange_integers(Lengths from, Lengths to) {
    const choice::Choice choice = task_.state.choose_for_lengths();
    if (choice.algorithm->shape == registry::Shape::library) {
      exchange::before_library_call();
      return check(
          PMPI_Alltoall(from.data(), 1, MPI_UINT64_T, to.data(), 1, MPI_UINT64_T, context_.comm),
          "MPI_Alltoall");
    }
    const std::size_t bytes = sizeof(std::uint64_t);
    exchange::Call call{.context = context_, .choice = choice, .block_bytes = bytes};
    exchange::run(call, {.send = {std::as_bytes(from).data(), bytes, from.size()},
                         .receive = {std::as_writable_bytes(to).data(), bytes, to.size()}});
  }

  DynamicTask& task_;
  exchange::Context& context_;
  std::optional<buffers::Buffers> buffers_;
  Blocks blocks_;
  exchange::Incoming incoming_;
  std::optional<Error> failure_;  ///< that some rank has reported
};

}  // namespace

void execute_dynamic(DynamicTask task) {
  Dynamic dynamic(task);
  try {
    dynamic.run();
  } catch (...) {
    task.state.abandon(dynamic.context());
    throw;
  }
  dynamic.finish();
}

}  // namespace rondo::communicator
