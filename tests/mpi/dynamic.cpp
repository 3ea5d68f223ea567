// Dynamic exchanges: no rank knows how much it receives. Every algorithm, every way to receive, types
// that must be packed, on the nodes that there are and on some that do not exist; errors on one rank;
// sequences at random; threads.
#include <rondo/rondo.h>

#include <algorithm>
#include <thread>

#include "support/algorithms.hpp"
#include "support/dynamic.hpp"
#include "support/environment.hpp"
#include "support/placement.hpp"

namespace {

using namespace rondo::testing;

/// Differs from rank to rank, since each may choose.
Place place_of(std::uint64_t seed, int rank) {
  return static_cast<Place>(hash(seed, rank, 0x9a) % static_cast<std::uint64_t>(Place::count));
}

void run_one(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Row& row) {
  const int rank = rank_of(comm);
  const std::uint64_t types = hash(seed, rank, 0x7e);
  DynamicExchange exchange(comm, traffic, seed, {(types & 1) != 0, (types & 2) != 0});
  exchange.run(place_of(seed, rank), row);
}

/// Twice for each traffic, so that both parities of a segment are used.
void run_algorithm(const std::string& algorithm, MPI_Comm comm, std::uint64_t seed, Row& row) {
  set_algorithm(comm, Collective::alltoallv, algorithm, row);
  int number = 0;
  for (const Traffic& traffic : traffics())
    for (int time = 0; time < 2; ++time) run_one(comm, traffic, hash(seed, number++), row);
  char text[200] = "";
  row.expect_success(Rondo_Comm_get_last_algorithm(comm, text, sizeof text), "last algorithm");
  if (algorithm != "auto")
    row.expect(std::string(text).starts_with(algorithm.substr(0, algorithm.find(':'))), text,
               " ran instead of ", algorithm);
}

void run_algorithms(Runner& runner) {
  std::uint64_t number = 0;
  for (const Placement& placement : placements(runner.ranks())) {
    const PlacedRanks placed(placement, runner.ranks());
    const TestComm comm;
    for (const std::string& algorithm : algorithm_rows(Collective::alltoallv, runner.ranks()))
      runner.run(rondo::text(algorithm, ", ranks ", placement.name), run_algorithm, algorithm, comm,
                 hash(runner.options().seed, number++));
  }
}

/// The lengths that go first, by whatever an alltoall runs.
void run_lengths(Runner& runner) {
  for (const std::string& algorithm : algorithm_rows(Collective::alltoall, runner.ranks()))
    runner.run("lengths first by " + algorithm, [&](Row& row) {
      const TestComm comm;
      set_algorithm(comm, Collective::alltoall, algorithm, row);
      run_algorithm("spread_out", comm, runner.options().seed, row);
    });
}

/// Slots so short that between nodes only blocks of up to 12 or 28 bytes go through them.
void run_short_slots(Runner& runner) {
  for (const int limit : {16, 32})
    for (const Placement& placement : placements(runner.ranks()))
      runner.run(rondo::text("slots of ", limit, " bytes a block, ranks ", placement.name),
                 [&](Row& row) {
                   const std::string bytes = std::to_string(limit * runner.ranks());
                   const Environment slots("RONDO_SLOT_BYTES", bytes.c_str());
                   const PlacedRanks placed(placement, runner.ranks());
                   const TestComm comm;
                   run_algorithm("node_aware", comm, runner.options().seed, row);
                 });
}

/// The calls before set-up and those after it.
void run_forwarded(Runner& runner) {
  for (const char* calls : {"0", "3", "-1"})
    runner.run(rondo::text("RONDO_FORWARD_CALLS=", calls), [&](Row& row) {
      const Environment forwarded("RONDO_FORWARD_CALLS", calls);
      const TestComm comm;
      for (int call = 0; call < 40; ++call)
        run_one(comm, traffics()[2], hash(runner.options().seed, call), row);
    });
}

/// What one rank, the last, does wrong. All ranks return the error.
struct WrongRow {
  const char* name;
  int error_class;
  const char* words;
  void (*bend)(DynamicArguments& arguments);
};

int g_negative[64];

const WrongRow kWrongRows[] = {
    {"a negative count", MPI_ERR_COUNT, "sendcounts[",
     [](DynamicArguments& arguments) {
       std::fill(std::begin(g_negative), std::end(g_negative), -1);
       arguments.send_counts = g_negative;
     }},
    {"no counts", MPI_ERR_ARG, "sendcounts",
     [](DynamicArguments& arguments) { arguments.send_counts = nullptr; }},
    {"no recvcounts", MPI_ERR_ARG, "recvcounts",
     [](DynamicArguments& arguments) { arguments.receive_counts = nullptr; }},
    {"no rdispls", MPI_ERR_ARG, "rdispls",
     [](DynamicArguments& arguments) { arguments.receive_displacements = nullptr; }},
    {"a negative capacity", MPI_ERR_COUNT, "recvcapacity is -3",
     [](DynamicArguments& arguments) { arguments.capacity = -3; }},
    {"no buffer to send from", MPI_ERR_BUFFER, "sendbuf",
     [](DynamicArguments& arguments) { arguments.send_buffer = nullptr; }},
    {"no buffer to receive in", MPI_ERR_BUFFER, "recvbuf",
     [](DynamicArguments& arguments) { arguments.receive_buffer = nullptr; }},
    {"in place", MPI_ERR_BUFFER, "MPI_IN_PLACE",
     [](DynamicArguments& arguments) { arguments.send_buffer = MPI_IN_PLACE; }},
    {"no type to send", MPI_ERR_TYPE, "sendtype",
     [](DynamicArguments& arguments) { arguments.send_type = MPI_DATATYPE_NULL; }},
    {"no type to receive", MPI_ERR_TYPE, "recvtype",
     [](DynamicArguments& arguments) { arguments.receive_type = MPI_DATATYPE_NULL; }},
};

void expect_told(MPI_Comm comm, const WrongRow& wrong, Row& row) {
  const Traffic traffic = traffics()[1];
  DynamicExchange exchange(comm, traffic, 5);
  DynamicArguments arguments = exchange.arguments();
  const int last = ranks_of(comm) - 1;
  const bool is_wrong = rank_of(comm) == last;
  if (is_wrong) wrong.bend(arguments);
  row.expect_error(arguments.call(), wrong.error_class,
                   is_wrong ? wrong.words : rondo::text("rank ", last));
  int spare = 0;
  row.expect_error(Rondo_Alltoallv_dynamic_take(&spare, 1, MPI_INT, comm), MPI_ERR_ARG,
                   "no data of a dynamic exchange");
  DynamicExchange(comm, traffic, 6).run(Place::exact, row);
}

constexpr const char* kOfEveryKind[] = {
    "node_aware", "node_aware:threshold=0", "fused_bruck", "fused_bruck:radix=2:ports=1",
    "spread_out", "two_phase_bruck",        "mpi",         "auto"};

void run_wrong(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks())) {
    const PlacedRanks placed(placement, runner.ranks());
    const TestComm comm;
    for (const char* algorithm : kOfEveryKind)
      for (const WrongRow& wrong : kWrongRows)
        runner.run(rondo::text(wrong.name, ", ", algorithm, ", ranks ", placement.name),
                   [&](Row& row) {
                     set_algorithm(comm, Collective::alltoallv, algorithm, row);
                     expect_told(comm, wrong, row);
                   });
  }
}

