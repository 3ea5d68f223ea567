// From the second call on Rondo allocates nothing if totals do not grow, and fused_bruck holds no more
// than its file's header states. The algorithms that make MPI datatypes, and the MPI library's own,
// are left out.
#include <rondo/rondo.h>

#include <algorithm>

#include "choice/choice.hpp"
#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/byte_blocks.hpp"
#include "support/counted_new.hpp"
#include "support/distribution.hpp"
#include "support/dynamic.hpp"
#include "support/neighbor.hpp"
#include "support/random.hpp"
#include "support/small.hpp"
#include "support/topologies.hpp"

namespace allocations_test {

using namespace rondo::testing;

constexpr int kCalls = 10;
constexpr int kCount = 40;

struct Way {
  Collective collective;
  std::string algorithm;
  bool is_packed;
  bool is_plan;
};

/// Sets the counts of one call: a quarter as many elements of a packed type; later calls may be
/// smaller.
void set_counts(SmallExchange& small, const Way& way, int less) {
  const int per = way.is_packed ? 4 : 1;
  for (std::size_t peer = 0; peer < small.counts.size(); ++peer) {
    small.counts[peer] = kCount / per - less;
    small.displacements[peer] = static_cast<int>(peer) * kCount / per;
  }
}

/// A call that must succeed and, unless it is the first, allocate nothing.
template <class Call>
void run_call(int number, Row& row, Call&& call) {
  int code = MPI_SUCCESS;
  const std::size_t made = counted_new::allocations_of([&] { code = call(); });
  row.expect_success(code, "the call");
  row.expect(number == 1 || made == 0, "call ", number, " made ", made, " allocations");
}

void run_calls(const Way& way, SmallExchange& small, MPI_Comm comm, Row& row) {
  for (int call = 1; call <= kCalls; ++call) {
    set_counts(small, way, call % 2 == 0 ? 0 : std::min(call - 1, 4));
    run_call(call, row, [&] { return small.call(way.collective, comm); });
  }
}

/// A dynamic exchange with every rank, or a sparse one with the next ranks, the farthest first; into the caller's
/// buffer, or into Rondo's memory.
void run_without_counts(Kind kind, const std::string& algorithm, bool is_own, Row& row) {
  const TestComm comm;
  set_algorithm(comm, collective_of(kind), algorithm.c_str(), row);
  SmallExchange small(comm, kind == Kind::dense ? kCount : 2 * kCount);
  AnyArguments arguments{.send = small.send(Collective::alltoallv),
                         .receive = small.receive(Collective::alltoallv)};
  std::vector<int> counts(small.counts.size()), displacements(counts.size()), destinations;
  for (int distance = std::min(3, ranks_of(comm)); distance > 0; --distance)
    destinations.push_back((rank_of(comm) + distance) % ranks_of(comm));
  Rondo_Sources sources{};
  arguments.receive.counts = counts.data();
  arguments.receive.displacements = displacements.data();
  arguments.capacity = static_cast<int>(small.received.size());
  arguments.destination_count = static_cast<int>(destinations.size());
  arguments.destinations = destinations.data();
  arguments.sources = &sources;
  const Way way{Collective::alltoallv, algorithm, false, false};
  for (int call = 1; call <= kCalls; ++call) {
    if (kind == Kind::dense) set_counts(small, way, call % 2 == 0 ? 0 : std::min(call - 1, 4));
    void* own = nullptr;
    run_call(call, row, [&] {
      return is_own ? call_dynamic_alloc(kind, arguments, nullptr, nullptr, &own, comm)
                    : call_dynamic(kind, arguments, comm);
    });
  }
}

/// From every rank to the next three, and two edges to the first of them.
void run_neighbor(const std::string& algorithm, bool is_plan, Row& row) {
  const TestComm comm(new_graph(
      [](int source, int destination) {
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        const int distance = (destination - source + ranks) % ranks;
        return distance == 1 ? 2 : distance < 4 ? 1 : 0;
      },
      1));
  if (Rondo_Comm_set_algorithm(comm, "neighbor_alltoallv", algorithm.c_str()) != MPI_SUCCESS)
    return row.expect(false, Rondo_Get_last_error());
  const TopologyOfAll all(comm);
  NeighborExchange exchange(comm, all, {.longest = kCount, .is_even = true});
  exchange.fill(0);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  if (is_plan) row.expect_success(exchange.make_plan(&plan), "making the plan");
  for (int call = 1; call <= kCalls; ++call)
    run_call(call, row, [&] {
      return is_plan ? Rondo_Execute(plan, exchange.send.buffer, exchange.receive.buffer)
                     : exchange.call();
    });
  row.expect(exchange.is_right(), "the last exchange is wrong");
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
}

void run_plan(const Way& way, SmallExchange& small, MPI_Comm comm, Row& row) {
  set_counts(small, way, 0);
  const Plan plan = small.plan(way.collective, comm, row);
  for (int call = 1; call <= kCalls; ++call)
    run_call(call, row,
             [&] { return Rondo_Execute(plan, small.sent.data(), small.received.data()); });
}

void run_way(const Way& way, Row& row) {
  const TestComm comm;
  const Type packed = Type::packed_ints();
  const std::size_t made =
      counted_new::allocations_of([&] { set_algorithm(comm, way.collective, way.algorithm, row); });
  row.expect(
      made > 0,
      "making the state allocated nothing: this test does not see the library's operator new");
  SmallExchange small(comm, kCount, way.is_packed ? packed : MPI_INT);
  if (way.is_plan)
    run_plan(way, small, comm, row);
  else
    run_calls(way, small, comm, row);
}

/// ---- The bound on fused_bruck's scratch, for one rank, from the header of
/// src/engines/bruck/fused.cpp: keep the two together.
class FusedBound {
 public:
  FusedBound(const rondo::schedule::Schedule& schedule, int own_rank,
             const std::function<std::size_t(Pair)>& block_bytes)
      : schedule_(schedule), rank_(own_rank), bytes_(block_bytes) {}

