// Sparse exchanges: each rank names only the ranks to which it sends. Every algorithm, every way to
// receive, types that must be packed, on the nodes that there are and on some that do not exist;
// errors on one rank; long sequences at random; threads.
#include "support/sparse.hpp"

#include <rondo/rondo.h>

#include <algorithm>
#include <thread>

#include "support/environment.hpp"
#include "support/placement.hpp"

namespace {

using namespace rondo::testing;

/// Differs from rank to rank, since each may choose.
Place place_for(std::uint64_t seed, int rank) {
  return static_cast<Place>(hash(seed, rank, 0x9a) % static_cast<std::uint64_t>(Place::count));
}

void exchange_one(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Row& row) {
  const int rank = rank_of(comm);
  const std::uint64_t types = hash(seed, rank, 0x7e);
  SparseExchange exchange(comm, traffic, seed, {(types & 1) != 0, (types & 2) != 0});
  exchange.run(place_for(seed, rank), row);
}

/// Twice for each traffic, so that both parities of a segment, or of counters, are used.
void run_algorithm(const std::string& algorithm, MPI_Comm comm, std::uint64_t seed, Row& row) {
  set_sparse_algorithm(comm, algorithm, row);
  int number = 0;
  for (const Traffic& traffic : sparse_traffics())
    for (int time = 0; time < 2; ++time) exchange_one(comm, traffic, hash(seed, number++), row);
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
    for (const std::string& algorithm : sparse_algorithms())
      runner.run(rondo::text(algorithm, ", ranks ", placement.name), run_algorithm, algorithm, comm,
                 hash(runner.options().seed, number++));
  }
}

/// Without shared memory `auto` and node_aware run something else.
void run_without_node(Runner& runner) {
  for (const char* algorithm : {"auto", "node_aware"})
    runner.run(rondo::text(algorithm, " without shared memory"), [&](Row& row) {
      const Environment slots("RONDO_SLOT_BYTES", "0");
      const TestComm comm;
      set_sparse_algorithm(comm, algorithm, row);
      for (const Traffic& traffic : sparse_traffics())
        exchange_one(comm, traffic, runner.options().seed, row);
      char text[200] = "";
      row.expect_success(Rondo_Comm_get_last_algorithm(comm, text, sizeof text), "last algorithm");
      row.expect(!std::string(text).starts_with("node_aware"), text, " ran");
    });
}

/// The calls before set-up and those after it.
void run_forwarded(Runner& runner) {
  for (const char* calls : {"0", "3", "-1"})
    runner.run(rondo::text("RONDO_FORWARD_CALLS=", calls), [&](Row& row) {
      const Environment forwarded("RONDO_FORWARD_CALLS", calls);
      const TestComm comm;
      const auto kinds = sparse_traffics();
      for (std::size_t call = 0; call < 40; ++call)
        exchange_one(comm, kinds[call % kinds.size()], hash(runner.options().seed, call), row);
    });
}

void run_named(Runner& runner) {
  runner.run("RONDO_SPARSE_ALLTOALLV=nbx", [&](Row& row) {
    const Environment named("RONDO_SPARSE_ALLTOALLV", "nbx:threshold=100");
    const TestComm comm;
    exchange_one(comm, sparse_traffics().back(), 3, row);
    char text[200] = "";
    row.expect_success(Rondo_Comm_get_algorithm(comm, "sparse_alltoallv", text, sizeof text),
                       "Rondo_Comm_get_algorithm");
    row.expect(std::string(text) == "nbx:threshold=100", text, " runs");
  });
}

/// What one rank, the last, does wrong. All ranks return the error.
struct WrongRow {
  const char* name;
  int error_class;
  const char* words;
  void (*bend)(SparseArguments& arguments);
};

int g_bad[64];

/// One destination, `rank`, with a count of `count`.
void name_one(SparseArguments& arguments, int rank, int count) {
  g_bad[0] = rank;
  g_bad[1] = count;
  g_bad[2] = 0;
  arguments.destination_count = 1;
  arguments.destinations = &g_bad[0];
  arguments.send_counts = &g_bad[1];
  arguments.send_displacements = &g_bad[2];
}

