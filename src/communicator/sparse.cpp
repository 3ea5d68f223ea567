#include "communicator/sparse.hpp"

#include <algorithm>

#include "buffers/buffers.hpp"

namespace rondo::communicator {

namespace {

using exchange::Parcel;

class Sparse {
 public:
  explicit Sparse(SparseTask& task) : task_(task), context_(task.state.context()) {}

  void run() {
    prepare_to_send();
    exchange::SparseCall call{
        .context = context_,
        .choice = task_.choice,
        .parcels = context_.sparse.parcels,
        .failure = task_.failure ? &*task_.failure : nullptr,
        .place = [this](std::span<const exchange::Origin> origins) { return place(origins); }};
    exchange::run_sparse(call);
    failure_ = std::move(call.failure_of_some);
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
    context_.sparse.parcels.clear();
    if (!task_.failure)
      task_.failure =
          failure_of([&] { buffers_.emplace(context_, task_.state.binding(), task_.send_buffer); });
    if (!task_.failure) list_parcels();
  }

  /// Most callers name their destinations in ascending order.
  void list_parcels() {
    std::vector<Parcel>& parcels = context_.sparse.parcels;
    const BlockList<ConstBlock> blocks = buffers_->blocks().send;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (const ConstBlock block = blocks[i]; block.bytes != 0)
        parcels.push_back({task_.destinations[i], block});
    if (!std::ranges::is_sorted(parcels, {}, &Parcel::rank))
      std::ranges::sort(parcels, {}, &Parcel::rank);
  }

  BlockList<Block> place(std::span<const exchange::Origin> origins) {
    void* const buffer = task_.receiver.place(origins, task_.state.binding().receive);
    return buffers_->set_receive(buffer, task_.receiver.is_allocated());
  }

  SparseTask& task_;
  exchange::Context& context_;
  std::optional<buffers::Buffers> buffers_;
  std::optional<Error> failure_;  ///< that some rank has reported
};

}  // namespace

void execute_sparse(SparseTask task) {
  Sparse sparse(task);
  try {
    sparse.run();
  } catch (...) {
    task.state.abandon(sparse.context());
    throw;
  }
  sparse.finish();
}

}  // namespace rondo::communicator