  std::size_t bytes(int ports) const {
    std::size_t first = 0;
    for (const auto& round : schedule_.rounds())
      first += std::max<std::size_t>(4000, header(round));
    std::size_t batch = 0;
    std::size_t under_way = 0;
    schedule_.for_each_batch(ports, [&](auto rounds) {
      std::size_t leaving = 0;
      std::size_t arriving = 0;
      for (const auto& round : rounds) {
        leaving += header(round) + moved(round, rank_);
        arriving += moved(round, source(round));
      }
      batch = std::max(batch, leaving);
      under_way += arriving;  // at most: nothing has been delivered
    });
    const auto ranks = static_cast<std::size_t>(schedule_.ranks());
    return first + batch + 2 * under_way + 16 * ranks;
  }

 private:
  using Round = rondo::schedule::Round;

  static std::size_t header(const Round& round) {
    return 24 + 8 * static_cast<std::size_t>(round.blocks.size());
  }
  int source(const Round& round) const {
    return (rank_ - round.hop + schedule_.ranks()) % schedule_.ranks();
  }
  /// Bytes that `at` sends in a round: block i of the round has come from at - (i's lower digits).
  std::size_t moved(const Round& round, int at) const {
    const int ranks = schedule_.ranks();
    std::size_t sum = 0;
    round.blocks.for_each([&](int distance) {
      const int travelled = distance % round.blocks.run;
      const int origin = (at - travelled + ranks) % ranks;
      sum += bytes_({origin, (origin + distance) % ranks, ranks});
    });
    return sum;
  }

