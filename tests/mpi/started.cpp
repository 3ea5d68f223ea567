// Nonblocking exchanges: what tests of calls cannot show. Several at a time, completed in any order, beside
// calls and on several communicators; what may be freed before the end; when a start is forwarded. The
// tables of the tests of calls run with starts, too: see kEveryStarted.
#include <rondo/rondo.h>

#include <cstdlib>
#include <deque>

#include "support/added_test.hpp"
#include "support/drawn.hpp"
#include "support/placement.hpp"
#include "support/started.hpp"
#include "support/threads.hpp"

namespace started_test {

using namespace rondo::testing;

constexpr int kSample = 150;
constexpr int kAll = 10'000;

const char* const kAlgorithms[] = {
    "node_aware",
    "node_aware:threshold=256:inter=bruck:parts=2",
    "fused_bruck",
    "fused_bruck:radix=2:ports=1:threshold=256",
    "two_phase_bruck",
    "padded_alltoall",
    "spread_out",
    "mpi",
    "auto",
};

/// An exchange between its start and its end.
struct Outstanding {
  std::unique_ptr<Data> data;
  int number;
  Rondo_Request request = RONDO_REQUEST_NULL;
};

/// Starts, calls, executions of plans and completions in a random order. What is started is the same on
/// all ranks. When it is completed is this rank's own matter.
class Mixture : NonCopyable {
 public:
  Mixture(const std::string& algorithm, std::uint64_t seed, Row& row)
      : seed_(seed),
        row_(row),
        comms_{std::make_unique<Prepared>(algorithm, row), std::make_unique<Prepared>("auto", row)},
        may_forward_{algorithm == "mpi" || algorithm == "auto", true},
        rank_(rank_of(*comms_[0])),
        ranks_(ranks_of(*comms_[0])),
        own_(hash(seed, rank_of(*comms_[0]), 0x0b)) {
    for (std::size_t i = 0; i < std::size(plans_); ++i)
      plans_[i].make(make_part(i % 2, hash(seed, 0x91, i)), *comms_[i % 2], row);
  }
  ~Mixture() {
    while (!outstanding_.empty()) complete_one();
    for (Planned& planned : plans_) planned.free(row_);
  }

  void step(int number) {
    Random random(hash(seed_, number));
    const std::size_t comm = random.below(2);
    const std::uint64_t kind = random.below(8);
    if (kind == 0)
      call(number, comm, random);
    else
      start_one(number, comm, kind < 3, random);
    for (auto left = own_.below(3); left > 0 && !outstanding_.empty(); --left) complete_one();
  }

 private:
  /// Open MPI's own nonblocking exchanges in place hang if there are several.
  std::shared_ptr<const Part> make_part(std::size_t comm, std::uint64_t seed) const {
    Shape shape(seed);
    shape.is_in_place = shape.is_in_place && !may_forward_[comm];
    return std::make_shared<Part>(shape, rank_, ranks_);
  }

  void call(int number, std::size_t comm, Random& random) {
    Data data(make_part(comm, random.next()), random.next());
    const int code =
        exchange(data.part().shape.collective, data.send(), data.receive(), *comms_[comm]);
    row_.expect_success(code, rondo::text("call ", number));
    expect_right(data, number);
  }

  void start_one(int number, std::size_t comm, bool by_plan, Random& random) {
    const Planned& planned = plans_[random.below(std::size(plans_))];
    const auto part = by_plan ? planned.part : make_part(comm, random.next());
    Outstanding one{std::make_unique<Data>(part, random.next()), number};
    const Arguments send = one.data->send();
    const Arguments receive = one.data->receive();
    const int code =
        by_plan ? Rondo_Start(planned.plan, send.buffer, receive.buffer, &one.request)
                : start(part->shape.collective, send, receive, *comms_[comm], &one.request);
    row_.expect_success(code, rondo::text("start ", number));
    outstanding_.push_back(std::move(one));
  }