/// The last rank receives in a type of two ints what the others send as three.
void expect_whole_elements(const std::string& algorithm, Row& row) {
  const TestComm comm;
  set_algorithm(comm, Collective::alltoallv, algorithm, row);
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  const std::vector<int> counts(ranks, 3);
  const std::vector<int> displacements(ranks, 0);
  const int sent[] = {1, 2, 3};
  std::vector<int> received(3 * ranks), receive_counts(ranks), receive_displacements(ranks);
  const bool is_wrong = rank_of(comm) == ranks_of(comm) - 1;
  const PairType pairs(false);
  const int code = Rondo_Alltoallv_dynamic(
      sent, counts.data(), displacements.data(), MPI_INT, received.data(), 3 * ranks_of(comm),
      receive_counts.data(), receive_displacements.data(), is_wrong ? pairs : MPI_INT, comm);
  if (is_wrong)
    row.expect_error(code, MPI_ERR_TRUNCATE, "no whole number of elements");
  else
    row.expect_success(code, "Rondo_Alltoallv_dynamic");
  DynamicExchange(comm, traffics()[2], 7).run(Place::exact, row);
}

void expect_kept_until_next(Row& row) {
  const TestComm comm;
  DynamicExchange exchange(comm, traffics()[1], 8);
  std::vector<int> room(2 * static_cast<std::size_t>(exchange.total()));
  const PairType pairs(false);
  row.expect_error(Rondo_Alltoallv_dynamic_take(room.data(), exchange.total(), pairs, comm),
                   MPI_ERR_ARG, "no dynamic exchange");
  exchange.run(Place::too_small, row);
  row.expect_error(Rondo_Alltoallv_dynamic_take(room.data(), exchange.total(), MPI_INT, comm),
                   MPI_ERR_TYPE, "recvtype");
  row.expect_error(Rondo_Alltoallv_dynamic_take(nullptr, exchange.total(), pairs, comm),
                   MPI_ERR_BUFFER, "recvbuf");
  row.expect_success(Rondo_Alltoallv_dynamic_take(room.data(), exchange.total(), pairs, comm),
                     "a second time");
  exchange.run(Place::exact, row);
  row.expect_error(Rondo_Alltoallv_dynamic_take(room.data(), exchange.total(), pairs, comm),
                   MPI_ERR_ARG, "no data");
}

