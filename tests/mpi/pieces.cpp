// Messages that travel in pieces, as MPI counts in int: here of 64 KiB instead of 1 GiB. Between
// nodes only the sender knows how long a message is, and so of how many pieces, where its receiver
// expects another length. The algorithms are called below the C interface, which has no such limit.
#include <sched.h>

#include <array>

#include "engines/context.hpp"
#include "engines/pattern.hpp"
#include "mpi/transport.hpp"
#include "support/added_test.hpp"
#include "support/placement.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace pieces_test {

using namespace rondo::testing;
namespace engines = rondo::engines;
namespace choice = rondo::choice;
namespace registry = rondo::registry;

engines::Limits limits(std::size_t long_in_flight) {
  return {.padding_bytes = 1 << 20,
          .memory = {.slot_bytes = 4 << 20, .total_bytes = SIZE_MAX},
          .longest_message = 64 << 10,
          .long_in_flight = long_in_flight};
}

struct AlgorithmRow {
  registry::Collective collective;
  std::string algorithm;

  std::string name() const { return rondo::text(registry::to_string(collective), ", ", algorithm); }
};

using enum registry::Collective;

const AlgorithmRow kAlgorithms[] = {
    {alltoallv, "node_aware:threshold=65536:inter=direct"},
    {alltoallv, "node_aware:threshold=65536:inter=direct:parts=2"},
    {alltoallv, "node_aware:threshold=65536:inter=bruck"},
    {alltoallv, "node_aware:threshold=16:inter=direct"},
    {alltoallv, "fused_bruck:threshold=1000000000"},
    {alltoallv, "fused_bruck:threshold=1000"},
    {alltoallv, "two_phase_bruck:threshold=1000"},
    {alltoallv, "spread_out"},
    {neighbor_alltoallv, "node_aware:threshold=65536"},
    {neighbor_alltoallv, "node_aware:threshold=16"},
};

