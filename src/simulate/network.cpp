#include "simulate/network.hpp"

namespace rondo::simulate {

namespace {

Path shared(Path path, double sharing) {
  path.overhead_seconds *= sharing;
  path.gap_seconds *= sharing;
  path.latency_seconds *= sharing;
  path.seconds_per_byte *= sharing;
  return path;
}

}  // namespace

Network::Network(const Machine& machine, const Stage& stage, double sharing)
    : inside_(shared(machine.inside, sharing)),
      between_(machine.between),
      adapter_(machine.adapter),
      match_seconds_(machine.waiting.match_seconds * sharing),
      now_(at(stage.simulated)),
      clocks_(at(stage.simulated)),
      out_(at(stage.nodes() * machine.adapter.per_node)),
      in_(out_) {
  const int adapters = machine.adapter.per_node;
  for (int rank = 0; rank < stage.simulated; ++rank) {
    const int local = rank % stage.per_node;
    adapter_of_.push_back(rank / stage.per_node * adapters + local % adapters);
  }
}

void Network::start() {
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    clocks_[rank] = {.port = now_[rank], .sink = now_[rank], .done = now_[rank], .matching = 0};
}

void Network::finish() {
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    now_[rank] = clocks_[rank].done + clocks_[rank].matching;
}

}  // namespace rondo::simulate
