#include "communicator/neighbourhood.hpp"

#include <algorithm>
#include <cstdint>

#include "base/mix.hpp"
#include "communicator/lengths.hpp"
#include "communicator/profile.hpp"
#include "communicator/turns.hpp"
#include "mpi/collectives.hpp"
#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "mpi/transport.hpp"
#include "select/decide.hpp"
#include "transport/agreement.hpp"

namespace rondo::communicator {

using choice::Choice;
using mpi::check;
using registry::Collective;

namespace {

/// The ranks other than `self`. Without a `side` nothing is known of their bytes.
std::vector<engines::Partner> partners_of(const std::vector<Peer>& peers, int self,
                                          const buffers::Side* side, std::size_t threshold) {
  std::vector<engines::Partner> partners;
  for (const Peer& peer : peers) {
    if (peer.rank == self) continue;
    std::uint64_t bytes = side != nullptr ? bytes_of(peer, *side) : 0;
    // Of a longer block only the length is in a message between nodes.
    if (bytes > threshold) bytes = sizeof bytes;
    partners.push_back({peer.rank, static_cast<std::uint32_t>(bytes)});
  }
  return partners;
}

bool needs_nodes(const engines::Context& context, const Choice& choice) {
  return choice.algorithm->needs_node() && context.nodes.nodes() > 1;
}

/// The first call, of those under `auto`, before which the ranks agree again.
constexpr std::uint64_t kFirstRepeat = 64;

}  // namespace

std::unique_ptr<Neighbourhood> Neighbourhood::read(MPI_Comm comm) {
  if (!has_topology(comm)) throw_no_topology();
  auto read = std::make_unique<Neighbourhood>(read_topology(comm));
  int is_ambiguous = read->topology_.is_ambiguous ? 1 : 0;
  mpi::ErrorsReturned errors_returned(comm);
  mpi::reduce_on(comm, &is_ambiguous, 1, MPI_INT, MPI_MAX);
  errors_returned.end();
  read->topology_.is_ambiguous = is_ambiguous != 0;
  return read;
}

void Neighbourhood::prepare(State& state) {
  if (pattern_) return;
  engines::Context& context = state.context();
  own_.emplace(EdgeWorkspace{.peers = {topology_, context.rank, context.ranks}});
  compare_edges(context);
  pattern_.emplace(context, partners_of(own_->peers.to(), context.rank, nullptr, 0),
                   partners_of(own_->peers.from(), context.rank, nullptr, 0));
}

engines::Pattern Neighbourhood::pattern_for(const engines::Context& context,
                                            const buffers::Binding& bound) const {
  const std::size_t threshold =
      context.defaults(Collective::neighbor_alltoallv, "node_aware").threshold();
  return {context, partners_of(own_->peers.to(), context.rank, &bound.sending(), threshold),
          partners_of(own_->peers.from(), context.rank, &bound.receive, threshold)};
}

/// Sums a hash of every edge over the ranks that it leaves, less the same over those that it enters.
void Neighbourhood::compare_edges(const engines::Context& context) const {
  std::uint64_t sum = 0;
  for (const Peer& peer : own_->peers.to())
    sum += mix_of_pair(context.rank, peer.rank, peer.edges.size());
  for (const Peer& peer : own_->peers.from())
    sum -= mix_of_pair(peer.rank, context.rank, peer.edges.size());
  if (transport::combined(context.tagged(), sum, std::plus<>()) != 0)
    throw Error(
        ErrorClass::communicator,
        "the topology of comm has an edge between two ranks on one of them only; on a graph "
        "made by MPI_Graph_create, both ranks must have as many edges to each other",
        MPI_ERR_TOPOLOGY);
}

Choice Neighbourhood::decide(State& state, engines::Pattern& pattern,
                             const buffers::Binding* bound) {
  engines::Context& context = state.context();
  const select::Place place{.layout = context.layout(),
                            .has_node = can_share_memory(context),
                            .may_forward = !topology_.is_ambiguous};
  const bool has_messages = place.has_node && context.nodes.nodes() > 1;
  const AgreedLoad agreed =
      load_of_all_ranks(context, {.peers = own_->peers,
                                  .binding = bound,
                                  .nodes = has_messages ? &pattern.nodes(context) : nullptr});
  std::string reason;
  // Profiles differ between nodes, so rank 0 decides.
  const std::string chosen = transport::text_of_rank_0(context.tagged(), [&] {
    const auto profile = find_profile(state.settings().profile);
    const select::Decision decision =
        select::decide_on_edges(place, agreed.load, select::machine_of(profile.get()));
    reason = decision.reason;
    return decision.choice.text();
  });
  const Choice choice =
      choice::resolve(choice::parse(Collective::neighbor_alltoallv, chosen), context.layout());
  if (state.settings().verbose != 0 && state.rank() == 0 && !(choice == turns_.choice()))
    print_choice(Collective::neighbor_alltoallv, context.layout(), agreed.longest, chosen, reason);
  return choice;
}

/// The first calls decide by the model, since edges are few and what they carry changes.
void Neighbourhood::begin_turn(State& state, const std::function<const buffers::Binding*()>& bind) {
  if (!turns_.learner()) {
    const std::uint64_t next = std::max(kFirstRepeat, 2 * decided_at_);
    turns_.begin(decide(state, *pattern_, bind()), next - decided_at_);
    decided_at_ = next;
    if (next != kFirstRepeat && state.learns())
      turns_.learn_by(
          std::make_shared<Learner>(mpi::comm_of(state.context().transport()),
                                    worth_trying(state.context(), state.settings(), turns_.choice(),
                                                 0, !topology_.is_ambiguous),
                                    state.context().last_exchange(), kFirstRepeat));
  }
  if (turns_.learner())
    timed_.begin(turns_.begin_learned(state.context(), state.settings(), std::nullopt));
  is_forwarding_ = state.settings().check == 0 && state.settings().watch.empty() &&
                   turns_.choice().algorithm->is_library();
}

const Choice& Neighbourhood::choose_by(State& state,
                                       const std::function<const buffers::Binding*()>& bind) {
  const Choice* const requested = state.own().requested(buffers::Form::neighbor_alltoallv);
  if (requested == nullptr && turns_.is_over()) begin_turn(state, bind);
  const Choice& choice = requested != nullptr ? *requested : turns_.next();
  state.note_choice(choice);
  return choice;
}

std::optional<Choice> Neighbourhood::choice_for_start(State& state) const {
  if (!pattern_) return std::nullopt;
  const engines::Context& context = state.context();
  const Choice* choice = state.own().requested(buffers::Form::neighbor_alltoallv);
  if (choice == nullptr && decided_at_ != 0) choice = &turns_.best();
  if (choice != nullptr && choice->algorithm->is_library()) return std::nullopt;
  if (choice != nullptr && (!needs_nodes(context, *choice) || pattern_->has_nodes()))
    return *choice;
  // MPI libraries match such edges differently.
  if (!topology_.is_ambiguous) return std::nullopt;
  return context.defaults(Collective::neighbor_alltoallv, "spread_out");
}

EdgeWorkspace& Neighbourhood::workspace(std::size_t channel) {
  while (workspaces_.size() <= channel) workspaces_.emplace_back();
  auto& workspace = workspaces_[channel];
  if (!workspace) workspace.emplace(EdgeWorkspace{.peers = own_->peers});
  return *workspace;
}

void prepare_start(engines::Context& context, engines::Pattern& pattern, const Choice& choice) {
  if (needs_nodes(context, choice)) pattern.nodes(context);
}

}  // namespace rondo::communicator
