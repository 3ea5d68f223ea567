#include <algorithm>
#include <map>

#include "simulate/partners.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

namespace {

constexpr double kEdgeHeaderBytes = 24;  ///< of a message between nodes
constexpr double kEdgeLengthBytes = 4;   ///< before each block in it

/// One message for each pair of nodes that has an edge, and shared memory inside the nodes.
class AlongEdges {
 public:
  AlongEdges(Run& run, const Exchange& exchange)
      : run_(run),
        per_node_(exchange.layout.per_node),
        nodes_(exchange.layout.nodes),
        in_(static_cast<std::size_t>(exchange.layout.ranks)),
        out_(in_) {
    const Lengths lengths(exchange.load.distribution, exchange.load.block_bytes,
                          exchange.layout.ranks);
    for (int source = 0; source < exchange.layout.ranks; ++source)
      for (const Partner& partner : partners_of(source, exchange, lengths)) add(source, partner);
  }

  void exchange() {
    copy(out_);
    arrive();
    if (nodes_ > 1) {
      run_.begin();
      for (const auto& [pair, carried] : messages_) send(pair, carried);
      run_.wait();
      arrive();
    }
    copy(in_);
  }

 private:
  struct Copied {
    double blocks = 0;
    double bytes = 0;

    void add(double more) {
      blocks += 1;
      bytes += more;
    }
  };
  using Pair = std::pair<int, int>;  ///< of nodes

  void add(int source, const Partner& partner) {
    out_[static_cast<std::size_t>(source)].add(partner.bytes);
    in_[static_cast<std::size_t>(partner.rank)].add(partner.bytes);
    const Pair pair{source / per_node_, partner.rank / per_node_};
    if (pair.first != pair.second) messages_[pair].add(partner.bytes);
  }

  void copy(const std::vector<Copied>& copied) {
    for (std::size_t rank = 0; rank < copied.size(); ++rank)
      run_.now()[rank] += run_.copy_seconds(copied[rank].blocks, copied[rank].bytes);
  }

  /// All ranks of a node wait for the last of them.
  void arrive() {
    for (int node = 0; node < nodes_; ++node) {
      const auto begin = run_.now().begin() + std::ptrdiff_t{node} * per_node_;
      const double last = *std::max_element(begin, begin + per_node_);
      std::fill(begin, begin + per_node_, last + run_.cell_seconds(per_node_ - 1));
    }
    run_.settle();
  }

  /// Ranks of a node take turns to send and receive.
  void send(const Pair& pair, const Copied& carried) {
    const int turn = (pair.second - pair.first + nodes_) % nodes_ % per_node_;
    const int sender = pair.first * per_node_ + turn;
    run_.spend(sender, run_.copy_seconds(carried.blocks, carried.bytes));
    run_.send({sender, pair.second * per_node_ + turn, true},
              kEdgeHeaderBytes + carried.blocks * kEdgeLengthBytes + carried.bytes, 1);
  }

  Run& run_;
  int per_node_;
  int nodes_;
  std::map<Pair, Copied> messages_;
  std::vector<Copied> in_, out_;
};

}  // namespace

void run_nodes_along_edges(Run& run, const Exchange& exchange) {
  AlongEdges(run, exchange).exchange();
}

}  // namespace rondo::simulate
