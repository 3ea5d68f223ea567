#include "engines/node/node.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engines/context.hpp"
#include "engines/node/opening.hpp"
#include "segment/segment.hpp"
#include "segment/topology.hpp"
#include "transport/outstanding.hpp"

namespace rondo::engines {

namespace {

/// Of a pipe. A call of the kernel for each would take longer than it saves.
constexpr std::size_t kMappedAtOnce = std::size_t{256} << 10;

/// A rank of a fiber's process lets messages go on at every so many looks.
constexpr unsigned kLooksPerProgress = 16;

/// What it costs to wait for another rank once more: the way of a cache line, or where ranks share cores, the
/// switches to all of them, which the blocks of an exchange share. Measured on one machine, between cores that do not
/// share a cache. They decide only where two ways are about as fast.
constexpr float kFlagNanoseconds = 300;
constexpr float kSwitchNanoseconds = 2500;

/// The bytes of shared memory that this process has reserved on all communicators.
std::atomic<std::size_t> g_reserved{0};

/// Returns a rank's share of its node's segment, in bytes.
std::size_t share_of(const NodeLayout& layout, int ranks) {
  return layout.end / static_cast<std::size_t>(ranks);
}

/// Returns the length of the longest slot, at most `slot_bytes`, that all ranks can have. A
/// communicator takes at most a quarter of what is left, so that later communicators have some too.
std::size_t common_slot_bytes(const transport::Tagged& tagged, const schedule::NodeMap& map,
                              std::size_t slot_bytes, std::size_t memory_bytes) {
  const int own = map.node_of(tagged.rank());
  const std::size_t reserved = g_reserved;
  const std::size_t most = memory_bytes > reserved ? (memory_bytes - reserved) / 4 : 0;
  std::uint64_t fitting = slot_bytes;
  const auto fits = [&] {
    const NodeLayout layout(map, own, fitting);
    return layout.limit == 0 || share_of(layout, map.size(own)) <= most;
  };
  while (!fits()) fitting /= 2;
  return transport::least_of_all(tagged, fitting);
}

/// The reason shared memory is unavailable.
std::string too_little(const Node::Memory& memory, int ranks) {
  return text("RONDO_SLOT_BYTES=", memory.slot_bytes,
              " and what is left of RONDO_MEMORY=", memory.total_bytes, " leave less than ",
              NodeLayout::kShortestLimit, " bytes for each of ", ranks,
              " ranks; raise these limits");
}

/// The error of a rank, or none if the rank is past the last.
struct RankError {
  int rank;
  std::array<char, 256> words;
};

/// Collective. Returns whether any rank has failed. Then `why` becomes the error text of the lowest such rank, if this
/// rank has memory for it.
bool any_has_failed(const transport::Tagged& tagged, const std::optional<Error>& error,
                    std::string& why) {
  RankError own{.rank = error ? tagged.rank() : tagged.ranks(), .words = {}};
  if (error) std::string_view(error->what()).copy(own.words.data(), own.words.size() - 1);
  const RankError first = transport::least_of_all(tagged, own, &RankError::rank);
  if (first.rank == tagged.ranks()) return false;
  failure_of([&] { why = text("rank ", first.rank, ": ", first.words.data()); });
  return true;
}

/// What a rank can do once all ranks of its node have opened the segment. All ranks do what the last one can.
enum class Ability {
  nothing,       ///< it has no memory for the rest
  shares,        ///< shares the segment
  reads_others,  ///< also reads the memory of its neighbours
};

Ability ability_of(const std::optional<Error>& error, const Opening::Neighbours& found) {
  if (error) return Ability::nothing;
  return found.processes.empty() ? Ability::shares : Ability::reads_others;
}

}  // namespace

bool Node::is_built() {
  return true;
}

int Node::read_machine() {
  segment::place_here(segment::usable_cores());
  segment::share_of_machine(1);
  return segment::launched_ranks();
}

bool Node::has_core_for_each(int ranks) {
  return ranks <= segment::launched_ranks() && segment::share_of_machine(1) > 0;
}

std::unique_ptr<Node> Node::make(const transport::Tagged& tagged, const schedule::NodeMap& map,
                                 const Memory& memory, std::string& why) {
  const int own = map.node_of(tagged.rank());
  const std::size_t slot_bytes =
      common_slot_bytes(tagged, map, memory.slot_bytes, memory.total_bytes);
  const NodeLayout layout(map, own, slot_bytes);
  if (layout.limit == 0) {
    failure_of([&] { why = too_little(memory, map.ranks()); });
    return nullptr;
  }
  for (const auto kind : {segment::Segment::Kind::descriptor, segment::Segment::Kind::name}) {
    Opening opening(tagged, map, layout);
    segment::Segment segment = opening.open(kind);
    std::unique_ptr<Node> node;
    opening.attempt([&] { node.reset(new Node(tagged, map, layout, std::move(segment))); });
    const bool has_failed = any_has_failed(tagged, opening.error(), why);
    if (node) node->segment_.seal();
    if (has_failed) continue;
    Opening::Neighbours found;
    opening.attempt(
        [&] { found = opening.neighbours(node->segment_, memory.pulls != Pulls::never); });
    const Ability ability = transport::least_of_all(tagged, ability_of(opening.error(), found));
    if (ability == Ability::nothing) {
      any_has_failed(tagged, opening.error(), why);
      return nullptr;
    }
    node->others_ = std::move(found.order);
    if (ability == Ability::reads_others) node->processes_ = std::move(found.processes);
    const int cores = opening.cores(node->segment_);
    node->waiter_ = tagged.transport.sleeps() ? segment::Waiter::that_sleeps(node->ranks_, cores)
                                              : segment::Waiter(node->ranks_, cores);
    transport::g_cores_per_rank.store(cores / node->ranks_, std::memory_order_relaxed);
    node->map_for_short_blocks();
    node->choose_ways(std::move(found.distances), memory.pulls, cores);
    return node;
  }
  return nullptr;
}

Node::Node(const transport::Tagged& tagged, const schedule::NodeMap& map, const NodeLayout& layout,
           segment::Segment segment)
    : transport_(tagged.transport),
      ranks_(map.size(map.node_of(tagged.rank()))),
      all_ranks_(map.ranks()),
      self_(map.local_of(tagged.rank())),
      layout_(layout),
      limit_inside_(layout.limit),
      segment_(std::move(segment)),
      arrival_(reinterpret_cast<segment::Cell*>(segment_.at(layout.cells)), ranks_, self_),
      receipts_(segment_.at(layout.receipts), ranks_, self_),
      waiter_(ranks_, 1),
      counted_(index(ranks_)),
      not_taken_(index(ranks_)),
      mapped_(2 * index(ranks_)) {
  g_reserved += share_of(layout_, ranks_);
}

/// Otherwise the first exchanges would be interrupted for each page, and look slower than those that follow.
void Node::map_for_short_blocks() const {
  segment_.populate(0, layout_.areas, true);
  for (int local = 0; local < ranks_; ++local)
    for (std::size_t parity = 0; parity < segment::Arrival::kParities; ++parity)
      segment_.populate(layout_.slot_of(index(local), parity), layout_.mapped_of_slot(),
                        local == self_);
}

/// Takes no memory: the other ranks no longer wait for this one to get some.
void Node::choose_ways(std::vector<segment::Distance> distances, Pulls pulls, int cores) {
  if (copies_long()) limit_inside_ = std::min(layout_.limit, segment::Times::kShortest);
  pipe_bytes_ = layout_.pipe;
  if (ranks_ > cores) {
    pieces_at_a_time_ = std::numeric_limits<int>::max();
    // Together they have the caches of their cores, and find there what others have written, if it does not move
    // on from exchange to exchange. So blocks begin in either half of a pipe alternately. Each has room for a piece.
    const std::size_t share = layout_.pipe * index(cores) / index(ranks_);
    block_unit_ =
        std::max(share / 2 / NodeLayout::kLineBytes * NodeLayout::kLineBytes, layout_.piece);
    pipe_bytes_ = 2 * block_unit_;
  } else if (pipe_bytes_ > kFirstPipe) {
    whole_pipe_from_ = kUses * std::bit_ceil(pipe_bytes_);
  }
  const bool must_pull = pulls == Pulls::always && can_pull();
  const std::span times(reinterpret_cast<segment::Times*>(segment_.at(layout_.times)),
                        index(ranks_));
  ways_.emplace(
      times, self_, std::move(distances),
      segment::Ways::Setting{
          .can_pull = can_pull(),
          .pipe_bytes = has_pipes() && !must_pull ? pipe_bytes_ : 0,
          .wait_nanoseconds =
              ranks_ <= cores ? kFlagNanoseconds : kSwitchNanoseconds / static_cast<float>(cores),
          .shares_cores = ranks_ > cores});
  ways_->recall();
}

/// A rank has a pipe for every other rank of its node. The kernel maps the pages of a few pieces at once, since a
/// block would otherwise wait for each, and no more, since blocks that are pulled need none.
std::byte* Node::pipe(int source, int reader, std::uint64_t count, std::size_t bytes) {
  const int number = reader < source ? reader : reader - 1;
  const std::size_t offset =
      layout_.areas + index(source) * layout_.area + layout_.pipes + index(number) * layout_.pipe;
  const bool writes = source == self_;
  const std::size_t used = pipe_bytes(count);
  const std::size_t begin = count % used;
  std::size_t& mapped = mapped_[index(writes ? reader : ranks_ + source)];
  if (begin + bytes > mapped) [[unlikely]] {
    const std::size_t end = std::min(round_up(begin + bytes, kMappedAtOnce), used);
    segment_.populate(offset + mapped, end - mapped, writes);
    mapped = end;
  }
  return segment_.at(offset + begin);
}

Node::~Node() {
  if (ways_) ways_->remember();
  g_reserved -= share_of(layout_, ranks_);
}

void Node::pause() {
  if (transport::has_outstanding()) [[unlikely]]
    return pause_beside();
  waiter_.pause(has_messages_, [&] { transport_.progress(); });
}

/// Waits a moment in which nonblocking exchanges go on, this one's fiber among them.
void Node::pause_beside() {
  if (Fiber::is_running()) {
    Fiber::yield();
    if (has_messages_ || ++looks_ % kLooksPerProgress == 0) transport_.progress();
    return;
  }
  transport::advance_outstanding();
  waiter_.pause(has_messages_, [&] { transport_.progress(); });
}

void Node::pause_for_cell(int local) {
  arrival_.wait_for(local, [&] { pause(); });
}

bool Node::pull(int local, std::uint64_t address, const Block& place, std::size_t block_bytes) {
  bool is_read = false;
  ways_->timed(segment::Times::pull, local, block_bytes, place.bytes, [&] {
    is_read = segment::read_memory(processes_[index(local)], address, place.data, place.bytes);
  });
  if (!is_read) ways_->rule_out_pulls(local, block_bytes);
  return is_read;
}

void Node::wait_for_landing(int position) {
  const Landed& flag = landed(position);
  while (flag.epoch.load(std::memory_order_acquire) < arrival_.epoch()) pause();
}

}  // namespace rondo::engines