  const rondo::schedule::Schedule& schedule_;
  int rank_;
  std::function<std::size_t(Pair)> bytes_;
};

/// What the C interface holds for any algorithm: two tables of pointers and lengths by rank, the bound
/// arguments, and what vectors and allocators add.
std::size_t interface_bytes(int ranks) {
  return 256 * static_cast<std::size_t>(ranks) + 16384;
}

void run_scratch(const char* algorithm, std::size_t largest, Runner& runner, Row& row) {
  const TestComm comm;
  const int ranks = runner.ranks();
  const std::uint64_t seed = runner.options().seed;
  const auto block_bytes = [&](Pair pair) {
    const std::uint64_t draw = hash(seed, pair.source, pair.destination);
    return draw % 7 == 0 ? largest : draw % (largest / 50 + 1);
  };
  const ByteBlocks out(ranks, 0, [&](int peer) {
    return block_bytes({runner.rank(), peer, ranks});
  });
  const ByteBlocks in(ranks, 0, [&](int peer) {
    return block_bytes({peer, runner.rank(), ranks});
  });
  std::vector<std::byte> sent(out.bytes);
  std::vector<std::byte> received(in.bytes);
  set_algorithm(comm, Collective::alltoallv, algorithm, row);
  counted_new::reset_peak();
  const std::size_t before = counted_new::live_bytes();
  const int code = exchange(Collective::alltoallv, out.arguments(sent.data()),
                            in.arguments(received.data()), comm);
  const std::size_t held = counted_new::peak_bytes() - before;
  row.expect_success(code, "Rondo_Alltoallv");
  const rondo::choice::Layout layout{.ranks = ranks, .nodes = 1, .per_node = ranks};
  const auto choice = rondo::choice::resolve(
      rondo::choice::parse(rondo::registry::Collective::alltoallv, algorithm), layout);
  const auto schedule = rondo::choice::schedule_of(choice, layout);
  const std::size_t bound = FusedBound(schedule, runner.rank(), block_bytes)
                                .bytes(choice.value(rondo::registry::Key::ports, 1));
  // Buffers grow by half.
  const std::size_t allowed = bound * 3 / 2 + interface_bytes(ranks);
  row.expect(held <= allowed, "holds ", held, " bytes, more than ", allowed, "; bound ", bound);
}

void run_test(Runner& runner) {
  for (const Collective collective : kCollectives)
    for (const std::string& algorithm : registered(collective, true))
      for (const bool is_packed : {false, true})
        for (const bool is_plan : {false, true}) {
          if (uses_datatypes(algorithm)) continue;
          const Way way{collective, algorithm, is_packed, is_plan};
          runner.run(rondo::text(name_of(collective), " ", algorithm, is_packed ? " packed" : "",
                                 is_plan ? " plan" : ""),
                     run_way, way);
        }
  for (const Kind kind : {Kind::dense, Kind::sparse})
    for (const std::string& algorithm :
         kind == Kind::dense ? registered(Collective::alltoallv, true) : sparse_algorithms())
      for (const bool is_own : {false, true})
        runner.run(rondo::text(kind == Kind::dense ? "dynamic " : "sparse ", algorithm,
                               is_own ? " in Rondo's memory" : ""),
                   run_without_counts, kind, algorithm, is_own);
  for (const char* algorithm : {"node_aware", "spread_out"})
    for (const bool is_plan : {false, true})
      runner.run(rondo::text("neighbor ", algorithm, is_plan ? " plan" : ""), run_neighbor,
                 algorithm, is_plan);
  for (const char* algorithm : {"fused_bruck", "fused_bruck:radix=2", "fused_bruck:radix=2:ports=1",
                                "fused_bruck:radix=1000"})
    for (const std::size_t largest : {std::size_t{64}, std::size_t{5000}, std::size_t{200000}})
      runner.run(rondo::text("scratch of ", algorithm, ", blocks up to ", largest),
                 [&](Row& row) { run_scratch(algorithm, largest, runner, row); });
}

const AddedTest added({.name = "allocations", .run = run_test});

}  // namespace allocations_test
