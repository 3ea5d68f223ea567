// Messages to partners that are drawn for each rank, so that all ranks are simulated.
#include <limits>
#include <map>

#include "simulate/partners.hpp"
#include "simulate/play.hpp"

namespace rondo::simulate {

namespace {

using model::Sent;

struct Copied {
  double blocks = 0;
  double bytes = 0;

  void add(double more) {
    blocks += 1;
    bytes += more;
  }
};

class PlayPartners final : public Play {
 public:
  PlayPartners(Run& run, const Exchange& exchange, const Machine& machine)
      : Play(run, exchange), machine_(machine) {
    const Lengths lengths(exchange.load.distribution, exchange.load.block_bytes, layout().ranks);
    for (int source = 0; source < layout().ranks; ++source) {
      partners_.push_back(partners_of(source, exchange, lengths));
      most_ = std::max(most_, partners_.back().size());
    }
  }

  void learn_lengths() { play_lengths(run(), asked(), machine_); }

  void send_to_partners(Sent sent) {
    run().begin();
    const bool is_any = sent == Sent::answer ? answer() : send_in_turn(sent);
    if (is_any) run().wait();
  }

  /// In a sparse exchange what arrives counts as what a rank sends.
  void copy_for_partners(bool arrived) {
    std::vector<Copied> copied(partners_.size());
    for_each([&](int source, const Partner& to) {
      const int rank = arrived && !is_sparse() ? to.rank : source;
      copied[static_cast<std::size_t>(rank)].add(is_long(to.bytes) ? 0 : to.bytes);
    });
    for (std::size_t rank = 0; rank < copied.size(); ++rank)
      run().now()[rank] += run().copy_seconds(copied[rank].blocks, copied[rank].bytes);
  }

  /// Ranks of a node take turns to send and receive.
  void send_between_partners() {
    std::map<std::pair<int, int>, Copied> messages;  // by node of the source and of the destination
    for_each([&](int source, const Partner& to) {
      const std::pair nodes{node_of(source), node_of(to.rank)};
      if (nodes.first != nodes.second) messages[nodes].add(to.bytes);
    });
    run().begin();
    for (const auto& [nodes, carried] : messages) {
      const int distance = (nodes.second - nodes.first + layout().nodes) % layout().nodes;
      const int leader = distance % layout().per_node;
      const int source = nodes.first * layout().per_node + leader;
      const double header = model::kEdgeHeaderBytes + carried.blocks * model::kEdgeLengthBytes;
      run().spend(source, run().copy_seconds(carried.blocks, carried.bytes));
      run().send(way(source, nodes.second * layout().per_node + leader), header + carried.bytes, 1);
    }
    run().wait();
  }

 private:
  bool is_sparse() const {
    return asked().choice.algorithm->handling.census != registry::Census::none;
  }

  /// Along edges there are no long blocks.
  bool is_long(double bytes) const {
    return is_sparse() && bytes > static_cast<double>(asked().choice.threshold());
  }

  /// Below 0 there is no message.
  double bytes_of(Sent sent, double block) const {
    if (sent == Sent::size) return model::kSizeBytes;
    if (sent == Sent::start) return model::kSizeBytes + (is_long(block) ? 0 : block);
    return sent == Sent::whole || is_long(block) ? block : -1;
  }

  /// Every rank sends its first message, then every rank its second one.
  bool send_in_turn(Sent sent) {
    bool is_any = false;
    for (std::size_t i = 0; i < most_; ++i)
      for (int rank = 0; rank < layout().ranks; ++rank) {
        const auto& partners = partners_[static_cast<std::size_t>(rank)];
        const double bytes = i < partners.size() ? bytes_of(sent, partners[i].bytes) : -1;
        if (bytes < 0) continue;
        run().send(way(rank, partners[i].rank), bytes, partners.size() - i);
        is_any = true;
      }
    return is_any;
  }

  /// A synchronous send is complete when its receiver has answered.
  bool answer() {
    for_each([&](int source, const Partner& to) { run().send(way(to.rank, source), 0, 1); });
    return true;
  }

  /// Calls visit(source, partner), source after source.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int source = 0; source < layout().ranks; ++source)
      for (const Partner& partner : partners_[static_cast<std::size_t>(source)])
        visit(source, partner);
  }

  Way way(int source, int destination) const {
    return {source, destination, node_of(source) != node_of(destination)};
  }

  const Machine& machine_;
  std::vector<std::vector<Partner>> partners_;
  std::size_t most_ = 0;
};

}  // namespace

void play_partners(Run& run, const Exchange& exchange, const Machine& machine) {
  PlayPartners fold(run, exchange, machine);
  const model::Task task{.choice = exchange.choice, .layout = exchange.layout};
  const bool is_node = exchange.choice.algorithm->shape == registry::Shape::node;
  is_node ? trace_edges(task, fold) : trace_partners(task, fold);
}

}  // namespace rondo::simulate