  /// Any of them, or sometimes all.
  void complete_one() {
    if (own_.below(8) == 0) return complete_all();
    const std::size_t pick = own_.below(outstanding_.size());
    Outstanding& one = outstanding_[pick];
    row_.expect_success(
        own_.below(2) == 0 ? Rondo_Wait(&one.request) : test_until_over(&one.request),
        rondo::text("completing ", one.number));
    end(one);
    outstanding_.erase(outstanding_.begin() + static_cast<std::ptrdiff_t>(pick));
  }

  void complete_all() {
    std::vector<Rondo_Request> requests;
    for (const Outstanding& one : outstanding_) requests.push_back(one.request);
    const int count = static_cast<int>(requests.size());
    int are_over = 0;
    if (own_.below(2) == 0)
      row_.expect_success(Rondo_Testall(count, requests.data(), &are_over), "Rondo_Testall");
    row_.expect_success(Rondo_Waitall(count, requests.data()), "Rondo_Waitall");
    for (std::size_t i = 0; i < requests.size(); ++i) {
      outstanding_[i].request = requests[i];
      end(outstanding_[i]);
    }
    outstanding_.clear();
  }

  void end(const Outstanding& one) {
    row_.expect(one.request == RONDO_REQUEST_NULL, "a completed request is not null");
    expect_right(*one.data, one.number);
  }

  void expect_right(const Data& data, int number) {
    row_.expect(data.first_difference() == Data::no_difference, "exchange ", number, ", ",
                name_of(data.part().shape.collective),
                data.part().shape.is_in_place ? " in place" : "", ": wrong byte at ",
                data.first_difference());
  }

  std::uint64_t seed_;
  Row& row_;
  std::unique_ptr<Prepared> comms_[2];
  bool may_forward_[2];  ///< by communicator
  int rank_;
  int ranks_;
  Random own_;
  Planned plans_[4];
  std::deque<Outstanding> outstanding_;
};

void run_mixtures(Runner& runner) {
  const auto places = placements(runner.ranks());
  const int rows = static_cast<int>(std::size(kAlgorithms) * places.size());
  const int steps = runner.options().all ? kAll / rows : kSample / std::max(1, runner.ranks() / 3);
  int number = 0;
  for (const Placement& placement : places)
    for (const char* algorithm : kAlgorithms) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      run_placed(placement, runner, rondo::text(steps, " steps, ", algorithm), [&](Row& row) {
        Mixture mixture(algorithm, seed, row);
        for (int step = 0; step < steps; ++step) mixture.step(step);
      });
    }
}

/// Mixtures on communicators of their own, each in its own thread. Without RONDO_PROGRESS=thread the calls
/// of one thread complete what the others have started, whose order differs between ranks.
void run_mixtures_in_threads(Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  constexpr std::size_t kThreads = 3;
  const int steps = runner.options().all ? kAll / static_cast<int>(kThreads) : 40;
  std::deque<Row> rows(kThreads);
  std::deque<Mixture> mixtures;
  for (std::size_t i = 0; i < kThreads; ++i)
    mixtures.emplace_back(kAlgorithms[2 * i], hash(runner.options().seed, 0x3d, i), rows[i]);
  run_in_threads(kThreads, row, [&](std::size_t thread, Row&) {
    for (int step = 0; step < steps; ++step) mixtures[thread].step(step);
  });
  mixtures.clear();
  for (const Row& own : rows) row.expect(!own.failed(), own.failure());
}

/// More than there are channels, completed from the last one back.
void run_backwards(const std::string& algorithm, Row& row) {
  const Prepared comm(algorithm, row);
  std::vector<std::unique_ptr<SmallStarted>> all;
  for (int count = 1; count <= 11; ++count)
    all.push_back(std::make_unique<SmallStarted>(kCollectives[count % 3], comm, count * 5, row));
  while (!all.empty()) all.pop_back();
}

