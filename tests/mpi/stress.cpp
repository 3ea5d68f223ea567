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

#include "support/added_test.hpp"
#include "support/calls.hpp"
#include "support/drawn.hpp"
#include "support/placement.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace stress_test {

using namespace rondo::testing;

constexpr int kAllExchanges = 10'000;
constexpr int kSampleExchanges = 800;
constexpr int kBatch = 8;
constexpr std::size_t kPlans = 3;

const char* const kAlgorithms[] = {
    "node_aware",
    "node_aware:threshold=256:inter=direct",
    "node_aware:threshold=256:inter=bruck",
    "node_aware:threshold=256:inter=direct:parts=2",
    "node_aware:threshold=256:inter=bruck:parts=2",
    "auto",
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

class Sequence : NonCopyable {
 public:
  Sequence(const char* algorithm, MPI_Comm comm, std::uint64_t seed, Row& row)
      : comm_(comm), seed_(seed), row_(row), rank_(rank_of(comm)), ranks_(ranks_of(comm)) {
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    set_algorithms(comm, algorithm, row);
  }
  ~Sequence() {
    for (Planned& planned : plans_) planned.free(row_);
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
    if (planned != nullptr) return execute(planned->plan, send.buffer, receive.buffer);
    return exchange(data.part().shape.collective, send, receive, comm_);
  }

  /// One of the plans, or at first all, for others. Made between exchanges that may still be under
  /// way.
  void replace_plan(Random random) {
    const std::size_t pick = random.below(kPlans);
    for (std::size_t i = 0; i < kPlans; ++i)
      if (!plans_[i].part || i == pick) plans_[i].make(make_part(random.next()), comm_, row_);
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
int wanted_exchanges(const Options& options) {
  if (options.exchanges > 0) return options.exchanges;
  return options.all ? kAllExchanges : kSampleExchanges;
}

void run_test(Runner& runner) {
  const auto places = placements(runner.ranks());
  const int all = wanted_exchanges(runner.options());
  const int rows = static_cast<int>(std::size(kAlgorithms) * places.size());
  const int exchanges = (all + rows - 1) / rows;
  int number = 0;
  for (const Placement& placement : places)
    for (const char* algorithm : kAlgorithms) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      run_placed(placement, runner, rondo::text(exchanges, " exchanges, ", algorithm),
                 [&](Row& row) {
                   const TestComm comm;
                   Sequence sequence(algorithm, comm, seed, row);
                   for (int first = 0; first < exchanges; first += kBatch)
                     sequence.run_batch(first, std::min(kBatch, exchanges - first));
                 });
    }
}

const AddedTest added({.name = "stress", .run = run_test, .settings = {{}, {kEveryStarted, 2}}});

}  // namespace stress_test
