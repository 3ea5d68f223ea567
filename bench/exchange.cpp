#include "exchange.hpp"

#include <rondo/rondo.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace rondo::bench {

namespace {

constexpr std::size_t kGapBytes = 5;  // odd, so that all alignments occur

constexpr Functions kPlans{Rondo_Alltoall_plan, Rondo_Alltoallv_plan, Rondo_Alltoallw_plan};
constexpr Functions kNeighborPlans{Rondo_Neighbor_alltoall_plan, Rondo_Neighbor_alltoallv_plan,
                                   Rondo_Neighbor_alltoallw_plan};

template <class LengthOf>
std::vector<std::size_t> lengths_by_peer(int ranks, LengthOf&& length_of) {
  std::vector<std::size_t> lengths;
  for (int peer = 0; peer < ranks; ++peer) lengths.push_back(length_of(peer));
  return lengths;
}

/// MPI_Alltoall and MPI_Neighbor_alltoall know neither gaps nor displacements: their blocks follow from
/// one count.
GuardedBuffer::Spacing spacing(Call call, bool gaps) {
  if (call == Call::alltoall || call == Call::neighbor_alltoall) return {};
  return {.gap_bytes = gaps ? kGapBytes : 0, .most_span_bytes = std::numeric_limits<int>::max()};
}

/// Whether what arrives lies block after block.
bool learns_counts(Call call) {
  return call == Call::alltoallv_dynamic || call == Call::sparse_alltoallv;
}

}  // namespace

ByteTypes::ByteTypes() {
  types_.fill(MPI_BYTE);
  for (std::size_t i = 1; i < types_.size(); ++i) {
    check_mpi(MPI_Type_contiguous(1 << i, MPI_BYTE, &types_[i]), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&types_[i]), "MPI_Type_commit");
  }
}

ByteTypes::~ByteTypes() {
  for (std::size_t i = 1; i < types_.size(); ++i) MPI_Type_free(&types_[i]);
}

ByteTypes::Choice ByteTypes::choose(std::size_t block_bytes, int variety) const {
  const std::size_t index = static_cast<std::size_t>(variety) % types_.size();
  const std::size_t bytes = std::size_t{1} << index;
  if (block_bytes % bytes != 0) return {types_.front(), 1};
  return {types_[index], bytes};
}

Exchange::Exchange(Call call, Self self, const BlockLengths& lengths, std::uint64_t seed, bool gaps)
    : call_(blocking(call)),
      is_started_(call_ != call),
      self_(self),
      seed_(seed),
      lengths_(lengths),
      send_(spacing(call_, gaps)),
      receive_(spacing(call_, gaps && !learns_counts(call_))) {
  // Go through all draws once, so that the buffers are large enough and their memory is touched.
  for (int draw = lengths.vary() ? kDraws - 1 : 0; draw >= 0; --draw) arrange(draw);
}

void Exchange::draw(int iteration) {
  const int draw = (iteration % kDraws + kDraws) % kDraws;
  if (plans_.empty() && lengths_.vary() && draw != draw_) arrange(draw);
}

void Exchange::arrange(int draw) {
  draw_ = draw;
  lengths_.choose_draw(static_cast<std::uint64_t>(draw));
  const auto sent =
      lengths_by_peer(self_.ranks, [&](int peer) { return lengths_(self_.rank, peer); });
  const auto received =
      lengths_by_peer(self_.ranks, [&](int peer) { return lengths_(peer, self_.rank); });
  sent_bytes_ = std::accumulate(sent.begin(), sent.end(), std::size_t{0});
  if (lengths_.are_same())
    send_.arrange({std::ranges::max(sent)});
  else
    send_.arrange(sent);
  receive_.arrange(received);
  if (call_ == Call::alltoall) return;
  // The sides shift the types differently, so that the types of the two ends of a block differ.
  sending_ = arguments_of(sent, send_, 0);
  receiving_ = arguments_of(received, receive_, 1);
  if (call_ == Call::sparse_alltoallv) name_destinations();
}

void Exchange::name_destinations() {
  destinations_.clear();
  named_ = {};
  for (int peer = 0; peer < self_.ranks; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    if (sending_.counts[at] == 0) continue;
    destinations_.push_back(peer);
    named_.counts.push_back(sending_.counts[at]);
    named_.displs.push_back(sending_.displs[at]);
  }
}

/// All blocks that a rank sends from one place begin there.
Exchange::Arguments Exchange::arguments_of(const std::vector<std::size_t>& lengths,
                                           const GuardedBuffer& buffer, int type_shift) const {
  Arguments arguments;
  const bool has_types = call_ == Call::alltoallw || call_ == Call::neighbor_alltoallw;
  for (int peer = 0; peer < self_.ranks; ++peer) {
    const std::size_t bytes = lengths[static_cast<std::size_t>(peer)];
    const int variety = has_types ? self_.rank + peer + type_shift : 0;
    const auto [type, type_bytes] = types_.choose(bytes, variety);
    arguments.counts.push_back(static_cast<int>(bytes / type_bytes));
    arguments.displs.push_back(buffer.blocks() == 1 ? 0
                                                    : static_cast<int>(buffer.displacement(peer)));
    arguments.types.push_back(type);
  }
  return arguments;
}

