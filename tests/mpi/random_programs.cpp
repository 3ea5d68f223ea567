// Random programs (support/program.hpp), once with MPI's own calls as the control, once with Rondo's: calls,
// starts, plans and waits on several communicators, in orders that differ between ranks. None may hang, and
// every byte is compared with what was sent. With --all there are 2,000 of them.
#include <rondo/rondo.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <numeric>

#include "support/added_test.hpp"
#include "support/calls.hpp"
#include "support/intercept.hpp"
#include "support/placement.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace random_programs_test {

using namespace rondo::testing;

constexpr int kProgramsOfRow = 4;
constexpr int kAllRows = 500;
constexpr int kSampleRows = 50;

/// How many ints go from one rank to another.
int ints_between(const Exchange& exchange, int source, int destination) {
  const std::uint64_t drawn = exchange.deed == Deed::alltoall
                                  ? hash(exchange.seed, 2)
                                  : hash(exchange.seed, 2, source, destination);
  Random random(drawn);
  if (random.below(40) == 0) return static_cast<int>(random.below(20'000));
  return random.below(3) == 0 ? 0 : static_cast<int>(random.below(60));
}

/// A communicator, the ranks along whose edges it sends, and those along whose edges it receives.
class Circle : NonCopyable {
 public:
  /// Every rank has an edge to the next and, if there are four, to the one after that.
  Circle(std::uint64_t seed, int number)
      : base_(new_comm(0, static_cast<int>(hash(seed, number, rank_of(MPI_COMM_WORLD)) >> 40U))) {
    const int rank = rank_of(base_);
    const int ranks = ranks_of(base_);
    for (int step = 1; step <= (ranks > 3 ? 2 : 1); ++step) {
      to.push_back((rank + step) % ranks);
      from.push_back((rank - step + ranks) % ranks);
    }
    const int count = static_cast<int>(to.size());
    must(MPI_Dist_graph_create_adjacent(base_, count, from.data(), MPI_UNWEIGHTED, count, to.data(),
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_));
    must(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    everyone.resize(static_cast<std::size_t>(ranks));
    std::iota(everyone.begin(), everyone.end(), 0);
  }
  ~Circle() { must(MPI_Comm_free(&comm_)); }
  operator MPI_Comm() const { return comm_; }

  std::vector<int> to;
  std::vector<int> from;
  std::vector<int> everyone;

 private:
  TestComm base_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// One exchange on one rank: its buffers, and what must be in them.
class Moved : NonCopyable {
 public:
  Moved(const Exchange& exchange, const Circle& circle)
      : exchange_(exchange),
        circle_(circle),
        rank_(rank_of(circle)),
        is_packed_(exchange.deed != Deed::plan && hash(exchange.seed, 3) % 4 == 0),
        send_(side(destinations(), true)),
        receive_(side(sources(), false)) {
    if (is_packed_) type_.reset(new Type(Type::packed_ints()));
    fill(send_, destinations(), true);
  }
  ~Moved() {
    if (plan_ != RONDO_PLAN_NULL) Rondo_Plan_free(&plan_);
  }

  int call_mpi() {
    return exchange_.deed == Deed::barrier
               ? MPI_Barrier(circle_)
               : exchange_by<MPI_Alltoall, MPI_Alltoallv, MPI_Neighbor_alltoallv>();
  }

  int start_mpi() {
    const int code =
        exchange_by<MPI_Ialltoall, MPI_Ialltoallv, MPI_Ineighbor_alltoallv>(&mpi_request_);
    type_.reset();
    return code;
  }

  int call_rondo() {
    const auto [s, r] = buffers();
    std::vector<int> counts(circle_.everyone.size());
    std::vector<int> places(counts.size());
    Rondo_Sources found{};
    switch (exchange_.deed) {
      case Deed::barrier:
        return MPI_Barrier(circle_);
      case Deed::plan:
        return Rondo_Execute(plan_, s, r);
      case Deed::dynamic:
        return Rondo_Alltoallv_dynamic(s, send_.counts.data(), send_.places.data(), type(), r,
                                       receive_.elements, counts.data(), places.data(), type(),
                                       circle_);
      case Deed::sparse:
        return Rondo_Sparse_alltoallv(s, static_cast<int>(circle_.everyone.size()),
                                      circle_.everyone.data(), send_.counts.data(),
                                      send_.places.data(), type(), r, receive_.elements, type(),
                                      &found, circle_);
      default:
        return exchange_by<Rondo_Alltoall, Rondo_Alltoallv, Rondo_Neighbor_alltoallv>();
    }
  }

  int start_rondo() {
    const auto [s, r] = buffers();
    const int code =
        exchange_.deed == Deed::plan
            ? Rondo_Start(plan_, s, r, &request)
            : exchange_by<Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ineighbor_alltoallv>(&request);
    type_.reset();
    return code;
  }

  int wait_mpi() { return MPI_Wait(&mpi_request_, MPI_STATUS_IGNORE); }

  /// Collective. Plans are made before the program begins.
  void make_plan(Row& row) {
    if (exchange_.deed != Deed::plan) return;
    const auto [s, r] = buffers();
    row.expect_success(Rondo_Alltoallv_plan(s, send_.counts.data(), send_.places.data(), type(), r,
                                            receive_.counts.data(), receive_.places.data(), type(),
                                            circle_, MPI_INFO_NULL, &plan_),
                       "Rondo_Alltoallv_plan");
  }

  /// Makes the receive buffer as it was before.
  void forget() {
    std::ranges::fill(receive_.ints, -1);
    if (is_packed_) type_.reset(new Type(Type::packed_ints()));
  }

  bool is_right() {
    if (exchange_.deed == Deed::barrier) return true;
    Side expected = receive_;
    std::ranges::fill(expected.ints, -1);
    fill(expected, sources(), false);
    return expected.ints == receive_.ints;
  }

  Rondo_Request request = RONDO_REQUEST_NULL;

 private:
  struct Side {
    std::vector<int> counts;
    std::vector<int> places;
    std::vector<int> ints;
    int elements = 0;
  };

  /// A packed element is two ints in the extent of four.
  static constexpr int kPackedExtent = 4;

  /// By one of three functions; what has no function of its own is an alltoallv. The request, if any, is their
  /// last argument.
  template <auto alltoall, auto alltoallv, auto neighbor, class... Last>
  int exchange_by(Last... last) {
    const auto [s, r] = buffers();
    MPI_Comm comm = circle_;
    if (exchange_.deed == Deed::alltoall)
      return alltoall(s, send_.counts[0], type(), r, receive_.counts[0], type(), comm, last...);
    const auto of_many = exchange_.deed == Deed::neighbor ? neighbor : alltoallv;
    return of_many(s, send_.counts.data(), send_.places.data(), type(), r, receive_.counts.data(),
                   receive_.places.data(), type(), comm, last...);
  }

  bool is_along_edges() const { return exchange_.deed == Deed::neighbor; }
  const std::vector<int>& destinations() const {
    return is_along_edges() ? circle_.to : circle_.everyone;
  }
  const std::vector<int>& sources() const {
    return is_along_edges() ? circle_.from : circle_.everyone;
  }
  MPI_Datatype type() const { return is_packed_ ? static_cast<MPI_Datatype>(*type_) : MPI_INT; }
  std::pair<const int*, int*> buffers() { return {send_.ints.data(), receive_.ints.data()}; }

  int elements_between(int other, bool is_sent) const {
    return is_sent ? ints_between(exchange_, rank_, other) : ints_between(exchange_, other, rank_);
  }

  Side side(const std::vector<int>& others, bool is_sent) const {
    Side made;
    for (const int other : others) {
      made.places.push_back(made.elements);
      made.counts.push_back(elements_between(other, is_sent));
      made.elements += made.counts.back();
    }
    made.ints.assign(static_cast<std::size_t>((is_packed_ ? kPackedExtent : 1) * made.elements) + 1,
                     -1);
    return made;
  }

  void fill(Side& side, const std::vector<int>& others, bool is_sent) const {
    for (std::size_t block = 0; block < others.size(); ++block) {
      const int other = others[block];
      const std::uint64_t seed =
          is_sent ? hash(exchange_.seed, rank_, other) : hash(exchange_.seed, other, rank_);
      for (int i = 0; i < side.counts[block]; ++i) {
        const int element = side.places[block] + i;
        const auto value = static_cast<int>(hash(seed, i) >> 33U);
        if (!is_packed_) {
          side.ints[static_cast<std::size_t>(element)] = value;
          continue;
        }
        side.ints[static_cast<std::size_t>(kPackedExtent * element)] = value;
        side.ints[static_cast<std::size_t>(kPackedExtent * element) + 2] = value / 2;
      }
    }
  }

  Exchange exchange_;
  const Circle& circle_;
  int rank_;
  bool is_packed_;
  std::unique_ptr<Type> type_;
  Side send_;
  Side receive_;
  Rondo_Plan plan_ = RONDO_PLAN_NULL;
  MPI_Request mpi_request_ = MPI_REQUEST_NULL;
};

/// Runs a program on this rank.
class Run {
 public:
  Run(const Program& program, const std::vector<std::unique_ptr<Circle>>& circles, Row& row)
      : program_(program), rank_(rank_of(MPI_COMM_WORLD)), row_(row) {
    const auto moved = [&](const Exchange& exchange) {
      return std::make_unique<Moved>(exchange, *circles[static_cast<std::size_t>(exchange.comm)]);
    };
    for (const Exchange& call : program.calls) calls_.push_back(moved(call));
    for (const Start& start : program.starts) starts_.push_back(moved(start));
  }

  void with_mpi() {
    in_order([&](Moved& one) { must(one.call_mpi()); }, [&](Moved& one) { must(one.start_mpi()); },
             [&](std::vector<Moved*>& due, Random&) {
               for (Moved* one : due) must(one->wait_mpi());
             });
    expect_right("MPI");
  }

  void with_rondo() {
    for (auto* all : {&calls_, &starts_})
      for (const auto& one : *all) {
        one->forget();
        one->make_plan(row_);
      }
    in_order([&](Moved& one) { row_.expect_success(one.call_rondo(), "a call"); },
             [&](Moved& one) { row_.expect_success(one.start_rondo(), "a start"); },
             [&](std::vector<Moved*>& due, Random& random) { wait(due, random); });
    expect_right("Rondo");
  }

 private:
  template <class Call, class Begin, class Wait>
  void in_order(Call&& call, Begin&& begin, Wait&& wait) {
    Random random(hash(rank_, program_.calls.front().seed));
    for (int place = 0;; ++place) {
      if (random.below(4) == 0) usleep(static_cast<useconds_t>(random.below(200)));
      for (std::size_t i = 0; i < starts_.size(); ++i)
        if (program_.starts[i].places[static_cast<std::size_t>(rank_)] == place) begin(*starts_[i]);
      std::vector<Moved*> due;
      for (std::size_t i = 0; i < starts_.size(); ++i)
        if (program_.wait_of(program_.starts[i], rank_) == place) due.push_back(starts_[i].get());
      random.shuffle(due);
      wait(due, random);
      if (static_cast<std::size_t>(place) == calls_.size()) return;
      call(*calls_[static_cast<std::size_t>(place)]);
    }
  }

  /// Together, one after another, or by tests.
  void wait(std::vector<Moved*>& due, Random& random) {
    const auto way = random.below(3);
    if (way == 0) {
      std::vector<Rondo_Request> requests;
      for (const Moved* one : due) requests.push_back(one->request);
      row_.expect_success(Rondo_Waitall(static_cast<int>(requests.size()), requests.data()),
                          "Rondo_Waitall");
      return;
    }
    for (Moved* one : due) {
      int is_over = 0;
      while (way == 1 && is_over == 0)
        row_.expect_success(Rondo_Test(&one->request, &is_over), "Rondo_Test");
      row_.expect_success(Rondo_Wait(&one->request), "Rondo_Wait");
    }
  }

  void expect_right(const char* who) {
    const auto look = [&](const char* what, const auto& all) {
      for (std::size_t i = 0; i < all.size(); ++i)
        row_.expect(all[i]->is_right(), who, ": wrong data from ", what, " ", i);
    };
    look("call", calls_);
    look("start", starts_);
  }

  const Program& program_;
  int rank_;
  Row& row_;
  std::vector<std::unique_ptr<Moved>> calls_;
  std::vector<std::unique_ptr<Moved>> starts_;
};

constexpr const char* kUniform[] = {"auto", "node_aware", "tunable_bruck", "spread_out"};
constexpr const char* kVariable[] = {"auto",        "node_aware",      "node_aware:inter=bruck",
                                     "fused_bruck", "two_phase_bruck", "spread_out"};
constexpr const char* kSparse[] = {"auto", "nbx", "node_aware", "fused_bruck"};
constexpr const char* kNeighbor[] = {"auto", "node_aware", "spread_out"};

/// Some communicators are set up before, others by what the program calls.
void arrange(const Circle& circle, Random& random, bool goes_on, Row& row) {
  if (goes_on && random.below(3) == 0) return;
  const auto pick = [&](const auto& names) { return names[random.below(std::size(names))]; };
  set_algorithm(circle, Collective::alltoall, pick(kUniform), row);
  set_algorithm(circle, Collective::alltoallv, pick(kVariable), row);
  set_algorithm(circle, "sparse_alltoallv", pick(kSparse), row);
  set_algorithm(circle, "neighbor_alltoallv", pick(kNeighbor), row);
}

void run_programs(std::uint64_t seed, const Runner& runner, bool goes_on, bool has_rondo,
                  Row& row) {
  Random random(seed);
  const auto where = placements(runner.ranks());
  const PlacedRanks placed(where[random.below(where.size())], runner.ranks());
  const int comms = 1 + static_cast<int>(random.below(3));
  std::vector<std::unique_ptr<Circle>> circles;
  for (int i = 0; i < comms; ++i) {
    circles.push_back(std::make_unique<Circle>(seed, i));
    if (has_rondo) arrange(*circles.back(), random, goes_on, row);
  }
  for (int i = 0; i < kProgramsOfRow && !row.failed(); ++i) {
    const Program program = draw_program(hash(seed, i), runner.ranks(), comms, goes_on);
    Run run(program, circles, row);
    run.with_mpi();
    if (has_rondo) run.with_rondo();
  }
}

void run_rows(Runner& runner, bool has_rondo) {
  const int rows = runner.options().all ? kAllRows : kSampleRows;
  for (int row = 0; row < rows; ++row)
    runner.run(rondo::text("programs ", row), [&](Row& one) {
      run_programs(hash(runner.options().seed, row), runner, progresses_in_mpi(), has_rondo, one);
    });
}

void run_test(Runner& runner) {
  run_rows(runner, true);
}

/// MPI's calls only, which may be Rondo's in disguise.
void run_mpi(Runner& runner) {
  run_rows(runner, false);
}

const AddedTest added({.name = "random_programs",
                       .run = run_test,
                       .settings = {{"RONDO_REQUESTS=2"}},
                       .thread_level = MPI_THREAD_MULTIPLE});
const AddedTest added_mpi({.name = "random_programs_of_mpi",
                           .run = run_mpi,
                           .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace random_programs_test
