// Exchange after exchange on one communicator, with nothing between them: calls and plans of all
// three collectives in a random sequence, random lengths on both sides of every threshold, ranks
// that come late, ranks without a byte. Every byte is looked at, but only after a batch of
// exchanges, so that one follows the other as fast as the ranks can. The option --exchanges N says
// how many, instead of the sample or all.
#include <rondo/rondo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "support/byte_blocks.hpp"
#include "support/calls.hpp"
#include "support/distribution.hpp"
#include "support/placement.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr int kAllExchanges = 10'000;
constexpr int kSampleExchanges = 800;
constexpr int kBatch = 8;
constexpr std::size_t kPlans = 3;
constexpr std::size_t kGap = 8;  ///< bytes between blocks that must survive

const char* const kAlgorithms[] = {
    "node_aware",
    "node_aware:threshold=256:inter=direct",
    "node_aware:threshold=256:inter=bruck",
    "node_aware:threshold=256:inter=direct:parts=2",
    "node_aware:threshold=256:inter=bruck:parts=2",
    "auto",
};

/// Lengths in bytes: none, in a cell, in a slot, past the small threshold, past the others.
struct Range {
  std::size_t low;
  std::size_t high;
};
constexpr std::array<Range, 5> kRanges = {
    {{0, 0}, {1, 48}, {49, 256}, {257, 3000}, {30'000, 70'000}}};
constexpr unsigned kEveryRange = (1U << kRanges.size()) - 1;
constexpr unsigned kLongest = 1U << (kRanges.size() - 1);

/// The lengths of all blocks, drawn alike on all ranks.
struct Shape {
  explicit Shape(std::uint64_t drawn) : seed(drawn) {
    Random random(drawn);
    collective = static_cast<Collective>(random.below(3));
    is_in_place = random.below(4) == 0;
    idle = random.below(4) == 0 ? static_cast<int>(random.below(64)) : -1;
    ranges = 1U + static_cast<unsigned>(random.below(kEveryRange));
    if (random.below(16) != 0) ranges &= ~kLongest;
    if (ranges == 0) ranges = 1;
  }

  std::size_t bytes(Pair pair) const {
    if (is_in_place) pair = lower_first(pair);
    if (collective == Collective::alltoall) return draw({0, 0, pair.ranks});
    const bool is_idle =
        idle >= 0 && (pair.source == idle % pair.ranks || pair.destination == idle % pair.ranks);
    return is_idle ? 0 : draw(pair);
  }

  std::uint64_t seed;
  Collective collective;
  bool is_in_place;
  int idle;         ///< sends and receives nothing; -1: nobody
  unsigned ranges;  ///< bits of those that occur

 private:
  /// Every third length is the least and every third the largest of its range.
  std::size_t draw(Pair pair) const {
    Random random(hash(seed, pair.source, pair.destination));
    std::size_t pick = random.below(kRanges.size());
    while ((ranges >> pick & 1U) == 0) pick = (pick + 1) % kRanges.size();
    const Range range = kRanges[pick];
    const std::uint64_t third = random.below(3);
    if (third < 2) return third == 0 ? range.low : range.high;
    return range.low + random.below(range.high - range.low + 1);
  }
};

/// A shape as one rank sees it.
struct Part {
  Part(const Shape& whole, int own_rank, int all_ranks)
      : shape(whole),
        rank(own_rank),
        ranks(all_ranks),
        send(ranks, gap(),
             [&](int peer) {
               return whole.bytes(Pair{rank, peer, ranks});
             }),
        receive(ranks, gap(), [&](int peer) {
          return whole.bytes(Pair{peer, rank, ranks});
        }) {}

  std::size_t gap() const { return shape.collective == Collective::alltoall ? 0 : kGap; }

  Shape shape;
  int rank;
  int ranks;
  ByteBlocks send;
  ByteBlocks receive;
};

/// The bytes of one exchange at one rank.
class Data {
 public:
  Data(std::shared_ptr<const Part> part, std::uint64_t seed)
      : part_(std::move(part)),
        seed_(seed),
        sent_(part_->send.bytes + kGap, static_cast<std::byte>(seed)),
        received_(part_->receive.bytes + kGap, static_cast<std::byte>(seed)),
        expected_(received_) {
    for (int peer = 0; peer < part_->ranks; ++peer) {
      write(part_->shape.is_in_place ? received_ : sent_, part_->send, part_->rank, peer);
      write(expected_, part_->receive, peer, part_->rank);
    }
  }

  const Part& part() const { return *part_; }
  Arguments send() {
    return part_->shape.is_in_place ? in_place() : part_->send.arguments(sent_.data());
  }
  Arguments receive() { return part_->receive.arguments(received_.data()); }

  /// The offset of the first wrong byte, or no_difference.
  static constexpr std::ptrdiff_t no_difference = -1;
  std::ptrdiff_t first_difference() const {
    const auto wrong = std::ranges::mismatch(received_, expected_).in1;
    return wrong == received_.end() ? no_difference : wrong - received_.begin();
  }

