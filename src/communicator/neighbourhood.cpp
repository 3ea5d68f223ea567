#include "communicator/neighbourhood.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/mix.hpp"
#include "buffers/buffers.hpp"
#include "communicator/agree.hpp"
#include "communicator/announcement.hpp"
#include "communicator/auto.hpp"
#include "exchange/handles.hpp"
#include "exchange/mpi_error.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

using choice::Choice;
using exchange::check;
using registry::Collective;

namespace {

std::vector<int> other_ranks(const std::vector<Peer>& peers, int self) {
  std::vector<int> ranks;
  for (const Peer& peer : peers)
    if (peer.rank != self) ranks.push_back(peer.rank);
  return ranks;
}

bool shares_memory(exchange::Context& context) {
  return exchange::Node::is_built() && context.layout().real_nodes() < context.ranks &&
         context.node() != nullptr;
}

bool needs_nodes(const exchange::Context& context, const Choice& choice) {
  return choice.algorithm->shape == registry::Shape::node && context.nodes.nodes() > 1;
}

/// The first call, of those under `auto`, before which the ranks agree again.
constexpr std::uint64_t kFirstRepeat = 64;

std::uint64_t hash_of_edges(int source, int destination, std::size_t edges) {
  const auto pair = static_cast<std::uint64_t>(source) << 32 | static_cast<unsigned>(destination);
  return mix(mix(pair + kGoldenGamma) + edges);
}

}  // namespace

Neighbourhood::Neighbourhood(MPI_Comm comm) : topology_(read_topology(comm)) {
  int is_ambiguous = topology_.is_ambiguous ? 1 : 0;
  exchange::complete_outstanding();
  exchange::ErrorsReturned errors_returned(comm);
  check(PMPI_Allreduce(MPI_IN_PLACE, &is_ambiguous, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  errors_returned.end();
  topology_.is_ambiguous = is_ambiguous != 0;
}

void Neighbourhood::prepare(State& state) {
  if (pattern_) return;
  exchange::Context& context = state.context();
  if (!blocks_) blocks_ = std::make_unique<PeerBlocks>(topology_, context.rank, context.ranks);
  compare_edges(context);
  pattern_.emplace(context, other_ranks(blocks_->to(), context.rank),
                   other_ranks(blocks_->from(), context.rank));
}

/// Sums a hash of every edge over the ranks that it leaves, less the same over those that it enters.
void Neighbourhood::compare_edges(const exchange::Context& context) const {
  std::uint64_t sum = 0;
  for (const Peer& peer : blocks_->to())
    sum += hash_of_edges(context.rank, peer.rank, peer.edges.size());
  for (const Peer& peer : blocks_->from())
    sum -= hash_of_edges(peer.rank, context.rank, peer.edges.size());
  exchange::complete_outstanding();
  check(PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, context.comm),
        "MPI_Allreduce");
  if (sum != 0)
    throw Error(
        ErrorClass::communicator,
        "the topology of comm has an edge between two ranks on one of them only; on a graph "
        "made by MPI_Graph_create, both ranks must have as many edges to each other",
        MPI_ERR_TOPOLOGY);
}

select::EdgeLoad Neighbourhood::load(exchange::Context& context) {
  const schedule::NodeMap& map = context.nodes;
  const int own = map.node_of(context.rank);
  const auto count = [&](std::span<const int> ranks, bool is_inside) {
    return static_cast<double>(std::ranges::count_if(
        ranks, [&](int rank) { return (map.node_of(rank) == own) == is_inside; }));
  };
  const auto blocks = [&](bool is_inside) {
    return (count(pattern_->to(), is_inside) + count(pattern_->from(), is_inside)) / 2;
  };
  select::EdgeLoad load{.inside = blocks(true), .between = blocks(false)};
  if (map.nodes() == 1 || !shares_memory(context)) return load;
  const exchange::NodePattern& nodes = pattern_->nodes(context);
  double sent = 0;
  for (const auto& message : nodes.sends) sent += static_cast<double>(message.blocks);
  double received = 0;
  for (const auto& message : nodes.receives) received += static_cast<double>(message.blocks.size());
  load.messages = static_cast<double>(std::max(nodes.sends.size(), nodes.receives.size()));
  load.carried = std::max(sent, received);
  return load;
}

Choice Neighbourhood::decide(State& state, std::size_t longest) {
  exchange::Context& context = state.context();
  const select::EdgePlace place{.has_node = shares_memory(context),
                                .may_forward = !topology_.is_ambiguous};
  const select::EdgeLoad own = load(context);
  std::array numbers = {own.inside, own.between, own.messages, own.carried,
                        static_cast<double>(longest)};
  exchange::complete_outstanding();
  check(PMPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                       MPI_MAX, context.comm),
        "MPI_Allreduce");
  const select::EdgeLoad all{.inside = numbers[0],
                             .between = numbers[1],
                             .messages = numbers[2],
                             .carried = numbers[3],
                             .block_bytes = numbers[4]};
  std::string reason;
  // Profiles differ between nodes, so rank 0 decides.
  const std::string chosen = announce(context.circle(), "choose algorithms", [&] {
    const auto profile = find_profile(state.settings().profile);
    const select::EdgeDecision decision =
        select::decide_on_edges(context.layout(), all, place, select::machine_of(profile.get()));
    reason = decision.reason;
    return decision.choice.text();
  });
  const Choice choice =
      choice::resolve(choice::parse(Collective::neighbor_alltoallv, chosen), context.layout());
  if (state.settings().verbose != 0 && state.rank() == 0 && !(choice == chosen_))
    print_choice({.collective = Collective::neighbor_alltoallv,
                  .layout = context.layout(),
                  .block_bytes = static_cast<std::size_t>(all.block_bytes)},
                 chosen, reason);
  return choice;
}