void Exchange::fill(int iteration) {
  send_.poison();
  send_.fill([&](int peer) { return sent_block(iteration, peer); });
}

BlockName Exchange::sent_block(int iteration, int destination) const {
  return {seed_, iteration, self_.rank, destination};
}

void Exchange::make_plan(const Contender& contender) {
  Rondo_Plan plan = RONDO_PLAN_NULL;
  const MPI_Comm comm = contender.comm();
  contender.check(is_on_edges(call_) ? along_edges(kNeighborPlans, comm, MPI_INFO_NULL, &plan)
                                     : among_all(kPlans, comm, MPI_INFO_NULL, &plan));
  plans_.emplace(&contender, Plan::adopt(plan));
}

std::string Exchange::parameters(const Contender& contender) const {
  const auto plan = plans_.find(&contender);
  return contender.parameters(plan == plans_.end() ? std::string() : plan->second.algorithm());
}

void Exchange::run(const Contender& contender) {
  if (is_started_) {
    start(contender);
    return wait(contender);
  }
  if (!plans_.empty())
    if (const auto plan = plans_.find(&contender); plan != plans_.end())
      return contender.check(Rondo_Execute(plan->second.handle(), send_.data(), receive_.data()));
  call(contender);
}

void Exchange::call(const Contender& contender) {
  switch (call_) {
    case Call::alltoall:
    case Call::alltoallv:
    case Call::alltoallw:
      return contender.check(among_all(contender.library().calls, contender.comm()));
    case Call::alltoallv_dynamic:
      return run_dynamic(contender);
    case Call::sparse_alltoallv:
      return run_sparse(contender);
    case Call::neighbor_alltoall:
    case Call::neighbor_alltoallv:
    case Call::neighbor_alltoallw:
      return run_on_edges(contender);
    case Call::ialltoall:
    case Call::ialltoallv:
    case Call::ialltoallw:
      return;  // call_ is a blocking call
  }
}

/// What arrives is known to the buffer alone.
void Exchange::run_dynamic(const Contender& contender) {
  found_.counts.resize(sending_.counts.size());
  found_.displs.resize(sending_.counts.size());
  const Library& library = contender.library();
  if (library.dynamic != nullptr)
    return contender.check(
        library.dynamic(send_.data(), sending_.counts.data(), sending_.displs.data(), MPI_BYTE,
                        receive_.data(), static_cast<int>(receive_.span_bytes()),
                        found_.counts.data(), found_.displs.data(), MPI_BYTE, contender.comm()));
  contender.check(library.calls.alltoall(sending_.counts.data(), 1, MPI_INT, found_.counts.data(),
                                         1, MPI_INT, contender.comm()));
  std::exclusive_scan(found_.counts.begin(), found_.counts.end(), found_.displs.begin(), 0);
  contender.check(library.calls.alltoallv(
      send_.data(), sending_.counts.data(), sending_.displs.data(), MPI_BYTE, receive_.data(),
      found_.counts.data(), found_.displs.data(), MPI_BYTE, contender.comm()));
}

void Exchange::run_sparse(const Contender& contender) {
  if (contender.library().sparse == nullptr) return run_sparse_by_counts(contender);
  Rondo_Sources sources;
  contender.check(contender.library().sparse(
      send_.data(), static_cast<int>(destinations_.size()), destinations_.data(),
      named_.counts.data(), named_.displs.data(), MPI_BYTE, receive_.data(),
      static_cast<int>(receive_.span_bytes()), MPI_BYTE, &sources, contender.comm()));
}

void Exchange::run_sparse_by_counts(const Contender& contender) {
  constexpr int kTag = 1;
  found_.counts.resize(sending_.counts.size());
  contender.check(MPI_Alltoall(sending_.counts.data(), 1, MPI_INT, found_.counts.data(), 1, MPI_INT,
                               contender.comm()));
  requests_.clear();
  std::byte* to = receive_.data();
  for (int peer = 0; peer < self_.ranks; ++peer) {
    const int count = found_.counts[static_cast<std::size_t>(peer)];
    if (count == 0) continue;
    contender.check(
        MPI_Irecv(to, count, MPI_BYTE, peer, kTag, contender.comm(), &requests_.emplace_back()));
    to += count;
  }
  for (std::size_t i = 0; i < destinations_.size(); ++i)
    contender.check(MPI_Isend(send_.data() + named_.displs[i], named_.counts[i], MPI_BYTE,
                              destinations_[i], kTag, contender.comm(), &requests_.emplace_back()));
  contender.check(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

BlockName Exchange::received_block(int iteration, int source) const {
  return {seed_, iteration, source, lengths_.are_same() ? 0 : self_.rank};
}

std::uint64_t Exchange::wrong_bytes(int iteration) const {
  return send_.wrong_bytes([&](int peer) { return sent_block(iteration, peer); }) +
         receive_.wrong_bytes([&](int peer) { return received_block(iteration, peer); });
}

Mistake Exchange::first_mistake(int iteration) const {
  const auto received =
      receive_.first_wrong_byte([&](int peer) { return received_block(iteration, peer); });
  if (received) return {.iteration = iteration, .byte = *received};
  const auto sent = send_.first_wrong_byte([&](int peer) { return sent_block(iteration, peer); });
  return {.iteration = iteration, .is_sent = true, .byte = sent.value()};
}

}  // namespace rondo::bench