 private:
  void write(std::vector<std::byte>& buffer, const ByteBlocks& table, int source,
             int destination) const {
    const auto peer = static_cast<std::size_t>(&table == &part_->send ? destination : source);
    std::byte* at = buffer.data() + table.displacements[peer];
    auto left = static_cast<std::size_t>(table.counts[peer]);
    for (std::uint64_t word = hash(seed_, source, destination); left > 0; word = mix(word)) {
      const std::size_t piece = std::min(left, sizeof word);
      std::memcpy(at, &word, piece);
      at += piece;
      left -= piece;
    }
  }

  std::shared_ptr<const Part> part_;
  std::uint64_t seed_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<std::byte> expected_;
};

/// Sleeps or computes for some microseconds.
void come_late(Random random) {
  const std::uint64_t microseconds = 1 + random.below(300);
  if (random.below(2) == 0) {
    usleep(static_cast<useconds_t>(microseconds));
    return;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// A plan and what it moves.
struct Planned {
  std::shared_ptr<const Part> part;
  Rondo_Plan plan = RONDO_PLAN_NULL;
};

class Sequence : NonCopyable {
 public:
  Sequence(const char* algorithm, MPI_Comm comm, std::uint64_t seed, Row& row)
      : comm_(comm), seed_(seed), row_(row), rank_(rank_of(comm)), ranks_(ranks_of(comm)) {
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    set_algorithms(comm, algorithm, row);
  }
  ~Sequence() {
    for (Planned& planned : plans_) row_.expect_success(Rondo_Plan_free(&planned.plan), "free");
  }

  /// Exchanges `first` ... `first + count - 1`, then a look at what came.
  void run_batch(int first, int count) {
    replace_plan(Random(hash(seed_, first, 0x70)));
    std::vector<Planned*> plans;
    std::vector<Data> data;
    for (int number = first; number < first + count; ++number) {
      Random random(hash(seed_, number));
      const bool is_plan = random.below(3) == 0;
      plans.push_back(is_plan ? &plans_[random.below(kPlans)] : nullptr);
      data.emplace_back(is_plan ? plans.back()->part : make_part(random.next()), random.next());
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
      Random late(hash(seed_, first, i, rank_));
      if (late.below(8) == 0) come_late(late);
      const int code = run(data[i], plans[i]);
      row_.expect_success(code, rondo::text("exchange ", first + static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < data.size(); ++i)
      expect_right(data[i], first + static_cast<int>(i), plans[i] != nullptr);
  }

 private:
  std::shared_ptr<const Part> make_part(std::uint64_t seed) const {
    return std::make_shared<Part>(Shape(seed), rank_, ranks_);
  }

  int run(Data& data, const Planned* planned) {
    const Arguments send = data.send();
    const Arguments receive = data.receive();
    if (planned != nullptr) return Rondo_Execute(planned->plan, send.buffer, receive.buffer);
    return exchange(data.part().shape.collective, send, receive, comm_);
  }

  /// One of the plans, or at first all, for others. Made between exchanges that may still be under
  /// way.
  void replace_plan(Random random) {
    const std::size_t pick = random.below(kPlans);
    for (std::size_t i = 0; i < kPlans; ++i) {
      Planned& planned = plans_[i];
      if (planned.part && i != pick) continue;
      row_.expect_success(Rondo_Plan_free(&planned.plan), "Rondo_Plan_free");
      planned.part = make_part(random.next());
      Data data(planned.part, 0);
      row_.expect_success(make_plan(planned.part->shape.collective, data.send(), data.receive(),
                                    comm_, MPI_INFO_NULL, &planned.plan),
                          "making a plan");
    }
  }

  void expect_right(const Data& data, int number, bool is_plan) {
    const std::ptrdiff_t wrong = data.first_difference();
    if (wrong == Data::no_difference) return;
    const auto& displacements = data.part().receive.displacements;
    const auto after = std::ranges::upper_bound(displacements, wrong);
    row_.expect(false, "exchange ", number, ", ", name_of(data.part().shape.collective),
                data.part().shape.is_in_place ? " in place" : "", is_plan ? " by a plan" : "",
                ": wrong byte at ", wrong, ", in or after the block from rank ",
                after - displacements.begin() - 1);
  }

  MPI_Comm comm_;
  std::uint64_t seed_;
  Row& row_;
  int rank_;
  int ranks_;
  std::array<Planned, kPlans> plans_{};
};

/// The number of exchanges in all rows together.
int wanted_exchanges(int argc, char** argv, const Options& options) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--exchanges") == 0) return std::atoi(argv[i + 1]);
  return options.all ? kAllExchanges : kSampleExchanges;
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "stress");
  const auto places = placements(runner.ranks());
  const int all = wanted_exchanges(argc, argv, runner.options());
  const int rows = static_cast<int>(std::size(kAlgorithms) * places.size());
  const int exchanges = (all + rows - 1) / rows;
  int number = 0;
  for (const Placement& placement : places)
    for (const char* algorithm : kAlgorithms) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      runner.run(rondo::text(exchanges, " exchanges, ", algorithm, ", ranks ", placement.name),
                 [&](Row& row) {
                   const TestComm comm;
                   const PlacedRanks placed(placement, runner.ranks());
                   Sequence sequence(algorithm, comm, seed, row);
                   for (int first = 0; first < exchanges; first += kBatch)
                     sequence.run_batch(first, std::min(kBatch, exchanges - first));
                 });
    }
  return runner.finish();
}
