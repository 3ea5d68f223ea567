// graph:NAME
//
// Idea:     the first call captures NAME into a CUDA graph. Calls with the same arguments launch
//           the graph: one launch by the host, however many launches the graph contains.
// Source:   Rondo.
// Scratch:  NAME's, and the graph.
// Cost:     one launch. A call with other arguments captures again.
// Limits:   NAME must be an algorithm that can be captured.

#include <vector>

#include "gpu/exchange.hpp"
#include "gpu/resources.hpp"

namespace rondo::gpu {

namespace {

/// The arguments for which a graph was captured.
struct Arguments {
  std::vector<std::size_t> lengths;  ///< that were read on the host
  std::vector<const void*> places;

  bool operator==(const Arguments&) const = default;
};

class Replayed final : public Exchange {
 public:
  Replayed(std::unique_ptr<Exchange> inner, int ranks)
      : inner_(std::move(inner)),
        ranks_(static_cast<std::size_t>(ranks)),
        capturing_(make_stream()) {}

  void run(const Blocks& blocks, cudaStream_t stream) override {
    inner_->check_device();
    // In a capture by the caller, a graph of our own would gain nothing.
    if (is_captured(stream)) return inner_->run(blocks, stream);
    Arguments arguments = arguments_of(blocks);
    if (graph_ == nullptr || arguments != captured_) {
      graph_ =
          instantiate(capture(capturing_.get(), [&] { inner_->run(blocks, capturing_.get()); }));
      captured_ = std::move(arguments);
    }
    check(cudaGraphLaunch(graph_.get(), stream), "cudaGraphLaunch");
  }

  bool is_uniform_only() const override { return inner_->is_uniform_only(); }
  bool takes_device_counts() const override { return inner_->takes_device_counts(); }
  void check_device() const override { inner_->check_device(); }

  /// A captured kernel keeps its timeout, so the graph must be captured again.
  void set_timeout(double seconds) override {
    inner_->set_timeout(seconds);
    graph_.reset();
  }

 private:
  Arguments arguments_of(const Blocks& blocks) const {
    Arguments arguments{.lengths = {blocks.uniform_bytes, blocks.element_bytes},
                        .places = {blocks.send, blocks.receive}};
    if (blocks.is_uniform()) return arguments;
    if (blocks.is_dynamic()) {
      const Arriving& arriving = blocks.arriving;
      arguments.lengths.insert(arguments.lengths.end(), {arriving.sent_rows, arriving.room});
      arguments.places.insert(arguments.places.end(),
                              {blocks.send_counts, arriving.counts, arriving.displacements});
      return arguments;
    }
    for (const std::size_t* array : {blocks.send_counts, blocks.send_displacements,
                                     blocks.receive_counts, blocks.receive_displacements}) {
      if (blocks.on_device)
        arguments.places.push_back(array);
      else
        arguments.lengths.insert(arguments.lengths.end(), array, array + ranks_);
    }
    return arguments;
  }

  std::unique_ptr<Exchange> inner_;
  std::size_t ranks_;
  Stream capturing_;
  GraphExec graph_;
  Arguments captured_{};
};

}  // namespace

std::unique_ptr<Exchange> make_replayed(std::unique_ptr<Exchange> inner, int ranks) {
  if (!inner->is_capturable())
    throw Failure(ncclInvalidUsage,
                  "mpi_staged waits for its stream and cannot be captured; omit graph:");
  return std::make_unique<Replayed>(std::move(inner), ranks);
}

}  // namespace rondo::gpu