/// Types and the communicator may be freed between the start and the end, unless the start is forwarded:
/// Open MPI does not bear it.
void run_freed(const std::string& algorithm, Row& row) {
  for (const Collective collective : kCollectives) {
    if (!is_known(collective, algorithm)) continue;
    MPI_Comm comm = new_comm();
    row.expect_success(prepare_starts(comm), "preparing starts");
    set_algorithm(comm, collective, algorithm, row);
    SmallExchange small(comm, 4);
    std::unique_ptr<Type> type(new Type(Type::packed_ints()));
    std::ranges::fill(small.types, *type);
    std::ranges::fill(small.counts, 1);
    for (int& displacement : small.displacements) displacement /= 4;
    Rondo_Request request = RONDO_REQUEST_NULL;
    row.expect_success(
        start(collective, small.send(collective), small.receive(collective), comm, &request),
        "a start");
    if (last_algorithm(comm, row) == "mpi") row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    type.reset();
    must(MPI_Comm_free(&comm));
    row.expect_success(complete(&request), "completing it");
    for (std::size_t i = 0; i < small.sent.size(); ++i)
      row.expect((small.received[i] == -1) == (i % 2 == 1), "wrong int ", i);
  }
}

/// Starts are the library's until the communicator is set up. Then they are Rondo's, also in channels that are
/// new.
void run_forwarded(Row& row) {
  const TestComm comm;
  const auto start_one = [&](int count) { SmallStarted(Collective::alltoallv, comm, count, row); };
  start_one(3);
  char text[64] = "";
  row.expect_error(Rondo_Comm_get_last_algorithm(comm, text, sizeof text), MPI_ERR_ARG);
  set_algorithm(comm, Collective::alltoallv, "spread_out", row);
  start_one(4);
  row.expect(last_algorithm(comm, row).starts_with("spread_out"), "the first start ran ",
             last_algorithm(comm, row));
  row.expect_success(prepare_starts(comm), "preparing starts");
  start_one(5);
  row.expect(last_algorithm(comm, row).starts_with("spread_out"), "a start ran ",
             last_algorithm(comm, row));
}

/// Inside a node a start takes nothing, even if all that it waits for is there. Only rank 0 can see it: the
/// others' starts may go on in MPI_Barrier.
void run_publishing(int longest, Row& row) {
  if (has_progress_thread()) return row.skip("the thread may be faster");
  const Prepared comm("node_aware", row);
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  const std::vector<int> sent(ranks * static_cast<std::size_t>(longest), rank_of(comm));
  std::vector<int> received(sent.size(), -1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto start_mine = [&] {
    row.expect_success(Rondo_Ialltoall(sent.data(), longest, MPI_INT, received.data(), longest,
                                       MPI_INT, comm, &request),
                       "a start");
  };
  if (rank_of(comm) != 0) start_mine();
  must(MPI_Barrier(MPI_COMM_WORLD));
  if (rank_of(comm) == 0) start_mine();
  const bool is_own = last_algorithm(comm, row).starts_with("node_aware");
  row.expect(!is_own || rank_of(comm) != 0 ||
                 std::ranges::count(received, -1) == std::ranges::ssize(received),
             "a start has received");
  row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
  for (std::size_t i = 0; i < received.size(); ++i)
    row.expect(received[i] == static_cast<int>(i) / longest, "wrong data at ", i);
}

void run_inter(Row& row) {
  const int rank = rank_of(MPI_COMM_WORLD);
  if (ranks_of(MPI_COMM_WORLD) < 2) return row.skip("an inter-communicator needs two ranks");
  const TestComm half(new_comm(rank % 2, rank));
  MPI_Comm inter = MPI_COMM_NULL;
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
  must(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  {
    const int sent = rank;
    std::vector<int> received(static_cast<std::size_t>(ranks_of(inter)), -1);
    std::vector<int> sends(received.size(), sent);
    Rondo_Request request = RONDO_REQUEST_NULL;
    row.expect_success(
        Rondo_Ialltoall(sends.data(), 1, MPI_INT, received.data(), 1, MPI_INT, inter, &request),
        "a start");
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    for (std::size_t i = 0; i < received.size(); ++i)
      row.expect(received[i] == static_cast<int>(2 * i) + 1 - rank % 2, "wrong int ", i);
  }
  must(MPI_Comm_free(&inter));
}

void run_null(Row& row) {
  const TestComm comm;
  Rondo_Request request = RONDO_REQUEST_NULL;
  int flag = 0;
  row.expect_success(Rondo_Wait(&request), "waiting for RONDO_REQUEST_NULL");
  row.expect_success(Rondo_Test(&request, &flag), "testing RONDO_REQUEST_NULL");
  row.expect(flag == 1, "RONDO_REQUEST_NULL is not complete");
  row.expect_success(Rondo_Waitall(0, nullptr), "waiting for nothing");
  row.expect_error(Rondo_Wait(nullptr), MPI_ERR_ARG, "request");
  row.expect_error(Rondo_Test(&request, nullptr), MPI_ERR_ARG, "flag");
  row.expect_error(Rondo_Waitall(-1, &request), MPI_ERR_ARG, "count");
  row.expect_error(Rondo_Waitall(1, nullptr), MPI_ERR_ARG, "requests");
  row.expect_error(Rondo_Ialltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm, nullptr),
                   MPI_ERR_ARG, "request");
  row.expect_error(
      Rondo_Ialltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, MPI_COMM_NULL, &request),
      MPI_ERR_COMM, "comm");
  row.expect_error(Rondo_Start(RONDO_PLAN_NULL, nullptr, nullptr, &request), MPI_ERR_ARG, "plan");
}