void expect_other_comms_refused(Row& row) {
  DynamicExchange exchange(MPI_COMM_WORLD, traffics()[1], 9);
  DynamicArguments arguments = exchange.arguments();
  const int former = Rondo_Errors_return(1);
  arguments.comm = MPI_COMM_NULL;
  row.expect_error(arguments.call(), MPI_ERR_COMM, "MPI_COMM_NULL");
  Rondo_Errors_return(former);
  if (ranks_of(MPI_COMM_WORLD) < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  const bool is_first = rank_of(MPI_COMM_WORLD) == 0;
  must(MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : 1, 0, &half));
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_first ? 1 : 0, 3, &inter));
  must(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  arguments.comm = inter;
  row.expect_error(arguments.call(), MPI_ERR_COMM, "inter-communicator");
  must(MPI_Comm_free(&inter));
  must(MPI_Comm_free(&half));
}

/// One after another on a communicator of all ranks, in reverse order, and on halves of it.
void run_sequence(const std::string& algorithm, std::uint64_t seed, int exchanges, Row& row) {
  const int rank = rank_of(MPI_COMM_WORLD);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm half = MPI_COMM_NULL;
  must(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all));
  must(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
  for (MPI_Comm comm : {all, half}) {
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    set_algorithm(comm, Collective::alltoallv, algorithm, row);
  }
  const auto kinds = traffics();
  for (int number = 0; number < exchanges; ++number) {
    Random random(hash(seed, number));
    MPI_Comm comm = random.below(3) == 0 ? half : all;
    run_one(comm, kinds[random.below(kinds.size())], random.next(), row);
  }
  must(MPI_Comm_free(&all));
  must(MPI_Comm_free(&half));
}

void run_sequences(Runner& runner) {
  const int exchanges = runner.options().all ? 1000 : 60;
  std::uint64_t number = 0;
  for (const Placement& placement : placements(runner.ranks()))
    for (const char* algorithm :
         {"auto", "node_aware:threshold=256", "fused_bruck:threshold=256", "spread_out"}) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      runner.run(rondo::text(exchanges, " exchanges, ", algorithm, ", ranks ", placement.name),
                 [&](Row& row) {
                   const PlacedRanks placed(placement, runner.ranks());
                   run_sequence(algorithm, seed, exchanges, row);
                 });
    }
}

/// Every thread has a communicator of its own.
void run_threads(std::uint64_t seed, Row& row) {
  constexpr std::size_t kThreads = 3;
  std::vector<TestComm> comms(kThreads);
  std::vector<Row> rows(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      const auto kinds = traffics();
      for (int number = 0; number < 60; ++number)
        run_one(comms[thread], kinds[hash(seed, thread, number) % kinds.size()],
                hash(seed, thread, number), rows[thread]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Row& one : rows) row.expect(!one.failed(), one.failure());
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "dynamic", MPI_THREAD_MULTIPLE);
  run_algorithms(runner);
  run_lengths(runner);
  run_short_slots(runner);
  run_forwarded(runner);
  run_wrong(runner);
  for (const std::string algorithm : {"node_aware", "fused_bruck", "spread_out"})
    runner.run("no whole elements, " + algorithm, expect_whole_elements, algorithm);
  runner.run("what is kept", expect_kept_until_next);
  runner.run("communicators that are refused", expect_other_comms_refused);
  run_sequences(runner);
  if (runner.thread_level() >= MPI_THREAD_MULTIPLE)
    runner.run("threads", run_threads, runner.options().seed);
  return runner.finish();
}