/// Bytes of a block: messages of one piece, a whole one or a byte more, many, and of blocks that go
/// from rank to rank. Along edges the header is shorter, and each block is preceded by its length.
using BlockLengths = std::array<std::size_t, 7>;
constexpr BlockLengths kLengths = {0, 100, 32'752, 32'753, 65'504, 65'505, 300'000};
constexpr BlockLengths kLengthsOnEdges = {0, 100, 32'752, 32'753, 65'508, 65'509, 300'000};

/// Blocks of one length, but for the one from the first rank to the last.
struct Lengths {
  std::size_t all;
  std::size_t sent;
  std::size_t expected;
};

class Blocks : NonCopyable {
 public:
  Blocks(const Lengths& lengths, int salt, int rank, int ranks) {
    for (int peer = 0; peer < ranks; ++peer) {
      const bool is_sent = rank == 0 && peer == ranks - 1;
      const bool is_received = rank == ranks - 1 && peer == 0;
      sent_.push_back(bytes(is_sent ? lengths.sent : lengths.all, hash(salt, rank, peer)));
      expected_.push_back(
          bytes(is_received ? lengths.expected : lengths.all, hash(salt, peer, rank)));
      received_.emplace_back(expected_.back().size());
    }
    for (std::size_t peer = 0; peer < sent_.size(); ++peer) {
      send_.push_back({sent_[peer].data(), sent_[peer].size()});
      receive_.push_back({received_[peer].data(), received_[peer].size()});
    }
  }

  rondo::Blocks blocks() { return {.send = std::span(send_), .receive = std::span(receive_)}; }
  bool are_right() const { return received_ == expected_; }

 private:
  static std::vector<std::byte> bytes(std::size_t count, std::uint64_t seed) {
    std::vector<std::byte> filled(count);
    for (std::size_t i = 0; i < count; ++i)
      filled[i] = static_cast<std::byte>((seed >> (i % 8)) + i / 4096);
    return filled;
  }

  std::vector<std::vector<std::byte>> sent_;
  std::vector<std::vector<std::byte>> expected_;
  std::vector<std::vector<std::byte>> received_;
  std::vector<rondo::ConstBlock> send_;
  std::vector<rondo::Block> receive_;
};

class Exchanges {
 public:
  Exchanges(MPI_Comm comm, const rondo::schedule::NodeMap& map, const AlgorithmRow& algorithm,
            const engines::Limits& limits)
      : context_(std::make_shared<rondo::mpi::Transport>(comm), map, limits, 0),
        choice_(choice::resolve(choice::parse(algorithm.collective, algorithm.algorithm),
                                context_.layout())),
        node_(map.node_of(context_.rank)),
        last_node_(map.node_of(context_.ranks - 1)) {
    if (algorithm.collective == neighbor_alltoallv) add_edges();
  }

  void run(const Lengths& lengths, Row& row) {
    context_.begin_exchange();
    Blocks blocks(lengths, ++salt_, context_.rank, context_.ranks);
    engines::Call call{
        .context = context_, .choice = choice_, .pattern = pattern_ ? &*pattern_ : nullptr};
    engines::run(call, blocks.blocks());
    const bool is_right = lengths.sent == lengths.expected;
    row.expect(!call.failure, "a failure was reported that nobody had");
    if (is_right)
      row.expect(!call.mismatch && blocks.are_right(), lengths.all,
                 " bytes: ", call.mismatch ? call.mismatch->what() : "moved wrong data");
    else if (context_.rank == context_.ranks - 1)
      row.expect(call.mismatch.has_value(), lengths.sent, " of ", lengths.expected,
                 " bytes: not noticed");
    else if (node_ != last_node_)
      row.expect(!call.mismatch, "an error where nobody can know of it");
  }

  bool has_node() { return context_.node() != nullptr; }

 private:
  /// From every rank to every other.
  void add_edges() {
    std::vector<engines::Partner> others;
    for (int rank = 0; rank < context_.ranks; ++rank)
      if (rank != context_.rank) others.push_back({.rank = rank, .bytes = 0});
    pattern_.emplace(context_, others, others);
  }

  engines::Context context_;
  choice::Choice choice_;
  std::optional<engines::Pattern> pattern_;
  int node_;
  int last_node_;
  int salt_ = 0;
};

void run_algorithm(const Placement& placement, const AlgorithmRow& algorithm,
                   std::size_t long_in_flight, Row& row) {
  const TestComm comm;
  const int ranks = ranks_of(comm);
  Exchanges exchanges(comm, rondo::schedule::NodeMap(nodes_of(placement, ranks)), algorithm,
                      limits(long_in_flight));
  const bool needs_node = algorithm.algorithm.starts_with("node_aware");
  if (needs_node && !exchanges.has_node()) return row.skip("no shared memory");
  const BlockLengths& lengths =
      algorithm.collective == neighbor_alltoallv ? kLengthsOnEdges : kLengths;
  for (const std::size_t all : lengths) exchanges.run({all, all, all}, row);
  if (!needs_node && !algorithm.algorithm.starts_with("fused_bruck")) return;  // cannot notice
  for (const std::size_t sent : lengths)
    for (const std::size_t expected : lengths) {
      if (sent != expected) exchanges.run({40'000, sent, expected}, row);
      if (sent != expected) exchanges.run({40'000, expected, expected}, row);
    }
}

/// While it lives, all ranks share one core if they may, so that one writes as much as it can before the other reads.
class OnOneCore : NonCopyable {
 public:
  explicit OnOneCore(MPI_Comm comm) {
    sched_getaffinity(0, sizeof before_, &before_);
    int first = 0;
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &before_)) ++first;
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnOneCore() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

/// A pipe of this length has no power of two: what grows into it may skip twice.
constexpr std::size_t kOddPipe = 78'592;

/// With two ranks. Exchanges until all of a pipe is used, which is after at most 128 times its length.
struct PipeRow {
  const char* name;
  std::size_t pipe;
  std::size_t least;  ///< bytes of a block
  std::size_t range;
  std::size_t all;  ///< bytes
};
const PipeRow kPipes[] = {
    {"to 512 KiB", 512 << 10, 4'096, 400'000, 40 << 20},
    {"to no power of two", kOddPipe, 100'000, 1, 9 << 20},
    {"to no power of two, any lengths", kOddPipe, 4'096, 200'000, 12 << 20},
};

void run_growing_pipe(const PipeRow& pipe, std::uint64_t seed, Row& row) {
  const TestComm comm;
  if (!engines::Node::has_core_for_each(2)) return row.skip("ranks share cores");
  engines::Limits of_pipes = limits(1);
  of_pipes.memory = {
      .slot_bytes = 2 * pipe.pipe, .total_bytes = SIZE_MAX, .pulls = engines::Node::Pulls::never};
  Exchanges exchanges(comm, rondo::schedule::NodeMap(std::vector<int>{0, 0}),
                      {alltoallv, "node_aware:threshold=16"}, of_pipes);
  if (!exchanges.has_node()) return row.skip("no shared memory");
  const OnOneCore on_one_core(comm);
  std::size_t sum = 0;
  for (std::uint64_t i = 0; sum < pipe.all; ++i) {
    const std::size_t all = pipe.least + hash(seed, i) % pipe.range;
    const bool is_wrong = pipe.range != 1 && i % 11 == 10;
    exchanges.run({all, all, is_wrong ? all - 1 : all}, row);
    sum += all;
  }
}

void run_test(Runner& runner) {
  if (runner.ranks() == 2)
    for (const PipeRow& pipe : kPipes)
      runner.run(rondo::text("a pipe grows ", pipe.name), run_growing_pipe, pipe,
                 runner.options().seed);
  for (const Placement& placement : placements(runner.ranks()))
    for (const AlgorithmRow& algorithm : kAlgorithms)
      for (const std::size_t long_in_flight : {1, 2, 32}) {
        // Along edges long blocks go as in alltoallv.
        if (algorithm.collective == neighbor_alltoallv && long_in_flight != 1) continue;
        runner.run_drawn(3,
                         rondo::text(algorithm.name(), ", ranks ", placement.name, ", ",
                                     long_in_flight, " long blocks in flight"),
                         run_algorithm, placement, algorithm, long_in_flight);
      }
}

const AddedTest added({.name = "pieces", .run = run_test});

}  // namespace pieces_test
