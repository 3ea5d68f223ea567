// nccl_bruck
//
// Idea:     all rounds of a phase in one group. Between two phases one kernel unpacks the messages
//           that have arrived and packs the next ones.
// Source:   Rondo; the schedule is the TRA paper's, section III.
// Rounds:   K, the rounds of a phase together: w = ceil(log_r P) groups.
// Sent:     D S bytes.
// Scratch:  (D + the largest phase) S: blocks wait in the message they came in.
// Cost:     w groups, w + 1 kernels, D + P copies of a block.
// Limits:   blocks of equal length.

#include "gpu/exchange.hpp"
#include "gpu/failure.hpp"
#include "gpu/kernels.hpp"
#include "gpu/resources.hpp"
#include "gpu/steps.hpp"

namespace rondo::gpu {

namespace {

class Bruck final : public Exchange {
 public:
  explicit Bruck(const Setup& setup) : Bruck(setup, steps_of(setup.schedule(), setup.rank)) {}

  bool is_uniform_only() const override { return true; }

  void run(const Blocks& blocks, cudaStream_t stream) override {
    const std::size_t block_bytes = blocks.uniform_bytes;
    const Areas areas{blocks.send, blocks.receive, outgoing_.get(), incoming_.get()};
    for (const Stage& stage : stages_) {
      copy_blocks(areas, stage.copies, block_bytes, stream);
      if (stage.messages.empty()) continue;
      in_group([&] {
        for (const Message& message : stage.messages) {
          const std::size_t bytes = message.blocks * block_bytes;
          send({areas.outgoing + message.outgoing * block_bytes, bytes}, message.to, comm_, stream);
          receive({areas.incoming + message.incoming * block_bytes, bytes}, message.from, comm_,
                  stream);
        }
      });
    }
  }

 private:
  Bruck(const Setup& setup, const Steps& steps)
      : comm_(setup.comm),
        outgoing_(device_memory(setup.bytes_of(steps.outgoing_blocks))),
        incoming_(device_memory(setup.bytes_of(steps.incoming_blocks))) {
    std::vector<Copy> copies;
    for (const Phase& phase : steps.phases)
      copies.insert(copies.end(), phase.copies.begin(), phase.copies.end());
    copies_ = on_device(std::span<const Copy>(copies));
    const Copy* next = reinterpret_cast<const Copy*>(copies_.get());
    for (const Phase& phase : steps.phases) {
      stages_.push_back({{next, phase.copies.size()}, phase.messages});
      next += phase.copies.size();
    }
  }

  struct Stage {
    std::span<const Copy> copies;  ///< on the device
    std::vector<Message> messages;
  };

  ncclComm_t comm_;
  DeviceMemory outgoing_;
  DeviceMemory incoming_;
  DeviceMemory copies_;
  std::vector<Stage> stages_;
};

}  // namespace

std::unique_ptr<Exchange> make_nccl_bruck(const Setup& setup) {
  return std::make_unique<Bruck>(setup);
}

}  // namespace rondo::gpu
