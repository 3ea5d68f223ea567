#include "exchange/node.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include "exchange/context.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/owned_comm.hpp"
#include "node/cores.hpp"

namespace rondo::exchange {

namespace {

using node::Segment;

constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t kLineBytes = 64;

/// MPI libraries return at once from a probe that finds a message, which a rank of another node may
/// have sent early, and do nothing for progress then. No message has this tag.
constexpr int kNoMessagesTag = Context::kTags;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

/// The first local rank of a node makes the segment, the others open it, each reserves its own
/// part; `error` is what this rank found wrong.
class Opening {
 public:
  Opening(MPI_Comm node_comm, const NodeLayout& layout, int ranks)
      : comm_(node_comm), layout_(layout), self_(rank_of(node_comm)), ranks_(ranks) {}

  /// Collective over the node.
  Segment open(Segment::Kind kind) {
    Segment segment;
    if (self_ == 0) attempt([&] { segment = Segment::create(kind, layout_.end); });
    node::Ticket ticket = segment.ticket();
    check(PMPI_Bcast(&ticket, sizeof ticket, MPI_BYTE, 0, comm_), "MPI_Bcast");
    // Without bytes it is the ticket of a segment that could not be made.
    if (ticket.bytes == 0) return segment;
    attempt([&] {
      if (self_ != 0) segment = Segment::open(ticket);
      reserve_own_part(segment);
    });
    return segment;
  }

  const std::optional<Error>& error() const { return error_; }

  /// Run `body` unless something was wrong before, and remember what is wrong now.
  template <class Body>
  void attempt(Body&& body) {
    if (error_) return;
    try {
      body();
    } catch (const Error& error) {
      error_ = error;
    } catch (const std::bad_alloc&) {
      error_ = Error(ErrorClass::no_memory, "out of memory");
    }
  }

 private:
  void reserve_own_part(Segment& segment) const {
    const auto self = static_cast<std::size_t>(self_);
    const auto ranks = static_cast<std::size_t>(ranks_);
    if (self_ == 0) segment.reserve(0, layout_.areas);
    segment.reserve(layout_.areas + self * layout_.area, layout_.area);
    const std::size_t landing = layout_.end - layout_.landing;
    const std::size_t begin = landing * self / ranks;
    const std::size_t end = landing * (self + 1) / ranks;
    if (begin != end) segment.reserve(layout_.landing + begin, end - begin);
  }

  MPI_Comm comm_;
  const NodeLayout& layout_;
  int self_;
  int ranks_;
  std::optional<Error> error_;
};

/// What one rank that failed says, told to all; nothing if none did.
std::optional<std::string> tell_failure(MPI_Comm comm, const std::optional<Error>& error) {
  int ranks = 0;
  check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const int rank = rank_of(comm);
  int first = error ? rank : ranks;
  check(PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == ranks) return std::nullopt;
  std::array<char, 256> words{};
  if (first == rank) std::string(error->what()).copy(words.data(), words.size() - 1);
  check(PMPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_CHAR, first, comm),
        "MPI_Bcast");
  return text("rank ", first, ": ", words.data());
}

/// Cores that the ranks of the node may use together. Ranks in other communicators use cores too.
int cores_of(MPI_Comm node_comm) {
  node::CoreSet cores = node::usable_cores();
  int ranks = 0;
  check(PMPI_Comm_size(node_comm, &ranks), "MPI_Comm_size");
  int quota = std::min(node::core_quota(), node::share_of_machine(ranks));
  check(PMPI_Allreduce(MPI_IN_PLACE, cores.bits.data(), static_cast<int>(cores.bits.size()),
                       MPI_UINT64_T, MPI_BOR, node_comm),
        "MPI_Allreduce");
  check(PMPI_Allreduce(MPI_IN_PLACE, &quota, 1, MPI_INT, MPI_MIN, node_comm), "MPI_Allreduce");
  return std::min(cores.count(), quota);
}

}  // namespace

NodeLayout::NodeLayout(const schedule::NodeMap& map, int node, std::size_t slot_bytes) {
  const auto all_ranks = static_cast<std::size_t>(map.ranks());
  const auto ranks = static_cast<std::size_t>(map.size(node));
  const bool has_others = map.nodes() > 1;
  // Offsets in slots and in messages between nodes are 32 bits wide.
  const std::size_t longest_slot = UINT32_MAX / static_cast<std::size_t>(map.largest_size());
  limit = std::min({slot_bytes / all_ranks, longest_slot / all_ranks, kLongestBlock}) /
          kShortestLimit * kShortestLimit;
  slot = round_up(all_ranks * limit, kLineBytes);
  const std::size_t tables = (2 * all_ranks + 1) * sizeof(std::uint32_t);
  row = has_others ? round_up(sizeof(RowHead) + tables, kLineBytes) : 0;
  cells = Segment::kCookieBytes;
  landed = cells + node::Arrival::cells(ranks) * sizeof(node::Cell);
  offsets = landed + (has_others ? all_ranks * kLineBytes : 0);
  const std::size_t table = has_others ? all_ranks * ranks * sizeof(std::uint32_t) : 0;
  areas = round_up(offsets + table, kPageBytes);
  area = round_up(node::Arrival::kParities * (row + slot), kPageBytes);
  landing = areas + ranks * area;
  region = has_others ? ranks * limit + kLineBytes : 0;
  end = landing + round_up(all_ranks * region, kPageBytes);
}

bool Node::is_built() {
  return true;
}

std::unique_ptr<Node> Node::make(MPI_Comm comm, const schedule::NodeMap& map,
                                 std::size_t slot_bytes, std::string& why) {
  const int own = map.node_of(rank_of(comm));
  const NodeLayout layout(map, own, slot_bytes);
  if (layout.limit == 0) {
    why = text("RONDO_SLOT_BYTES=", slot_bytes, " is less than ", NodeLayout::kShortestLimit,
               " bytes for each of ", map.ranks(), " ranks");
    return nullptr;
  }
  OwnedComm node_comm;
  check(PMPI_Comm_split(comm, own, map.local_of(rank_of(comm)), &node_comm.handle),
        "MPI_Comm_split");
  const int cores = cores_of(node_comm.handle);
  for (const auto kind : {Segment::Kind::descriptor, Segment::Kind::name}) {
    Opening opening(node_comm.handle, layout, map.size(own));
    Segment segment = opening.open(kind);
    std::unique_ptr<Node> node;
    opening.attempt([&] { node.reset(new Node(comm, map, layout, std::move(segment), cores)); });
    const auto failure = tell_failure(comm, opening.error());
    if (node) node->segment_.seal();
    if (!failure) return node;
    why = *failure;
  }
  return nullptr;
}

Node::Node(MPI_Comm comm, const schedule::NodeMap& map, const NodeLayout& layout, Segment segment,
           int cores)
    : comm_(comm),
      ranks_(map.size(map.node_of(rank_of(comm)))),
      all_ranks_(map.ranks()),
      self_(map.local_of(rank_of(comm))),
      layout_(layout),
      segment_(std::move(segment)),
      arrival_(reinterpret_cast<node::Cell*>(segment_.at(layout.cells)), ranks_, self_),
      waiter_(ranks_, cores) {}

void Node::pause() {
  waiter_.pause(has_messages_, [&] {
    int is_there = 0;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, kNoMessagesTag, comm_, &is_there, MPI_STATUS_IGNORE),
          "MPI_Iprobe");
  });
}

void Node::wait_for_landing(int position) {
  const Landed& flag = landed(position);
  while (flag.epoch.load(std::memory_order_acquire) < arrival_.epoch()) pause();
}

}  // namespace rondo::exchange