const WrongRow kWrongRows[] = {
    {"a negative count", MPI_ERR_COUNT, "sendcounts[0] is -1",
     [](SparseArguments& arguments) { name_one(arguments, 0, -1); }},
    {"a rank that does not exist", MPI_ERR_ARG, "destinations[0] is 1000",
     [](SparseArguments& arguments) { name_one(arguments, 1000, 1); }},
    {"a negative rank", MPI_ERR_ARG, "destinations[0] is -2",
     [](SparseArguments& arguments) { name_one(arguments, -2, 1); }},
    {"a rank twice", MPI_ERR_ARG, "destinations names rank 0 twice",
     [](SparseArguments& arguments) {
       std::fill(std::begin(g_bad), std::end(g_bad), 0);
       arguments.destination_count = 2;
       arguments.destinations = arguments.send_counts = arguments.send_displacements = g_bad;
     }},
    {"a negative number of destinations", MPI_ERR_COUNT, "ndestinations is -1",
     [](SparseArguments& arguments) { arguments.destination_count = -1; }},
    {"no destinations", MPI_ERR_ARG, "destinations is a null pointer",
     [](SparseArguments& arguments) {
       name_one(arguments, 0, 1);
       arguments.destinations = nullptr;
     }},
    {"no counts", MPI_ERR_ARG, "sendcounts",
     [](SparseArguments& arguments) {
       name_one(arguments, 0, 1);
       arguments.send_counts = nullptr;
     }},
    {"no sources", MPI_ERR_ARG, "sources is a null pointer",
     [](SparseArguments& arguments) { arguments.sources = nullptr; }},
    {"a negative capacity", MPI_ERR_COUNT, "recvcapacity is -3",
     [](SparseArguments& arguments) { arguments.capacity = -3; }},
    {"no buffer to send from", MPI_ERR_BUFFER, "sendbuf",
     [](SparseArguments& arguments) { arguments.send_buffer = nullptr; }},
    {"in place", MPI_ERR_BUFFER, "a sparse exchange is not in place",
     [](SparseArguments& arguments) { arguments.send_buffer = MPI_IN_PLACE; }},
    {"no type to send", MPI_ERR_TYPE, "sendtype",
     [](SparseArguments& arguments) { arguments.send_type = MPI_DATATYPE_NULL; }},
    {"no type to receive", MPI_ERR_TYPE, "recvtype",
     [](SparseArguments& arguments) { arguments.receive_type = MPI_DATATYPE_NULL; }},
};

void expect_told(MPI_Comm comm, const WrongRow& wrong, Row& row) {
  const Traffic traffic = sparse_traffics()[1];
  SparseExchange exchange(comm, traffic, 5);
  SparseArguments arguments = exchange.arguments();
  const int last = ranks_of(comm) - 1;
  const bool is_wrong = rank_of(comm) == last;
  if (is_wrong) wrong.bend(arguments);
  row.expect_error(arguments.call(), wrong.error_class,
                   is_wrong ? wrong.words : rondo::text("rank ", last));
  if (arguments.sources != nullptr)
    row.expect(arguments.sources->count == 0, "there are sources after an error");
  int spare = 0;
  row.expect_error(Rondo_Alltoallv_dynamic_take(&spare, 1, MPI_INT, comm), MPI_ERR_ARG,
                   "no data of a dynamic exchange");
  SparseExchange(comm, traffic, 6).run(Place::exact, row);
}

void run_wrong(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks())) {
    const PlacedRanks placed(placement, runner.ranks());
    const TestComm comm;
    for (const std::string& algorithm : sparse_algorithms())
      for (const WrongRow& wrong : kWrongRows)
        runner.run(rondo::text(wrong.name, ", ", algorithm, ", ranks ", placement.name),
                   [&](Row& row) {
                     set_sparse_algorithm(comm, algorithm, row);
                     expect_told(comm, wrong, row);
                   });
  }
  for (const WrongRow& wrong : kWrongRows)
    runner.run(rondo::text(wrong.name, ", forwarded"), [&](Row& row) {
      const Environment forwarded("RONDO_FORWARD_CALLS", "9");
      expect_told(TestComm(), wrong, row);
    });
}

/// The last rank receives in a type of two ints what the others send as three.
void expect_whole_elements(const std::string& algorithm, Row& row) {
  const TestComm comm;
  set_sparse_algorithm(comm, algorithm, row);
  const int last = ranks_of(comm) - 1;
  const int count = 3;
  const int displacement = 0;
  const int sent[] = {1, 2, 3};
  std::vector<int> received(3 * static_cast<std::size_t>(ranks_of(comm)));
  Rondo_Sources sources{};
  const bool is_wrong = rank_of(comm) == last;
  const PairType pairs(false);
  const int code =
      Rondo_Sparse_alltoallv(sent, 1, &last, &count, &displacement, MPI_INT, received.data(),
                             3 * ranks_of(comm), is_wrong ? pairs : MPI_INT, &sources, comm);
  if (is_wrong)
    row.expect_error(code, MPI_ERR_TRUNCATE, "rank 0 sends 12 bytes, which are no whole number");
  else
    row.expect_success(code, "Rondo_Sparse_alltoallv");
  SparseExchange(comm, sparse_traffics()[2], 7).run(Place::exact, row);
}

