// Messages to partners that are drawn for each rank, so that all ranks are simulated.
#include <algorithm>
#include <map>
#include <set>

#include "simulate/play.hpp"

namespace rondo::simulate {

using model::Sent;

namespace {

struct Copied {
  double blocks = 0;
  double bytes = 0;

  void add(double more) {
    blocks += 1;
    bytes += more;
  }
};

/// Draws `count` different numbers from 0..others-1 (Floyd's algorithm).
std::set<int> draw_numbers(int count, int others, std::uint64_t key) {
  std::set<int> drawn;
  for (int last = others - count; last < others; ++last) {
    const auto bits = random_bits(key, static_cast<std::uint64_t>(last));
    const auto number = static_cast<int>(bits % (static_cast<std::uint64_t>(last) + 1));
    if (!drawn.insert(number).second) drawn.insert(last);
  }
  return drawn;
}

}  // namespace

std::vector<Partner> partners_of(int source, const Exchange& exchange, const Lengths& lengths) {
  const int others = exchange.layout.ranks - 1;
  const Distribution& distribution = exchange.load.distribution;
  const bool is_sparse = distribution.kind == Distribution::Kind::sparse;
  const std::uint64_t key = random_bits(mix(exchange.seed), static_cast<std::uint64_t>(source));
  std::vector<Partner> partners;
  if (is_sparse) {
    const int count = static_cast<int>(std::min<double>(distribution.value, others));
    for (const int number : draw_numbers(count, others, key))
      partners.push_back({number < source ? number : number + 1, lengths.largest()});
    return partners;
  }
  for (int number = 0; number < others; ++number) {
    const int rank = number < source ? number : number + 1;
    const double bytes = lengths.quantile(unit(random_bits(key, static_cast<std::uint64_t>(rank))));
    if (bytes > 0) partners.push_back({rank, bytes});
  }
  return partners;
}

void Play::draw_partners() {
  for (int source = 0; source < run_.stage().simulated; ++source)
    partners_.push_back(partners_of(source, exchange_, lengths_));
}

/// What a message between nodes has of a block.
double Play::carried_bytes(double block) const {
  return model::kNodeLengthBytes + (is_long(block) ? model::kSizeBytes : block);
}

/// The message for a block. Below 0 there is none.
double Play::bytes_of(Sent sent, double block) const {
  if (sent == Sent::start) return model::kSizeBytes + (is_long(block) ? 0 : block);
  return (sent == Sent::whole) != is_long(block) ? block : -1;
}

/// A synchronous send is complete when its receiver has answered.
void Play::send_to_partners(Sent sent, const model::Straight& straight) {
  run_.start();
  if (sent == Sent::answer)
    for_each_partner([&](int source, const Partner& to) {
      const Way there = run_.peers().way(source, to.rank);
      run_.send({there.destination, there.source, there.leaves}, 0, 1);
    });
  if (sent == Sent::answer || send_in_turn(sent, straight)) run_.wait();
}

/// Every rank sends its first message, then every rank its second one. Returns whether there are any.
bool Play::send_in_turn(Sent sent, const model::Straight& straight) {
  const auto most =
      std::ranges::max(partners_, {}, [](const auto& of_rank) { return of_rank.size(); }).size();
  bool is_any = false;
  for (std::size_t i = 0; i < most; ++i) {
    for (std::size_t rank = 0; rank < partners_.size(); ++rank) {
      const auto& partners = partners_[rank];
      const double bytes = i < partners.size() ? bytes_of(sent, partners[i].bytes) : -1;
      if (bytes < 0) continue;
      const Way to = run_.peers().way(static_cast<int>(rank), partners[i].rank);
      if (!to.leaves && !straight.reaches_inside) continue;
      run_.send(to, bytes, partners.size() - i);
      is_any = true;
    }
    run_.visited(partners_.size());
  }
  return is_any;
}

/// In a sparse exchange what arrives counts as what a rank sends.
void Play::copy_for_partners(bool arrived) {
  const bool is_sparse = handling_.discovery != registry::Discovery::none;
  const bool copies_long = task().copies_long;
  std::vector<Copied> copied(partners_.size());
  for_each_partner([&](int source, const Partner& to) {
    const int rank = arrived && !is_sparse ? to.rank : source;
    Copied& of_rank = copied[static_cast<std::size_t>(rank)];
    if (is_sparse)
      of_rank.add(is_long(to.bytes) ? 0 : to.bytes);
    else if (node_of(to.rank) != node_of(source))
      of_rank.add(carried_bytes(to.bytes));
    else if (copies_long || !is_long(to.bytes))
      of_rank.add(to.bytes);
  });
  for (std::size_t rank = 0; rank < copied.size(); ++rank)
    run_.now()[rank] += run_.copy_seconds(copied[rank].blocks, copied[rank].bytes);
}

/// The pairs of nodes are divided among the ranks of a node.
void Play::send_between_partners() {
  std::map<std::pair<int, int>, Copied> messages;  // by node of the source and of the destination
  for_each_partner([&](int source, const Partner& to) {
    const std::pair nodes{node_of(source), node_of(to.rank)};
    if (nodes.first != nodes.second) messages[nodes].add(carried_bytes(to.bytes));
  });
  run_.start();
  for (const auto& [nodes, carried] : messages) {
    const int distance = (nodes.second - nodes.first + layout_.nodes) % layout_.nodes;
    const int leader = distance % layout_.per_node;
    const int source = nodes.first * layout_.per_node + leader;
    run_.spend(source, run_.copy_seconds(carried.blocks, carried.bytes));
    run_.send(run_.peers().way(source, nodes.second * layout_.per_node + leader),
              model::kNodeHeaderBytes + carried.bytes, 1);
  }
  run_.wait();
}

}  // namespace rondo::simulate
