#include "support/dynamic_rows.hpp"

#include "support/environment.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"
#include "support/threads.hpp"

namespace rondo::testing {

namespace {

template <class Choice>
Choice choice_of(std::uint64_t number) {
  return static_cast<Choice>(number % static_cast<std::uint64_t>(Choice::count));
}

std::span<const Traffic> traffics_of(Kind kind) {
  return kind == Kind::dense ? traffics() : sparse_traffics();
}

/// Sparse exchanges mostly have few partners.
const Traffic& traffic_of_sequence(Kind kind, Random& random) {
  const auto all = traffics_of(kind);
  if (kind == Kind::sparse && random.below(20) != 0) return named_traffic("few partners");
  return all[random.below(all.size())];
}

void run_sequence(Kind kind, const std::string& algorithm, std::uint64_t seed, int exchanges,
                  Row& row) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const TestComm all(new_comm(0, -rank));
  const TestComm half(new_comm(rank % 2));
  set_algorithm(all, kind, algorithm, row);
  set_algorithm(half, kind, algorithm, row);
  const Kind other = kind == Kind::dense ? Kind::sparse : Kind::dense;
  for (int number = 0; number < exchanges; ++number) {
    Random random(hash(seed, number));
    const MPI_Comm comm = random.below(3) == 0 ? half : all;
    const Traffic& traffic = traffic_of_sequence(kind, random);
    exchange_one(random.below(16) == 0 ? other : kind, comm, traffic, random.next(), row);
  }
}

void expect_whole_elements(Kind kind, const std::string& algorithm, Row& row) {
  const TestComm comm;
  set_algorithm(comm, kind, algorithm, row);
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  DynamicExchange exchange(kind, comm, named_traffic("one pair to everybody"), 5);
  AnyArguments arguments = exchange.arguments();
  const bool is_wrong = rank_of(comm) == ranks_of(comm) - 1;
  const PairType pairs(PairLayout::side_by_side);
  const MPI_Datatype types[] = {MPI_INT, is_wrong ? static_cast<MPI_Datatype>(pairs) : MPI_INT};
  const std::vector<int> counts(ranks, 3);
  const std::vector<int> displacements(ranks, 0);
  std::vector<int> sent(3), received(3 * ranks);
  arguments.send = {sent.data(), counts.data(), displacements.data(), &types[0]};
  arguments.receive.buffer = received.data();
  arguments.receive.types = &types[1];
  arguments.capacity = 3 * ranks_of(comm);
  std::vector<int> everybody(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) everybody[rank] = static_cast<int>(rank);
  arguments.destination_count = ranks_of(comm);
  arguments.destinations = everybody.data();
  const int code = call_dynamic(kind, arguments, comm);
  if (is_wrong)
    row.expect_error(code, MPI_ERR_TRUNCATE,
                     "rank 0 sends 12 bytes, which is not a multiple of recvtype's size, 8 bytes");
  else
    row.expect_success(code, "the exchange");
  DynamicExchange(kind, comm, named_traffic("uneven"), 7).run(Place::exact, row);
}

/// What is kept may be taken any number of times until the next exchange.
void expect_kept_until_next(Kind kind, Row& row) {
  const TestComm comm;
  DynamicExchange exchange(kind, comm, named_traffic("one pair to everybody"), 8);
  const int total = exchange.total();
  const PairType type(PairLayout::side_by_side);
  PairMemory memory(type, static_cast<std::size_t>(total));
  const auto take = [&](void* buffer, MPI_Datatype of) {
    return Rondo_Alltoallv_dynamic_take(buffer, total, of, comm);
  };
  row.expect_error(take(memory.address(), type), MPI_ERR_ARG, "no dynamic exchange");
  exchange.run(Place::too_small, row);
  row.expect_error(take(memory.address(), MPI_INT), MPI_ERR_TYPE, "recvtype");
  row.expect_error(take(memory.address(), MPI_DATATYPE_NULL), MPI_ERR_TYPE, "recvtype");
  row.expect_error(take(nullptr, type), MPI_ERR_BUFFER, "recvbuf");
  row.expect_success(take(memory.address(), type), "a second time");
  exchange.run(Place::exact, row);
  row.expect_error(take(memory.address(), type), MPI_ERR_ARG, "no data");
}

/// Both types have the same size and extent, but their elements touch other bytes.
void expect_other_bounds_refused(Kind kind, Row& row) {
  const TestComm comm;
  DynamicExchange exchange(kind, comm, named_traffic("one pair to everybody"), 8,
                           {.receive = PairLayout::spread});
  exchange.run(Place::too_small, row);
  const PairType raised(PairLayout::raised);
  PairMemory memory(raised, static_cast<std::size_t>(exchange.total()));
  const PairMemory untouched = memory;
  row.expect_error(Rondo_Alltoallv_dynamic_take(memory.address(), exchange.total(), raised, comm),
                   MPI_ERR_TYPE, "recvtype is not the type");
  row.expect(memory == untouched, "something was written");
}

void expect_other_comms_refused(Kind kind, Row& row) {
  DynamicExchange exchange(kind, MPI_COMM_WORLD, named_traffic("one pair to everybody"), 9);
  const AnyArguments arguments = exchange.arguments();
  const int former = Rondo_Errors_return(1);
  row.expect_error(call_dynamic(kind, arguments, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
  Rondo_Errors_return(former);
  if (ranks_of(MPI_COMM_WORLD) < 2) return;
  const TestComm inter(new_inter_comm());
  row.expect_error(call_dynamic(kind, arguments, inter), MPI_ERR_COMM, "inter-communicator");
}

}  // namespace

void set_algorithm(MPI_Comm comm, Kind kind, const std::string& algorithm, Row& row) {
  set_algorithm(comm, collective_of(kind), algorithm.c_str(), row);
}

DynamicExchange::Types drawn_types(MPI_Comm comm, std::uint64_t seed) {
  const auto layout = [&](int side) {
    return choice_of<PairLayout>(hash(seed, rank_of(comm), 0x7e, side));
  };
  return {.send = layout(0), .receive = layout(1)};
}

Place drawn_place(MPI_Comm comm, std::uint64_t seed) {
  return choice_of<Place>(hash(seed, rank_of(comm), 0x9a));
}

void exchange_one(Kind kind, MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Row& row) {
  DynamicExchange exchange(kind, comm, traffic, seed, drawn_types(comm, seed));
  exchange.run(drawn_place(comm, seed), row);
}

void run_algorithm(Kind kind, const std::string& algorithm, MPI_Comm comm, std::uint64_t seed,
                   Row& row) {
  set_algorithm(comm, kind, algorithm, row);
  int number = 0;
  for (const Traffic& traffic : traffics_of(kind))
    for (int time = 0; time < 2; ++time)
      exchange_one(kind, comm, traffic, hash(seed, number++), row);
  const std::string last = last_algorithm(comm, row);
  row.expect(algorithm == "auto" || last.starts_with(algorithm.substr(0, algorithm.find(':'))),
             last, " ran instead of ", algorithm);
}

void DynamicRows::run_algorithms(const Names& algorithms) {
  const auto where = placements(runner_.ranks());
  const std::uint64_t seed = hash(runner_.options().seed, kind_);
  std::uint64_t number = 0;
  for (const std::string& algorithm : thinned(algorithms, runner_, 4, 0xa1))
    for (const Placement& placement : drawn(where, runner_.options(), number++))
      run_placed(placement, runner_, algorithm, [&](Row& row) {
        run_algorithm(kind_, algorithm, TestComm(), hash(seed, number), row);
      });
}

void DynamicRows::run_forwarded() {
  for (const char* calls : {"0", "3", "-1"})
    runner_.run(rondo::text("RONDO_FORWARD_CALLS=", calls), [&](Row& row) {
      const Environment forwarded("RONDO_FORWARD_CALLS", calls);
      const TestComm comm;
      const auto all = traffics_of(kind_);
      for (std::size_t call = 0; call < 40; ++call)
        exchange_one(kind_, comm, all[call % all.size()], hash(runner_.options().seed, call), row);
    });
}

void DynamicRows::run_whole_elements(const Names& algorithms) {
  for (const std::string& algorithm : thinned(algorithms, runner_, 4, 0x3e))
    runner_.run("no whole elements, " + algorithm, expect_whole_elements, kind_, algorithm);
}

void DynamicRows::run_kept() {
  runner_.run("what is kept", expect_kept_until_next, kind_);
  runner_.run("what is kept, other bounds", expect_other_bounds_refused, kind_);
}

void DynamicRows::run_refused_comms() {
  runner_.run("communicators that are refused", expect_other_comms_refused, kind_);
}

void DynamicRows::run_sequences(const Names& algorithms, int most) {
  const int exchanges = most / static_cast<int>(one_in(runner_, 4));
  const auto where = placements(runner_.ranks());
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    for (const Placement& placement : drawn(where, runner_.options(), hash(i, 0x5e)))
      run_placed(placement, runner_, rondo::text(exchanges, " exchanges, ", algorithms[i]),
                 run_sequence, kind_, algorithms[i], hash(runner_.options().seed, i), exchanges);
}

void DynamicRows::run_threads(const Names& algorithms) {
  if (runner_.thread_level() < MPI_THREAD_MULTIPLE) return;
  runner_.run("threads", [&](Row& row) {
    std::vector<TestComm> comms(algorithms.size());
    for (std::size_t thread = 0; thread < comms.size(); ++thread)
      set_algorithm(comms[thread], kind_, algorithms[thread], row);
    run_in_threads(comms.size(), row, [&](std::size_t thread, Row& own) {
      const auto all = traffics_of(kind_);
      for (std::uint64_t number = 0; number < 60 / one_in(runner_, 4); ++number) {
        const std::uint64_t seed = hash(runner_.options().seed, thread, number);
        exchange_one(kind_, comms[thread], all[seed % all.size()], seed, own);
      }
    });
  });
}

}  // namespace rondo::testing