bool Neighbourhood::is_due() {
  const std::uint64_t call = calls_++;
  return call == 0 || (call >= kFirstRepeat && std::has_single_bit(call));
}

const Choice& Neighbourhood::choose_by(State& state, const std::function<std::size_t()>& longest) {
  const Choice* const requested = state.requested(buffers::Form::neighbor_alltoallv);
  if (requested == nullptr && is_due()) chosen_ = decide(state, longest());
  const Choice& choice = requested != nullptr ? *requested : chosen_;
  state.note_choice(choice);
  return choice;
}

const Choice* Neighbourhood::choice_for_start(State& state) {
  if (!pattern_) return nullptr;
  exchange::Context& context = state.context();
  const Choice* choice = state.requested(buffers::Form::neighbor_alltoallv);
  if (choice == nullptr && calls_ != 0) choice = &chosen_;
  if (choice != nullptr && choice->algorithm->shape == registry::Shape::library) return nullptr;
  if (choice != nullptr && (!needs_nodes(context, *choice) || pattern_->has_nodes())) return choice;
  if (!topology_.is_ambiguous) return nullptr;
  fallback_ = context.defaults(Collective::neighbor_alltoallv, "spread_out");
  return &fallback_;
}

void Neighbourhood::prepare_start(exchange::Context& context, const Choice& choice) {
  if (needs_nodes(context, choice)) pattern_->nodes(context);
}

EdgeRoom& Neighbourhood::room(std::size_t channel) {
  while (rooms_.size() <= channel) rooms_.emplace_back();
  auto& room = rooms_[channel];
  if (!room) room.emplace(EdgeRoom{.peers = *blocks_, .pattern = *pattern_});
  if (!room->pattern.has_nodes()) room->pattern = *pattern_;
  return *room;
}

Choice usable_on_edges(exchange::Context& context, const Choice& choice) {
  const bool needs_node = choice.algorithm->shape == registry::Shape::node;
  if (!needs_node || context.node() != nullptr) return choice;
  return context.defaults(Collective::neighbor_alltoallv, "spread_out");
}

void execute_on_edges(const EdgeTask& task) {
  exchange::Context& context = task.context;
  PeerBlocks& peers = task.peers;
  exchange::Call call{
      .context = context, .choice = task.choice, .learned = task.learned, .pattern = &task.pattern};
  std::optional<buffers::Buffers> buffers;
  Blocks edges;
  Blocks blocks;
  if (!task.failure)
    task.failure = failure_of([&] {
      buffers.emplace(context, task.binding, task.send_buffer, task.receive_buffer);
      edges = buffers->blocks();
      blocks = peers.join(context.scratch, edges.send, edges.receive);
    });
  if (task.state.settings().check != 0) agree_on_failure(context, task.failure);
  if (task.failure) {
    if (task.choice.algorithm->errors == registry::Errors::local) throw Error(*task.failure);
    blocks = peers.without_data(*task.failure);
  }
  try {
    exchange::run(call, blocks);
  } catch (...) {
    task.state.abandon(context);
    throw;
  }
  if (task.failure) throw Error(*task.failure);
  if (call.failure) throw Error(*call.failure);
  peers.split(edges.receive);
  buffers->finish();
  if (call.mismatch) throw Error(*call.mismatch);
}

void agree_on_edges(exchange::Context& context, const PeerBlocks& blocks,
                    std::optional<Error> failure, const buffers::Binding& binding) {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> arriving;
  if (!failure)
    failure = failure_of([&] {
      for (const Peer& peer : blocks.to()) sent.push_back(bytes_of(peer, binding.sending()));
      arriving.resize(blocks.from().size());
    });
  agree_on_failure(context, failure);
  // A peer may be this rank itself.
  const auto bytes_at = [](std::uint64_t& number) { return reinterpret_cast<std::byte*>(&number); };
  for (std::size_t i = 0; i < arriving.size(); ++i)
    context.messages.receive(bytes_at(arriving[i]), sizeof arriving[i], blocks.from()[i].rank,
                             context.tag(1));
  for (std::size_t i = 0; i < sent.size(); ++i)
    context.messages.send(bytes_at(sent[i]), sizeof sent[i], blocks.to()[i].rank, context.tag(1));
  context.messages.wait();
  std::optional<exchange::Lengths> first;
  for (std::size_t i = 0; i < arriving.size() && !first; ++i) {
    const Peer& peer = blocks.from()[i];
    const std::uint64_t expected = bytes_of(peer, binding.receive);
    if (arriving[i] != expected) first = exchange::Lengths{peer.rank, arriving[i], expected};
  }
  throw_lowest_mismatch(context, first);
}

}  // namespace rondo::communicator