void expect_inter_refused(Row& row) {
  if (ranks_of(MPI_COMM_WORLD) < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  const bool is_first = rank_of(MPI_COMM_WORLD) == 0;
  must(MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : 1, 0, &half));
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_first ? 1 : 0, 3, &inter));
  must(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  SparseExchange exchange(MPI_COMM_WORLD, sparse_traffics()[1], 9);
  SparseArguments arguments = exchange.arguments();
  arguments.comm = inter;
  row.expect_error(arguments.call(), MPI_ERR_COMM, "inter-communicator");
  must(MPI_Comm_free(&inter));
  must(MPI_Comm_free(&half));
}

/// This makes the windows of `rma`. Open MPI 4.1 cannot make those of both halves at the same time
/// (engines/sparse/rma.cpp).
void set_on_halves(MPI_Comm half, const std::string& algorithm, Row& row) {
  for (const int turn : {0, 1}) {
    if (rank_of(MPI_COMM_WORLD) % 2 == turn) set_sparse_algorithm(half, algorithm, row);
    must(MPI_Barrier(MPI_COMM_WORLD));
  }
}

/// One after another, without anything that would hold ranks together, on a communicator of all ranks,
/// in reverse order, and on halves of it. Dynamic exchanges are among them.
void run_sequence(const std::string& algorithm, std::uint64_t seed, int exchanges, Row& row) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const TestComm all(new_comm(0, -rank));
  const TestComm half(new_comm(rank % 2));
  set_sparse_algorithm(all, algorithm, row);
  set_on_halves(half, algorithm, row);
  const auto kinds = sparse_traffics();
  const std::size_t few = kinds.size() - 3;
  for (int number = 0; number < exchanges; ++number) {
    Random random(hash(seed, number));
    const MPI_Comm comm = random.below(3) == 0 ? half : all;
    const std::size_t kind = random.below(20) == 0 ? random.below(kinds.size()) : few;
    if (random.below(16) == 0)
      DynamicExchange(comm, kinds[kind], random.next()).run(Place::exact, row);
    else
      exchange_one(comm, kinds[kind], random.next(), row);
  }
}

void run_sequences(Runner& runner) {
  const int exchanges = runner.options().all ? 10'000 : 1000;
  std::uint64_t number = 0;
  for (const Placement& placement : placements(runner.ranks()))
    for (const char* algorithm :
         {"nbx", "nbx:threshold=0", "personalized", "rma", "fused_bruck", "node_aware", "mpi"}) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      runner.run(rondo::text(exchanges, " exchanges, ", algorithm, ", ranks ", placement.name,
                             ", seed ", seed),
                 [&](Row& row) {
                   const PlacedRanks placed(placement, runner.ranks());
                   run_sequence(algorithm, seed, exchanges, row);
                 });
    }
}

/// Every thread has a communicator of its own.
void run_threads(std::uint64_t seed, Row& row) {
  constexpr const char* kAlgorithms[] = {"nbx", "personalized", "node_aware"};
  std::vector<TestComm> comms(std::size(kAlgorithms));
  std::vector<Row> rows(comms.size());
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < comms.size(); ++thread)
    set_sparse_algorithm(comms[thread], kAlgorithms[thread], row);
  for (std::size_t thread = 0; thread < comms.size(); ++thread)
    threads.emplace_back([&, thread] {
      const auto kinds = sparse_traffics();
      for (int number = 0; number < 60; ++number)
        exchange_one(comms[thread], kinds[hash(seed, thread, number) % kinds.size()],
                     hash(seed, thread, number), rows[thread]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Row& one : rows) row.expect(!one.failed(), one.failure());
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "sparse", MPI_THREAD_MULTIPLE);
  run_algorithms(runner);
  run_without_node(runner);
  run_forwarded(runner);
  run_named(runner);
  run_wrong(runner);
  for (const std::string& algorithm : sparse_algorithms())
    runner.run("no whole elements, " + algorithm, expect_whole_elements, algorithm);
  runner.run("inter-communicators", expect_inter_refused);
  run_sequences(runner);
  if (runner.thread_level() >= MPI_THREAD_MULTIPLE)
    runner.run("threads", run_threads, runner.options().seed);
  return runner.finish();
}