/// One rank's arguments are wrong while other exchanges are outstanding.
void run_wrong(const std::string& algorithm, Row& row) {
  const Prepared comm(algorithm, row);
  const int wrong = ranks_of(comm) - 1;
  const SmallStarted before(Collective::alltoallv, comm, 3, row);
  SmallExchange small(comm, 5);
  if (rank_of(comm) == wrong) small.counts.back() = -1;
  Rondo_Request request = RONDO_REQUEST_NULL;
  constexpr auto kVariable = Collective::alltoallv;
  row.expect_success(
      start(kVariable, small.send(kVariable), small.receive(kVariable), comm, &request),
      "starting with wrong arguments");
  SmallExchange after(comm, 30);
  Rondo_Request requests[] = {request, RONDO_REQUEST_NULL};
  row.expect_success(
      start(kVariable, after.send(kVariable), after.receive(kVariable), comm, &requests[1]),
      "a start after it");
  const int code = Rondo_Waitall(2, requests);
  if (rank_of(comm) == wrong)
    row.expect_error(code, MPI_ERR_COUNT, "counts");
  else
    row.expect_error(code, MPI_ERR_COUNT, rondo::text("rank ", wrong, " could not take part"));
  for (const Rondo_Request one : requests)
    row.expect(one == RONDO_REQUEST_NULL, "after a failure a request is not null");
  row.expect(after.is_right(), "a start after one that failed moved wrong data");
}

void run_test(Runner& runner) {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  runner.run("arguments", run_null);
  runner.run("forwarded starts", run_forwarded);
  for (const int longest : {1, 300, 50'000})
    runner.run(rondo::text("starts publish, ", longest, " ints"), run_publishing, longest);
  runner.run("an inter-communicator", run_inter);
  for (const char* outer : kAlgorithms) {
    const std::string name = outer;
    runner.run("backwards, " + name, run_backwards, name);
    runner.run("types and communicator freed, " + name, run_freed, name);
  }
  for (const char* algorithm : {"node_aware", "fused_bruck"})
    runner.run(rondo::text("wrong on one rank, ", algorithm), run_wrong, std::string(algorithm));
  run_mixtures(runner);
  if (std::getenv("RONDO_PROGRESS") != nullptr)
    runner.run("mixtures in three threads", run_mixtures_in_threads, runner);
}

const AddedTest added({.name = "started",
                       .run = run_test,
                       .settings = {{"RONDO_REQUESTS=3"}, {"RONDO_REQUESTS=1", 3}},
                       .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace started_test
