// Every function of rondo.hpp, under each of MPI's error handlers. Needs no test framework.
#include <algorithm>
#include <complex>
#include <iostream>
#include <numeric>
#include <rondo/rondo.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace {

int g_rank = 0;
int g_ranks = 0;
int g_failures = 0;

void expect(bool condition, const std::string& what) {
  if (condition) return;
  ++g_failures;
  std::cerr << "rank " << g_rank << ": " << what << '\n';
}

/// Expects that `call` throws an error of this class, with `word` in its text.
template <class Call>
void expect_exception(int error_class, const std::string& word, Call&& call) {
  try {
    call();
    expect(false, "no exception about " + word);
  } catch (const rondo::Exception& error) {
    expect(error.error_class() == error_class, word + ": class " +
                                                   std::to_string(error.error_class()) +
                                                   " instead of " + std::to_string(error_class));
    expect(std::string(error.what()).find(word) != std::string::npos,
           std::string("'") + error.what() + "' does not say " + word);
  }
}

std::size_t ranks() {
  return static_cast<std::size_t>(g_ranks);
}

/// Element i of the block from rank `from` to rank `to`.
template <class T>
T element(int from, int to, int i) {
  return static_cast<T>(((from * g_ranks + to) * 3 + i) % 101);
}

/// The blocks that this rank sends or receives, of count(from, to) elements each.
template <class T, class Count>
std::vector<T> blocks(bool sent, Count&& count) {
  std::vector<T> out;
  for (int q = 0; q < g_ranks; ++q) {
    const int from = sent ? g_rank : q;
    const int to = sent ? q : g_rank;
    for (int i = 0; i < count(from, to); ++i) out.push_back(element<T>(from, to, i));
  }
  return out;
}

template <class Count>
std::vector<int> counts(bool sent, Count&& count) {
  std::vector<int> out;
  for (int q = 0; q < g_ranks; ++q) out.push_back(sent ? count(g_rank, q) : count(q, g_rank));
  return out;
}

int two(int, int) {
  return 2;
}
int uneven(int from, int to) {
  return (2 * from + to) % 4;
}
int symmetric(int from, int to) {
  return (from + to) % 4;
}

template <class T>
void test_types(MPI_Comm comm) {
  const auto send = blocks<T>(true, two);
  std::vector<T> recv(send.size());
  rondo::alltoall(send, recv, comm);
  expect(recv == blocks<T>(false, two), "alltoall");
  recv = send;
  rondo::alltoall(rondo::in_place, std::span(recv), comm);
  expect(recv == blocks<T>(false, two), "alltoall in place");

  const auto expected = blocks<T>(false, uneven);
  recv.assign(expected.size(), T{});
  rondo::alltoallv(blocks<T>(true, uneven), counts(true, uneven), recv, counts(false, uneven),
                   comm);
  expect(recv == expected, "alltoallv, packed");
  recv = blocks<T>(true, symmetric);
  rondo::alltoallv(rondo::in_place, recv, counts(true, symmetric), comm);
  expect(recv == blocks<T>(false, symmetric), "alltoallv in place");
}

void test_displacements(MPI_Comm comm) {
  const std::vector<int> ones(ranks(), 1);
  std::vector<int> forward(ranks());
  std::iota(forward.begin(), forward.end(), 0);
  const std::vector<int> backward(forward.rbegin(), forward.rend());
  std::vector<int> send;
  for (int q = 0; q < g_ranks; ++q) send.push_back(element<int>(g_rank, q, 0));
  std::vector<int> recv(ranks());
  rondo::alltoallv(send, ones, forward, recv, ones, backward, comm);
  for (int q = 0; q < g_ranks; ++q)
    expect(recv[ranks() - 1 - static_cast<std::size_t>(q)] == element<int>(q, g_rank, 0),
           "alltoallv with displacements");
}

template <class T>
void expect_received(const rondo::Received<T>& received, const std::string& what) {
  expect(received.data == blocks<T>(false, uneven), what + ": data");
  expect(received.counts == counts(false, uneven), what + ": counts");
  std::size_t next = 0;
  for (std::size_t q = 0; q < ranks(); ++q) {
    const auto block = received.from(q);
    expect(block.data() == received.data.data() + next, what + ": displacements");
    next += block.size();
  }
}

/// alltoallv without receive counts, also with the blocks from back to front in memory.
void test_left_out(MPI_Comm comm) {
  const auto sendcounts = counts(true, uneven);
  expect_received(rondo::alltoallv(blocks<double>(true, uneven), sendcounts, comm),
                  "alltoallv without receive counts");
  std::vector<double> send;
  std::vector<int> sdispls(ranks());
  for (int q = g_ranks - 1; q >= 0; --q) {
    const auto to = static_cast<std::size_t>(q);
    sdispls[to] = static_cast<int>(send.size());
    for (int i = 0; i < sendcounts[to]; ++i) send.push_back(element<double>(g_rank, q, i));
  }
  expect_received(rondo::alltoallv(send, sendcounts, sdispls, comm),
                  "alltoallv with displacements, without receive counts");
  const std::vector<int> twos(ranks(), 2);
  expect_exception(MPI_ERR_BUFFER, "send has 1 elements",
                   [&] { std::ignore = rondo::alltoallv(std::vector<int>(1), twos, comm); });
  expect_exception(MPI_ERR_ARG, "sendcounts has", [&] {
    std::ignore = rondo::alltoallv(send, std::vector<int>(ranks() + 1), comm);
  });
}

void test_dynamic(MPI_Comm comm) {
  const auto send = blocks<double>(true, uneven);
  const auto sendcounts = counts(true, uneven);
  std::vector<int> sdispls(ranks());
  std::exclusive_scan(sendcounts.begin(), sendcounts.end(), sdispls.begin(), 0);
  expect_received(rondo::alltoallv_dynamic(send, sendcounts, comm), "alltoallv_dynamic");
  rondo::Received<double> received;
  received.data.assign(1000, -1.0);
  const double* const memory = received.data.data();
  rondo::alltoallv_dynamic(send, sendcounts, sdispls, received, comm);
  expect_received(received, "alltoallv_dynamic again");
  expect(received.data.data() == memory, "alltoallv_dynamic in memory of its own");

  const auto expected = blocks<double>(false, uneven);
  const int size = static_cast<int>(expected.size());
  std::vector<double> recv(expected.size(), -1.0);
  std::vector<int> recvcounts(ranks()), rdispls(ranks());
  const auto receive = [&](int capacity) {
    rondo::alltoallv_dynamic(send.data(), sendcounts, sdispls, MPI_DOUBLE, recv.data(), capacity,
                             recvcounts, rdispls, MPI_DOUBLE, comm);
  };
  receive(size);
  expect(recv == expected && recvcounts == counts(false, uneven), "alltoallv_dynamic of doubles");
  rondo::prepare(comm);
  recv.assign(expected.size(), -1.0);
  rondo::Request first = rondo::ialltoallv_dynamic(send, sendcounts, sdispls, received, comm);
  rondo::Request second =
      rondo::ialltoallv_dynamic(send.data(), sendcounts, sdispls, MPI_DOUBLE, recv.data(), size,
                                recvcounts, rdispls, MPI_DOUBLE, comm);
  second.wait();
  first.wait();
  expect_received(received, "ialltoallv_dynamic");
  expect(recv == expected && recvcounts == counts(false, uneven), "ialltoallv_dynamic of doubles");
  if (size == 0) return receive(0);
  recv.assign(expected.size(), -1.0);
  expect_exception(MPI_ERR_TRUNCATE, std::to_string(size) + " elements have arrived",
                   [&] { receive(size - 1); });
  rondo::dynamic_take(recv.data(), size, MPI_DOUBLE, comm);
  expect(recv == expected && recvcounts == counts(false, uneven), "dynamic_take");
}

/// Every rank sends its rank to the next two, as often as it is.
void test_sparse(MPI_Comm comm) {
  std::vector<int> destinations, sendcounts;
  for (int i = 1; i <= std::min(2, g_ranks); ++i) {
    destinations.push_back((g_rank + i) % g_ranks);
    sendcounts.push_back(i);
  }
  const std::vector<double> send(3, g_rank);
  const auto received = rondo::sparse_alltoallv(send, destinations, sendcounts, comm);
  std::vector<double> expected;
  std::vector<int> sources;
  for (int q = 0; q < g_ranks; ++q)
    for (int i = 1; i <= std::min(2, g_ranks); ++i) {
      if ((q + i) % g_ranks != g_rank) continue;
      sources.push_back(q);
      expected.insert(expected.end(), static_cast<std::size_t>(i), q);
    }
  expect(received.data == expected && received.sources == sources, "sparse_alltoallv");
  for (std::size_t i = 0; i < sources.size(); ++i)
    expect(received.block(i).size() == static_cast<std::size_t>(received.counts[i]) &&
               received.block(i).front() == sources[i],
           "a block of sparse_alltoallv");

  rondo::SparseReceived<double> again;
  again.data.assign(1000, -1.0);
  const double* const memory = again.data.data();
  const std::vector<int> sdispls(destinations.size(), 0);
  rondo::sparse_alltoallv(send, destinations, sendcounts, sdispls, again, comm);
  expect(again.data == expected && again.data.data() == memory, "sparse_alltoallv again");

  Rondo_Sources found;
  std::vector<double> recv(expected.size());
  const auto receive = [&](int capacity) {
    rondo::sparse_alltoallv(send.data(), destinations, sendcounts, sdispls, MPI_DOUBLE, recv.data(),
                            capacity, MPI_DOUBLE, found, comm);
  };
  const int size = static_cast<int>(expected.size());
  expect_exception(MPI_ERR_TRUNCATE, std::to_string(size) + " elements have arrived",
                   [&] { receive(size - 1); });
  rondo::dynamic_take(recv.data(), size, MPI_DOUBLE, comm);
  expect(recv == expected && found.count == static_cast<int>(sources.size()),
         "dynamic_take after sparse_alltoallv");
  expect(rondo::sparse_alltoallv(send, {}, {}, comm).sources.empty(),
         "sparse_alltoallv of nothing");

  rondo::Plan plan = rondo::Plan::sparse_alltoallv(send, destinations, sendcounts, sdispls, comm);
  const rondo::Plan moved = std::move(plan);
  expect(moved.sources().count == static_cast<int>(sources.size()) &&
             moved.arriving() == expected.size(),
         "the sources of a plan");
  for (int time = 0; time < 3; ++time) {
    recv.assign(expected.size(), -1.0);
    if (time == 2)
      moved.start(send, recv).wait();
    else
      moved.execute(send, recv);
    expect(recv == expected, "an execution of a sparse plan");
  }
  expect(rondo::Plan::sparse_alltoallv(send, {}, {}, {}, comm).arriving() == 0,
         "a sparse plan of nothing");
}

void test_datatypes(MPI_Comm comm) {
  std::vector<double> send(ranks(), g_rank);
  std::vector<double> recv(ranks());
  std::vector<double> expected(ranks());
  std::iota(expected.begin(), expected.end(), 0.0);
  const std::vector<int> ones(ranks(), 1);
  std::vector<int> bytes(ranks());
  for (std::size_t q = 0; q < ranks(); ++q) bytes[q] = static_cast<int>(q * sizeof(double));

  rondo::alltoall(send.data(), 8, MPI_BYTE, recv.data(), 8, MPI_BYTE, comm);
  expect(recv == expected, "alltoall of bytes");
  recv.assign(ranks(), -1);
  rondo::alltoallv(send.data(), std::vector<int>(ranks(), 8), bytes, MPI_BYTE, recv.data(),
                   std::vector<int>(ranks(), 8), bytes, MPI_BYTE, comm);
  expect(recv == expected, "alltoallv of bytes");
  recv.assign(ranks(), -1);
  const std::vector<MPI_Datatype> types(ranks(), MPI_DOUBLE);
  rondo::alltoallw(send.data(), ones, bytes, types, recv.data(), ones, bytes, types, comm);
  expect(recv == expected, "alltoallw");
  rondo::alltoallw(MPI_IN_PLACE, {}, {}, {}, send.data(), ones, bytes, types, comm);
  expect(send == expected, "alltoallw in place");
}

void test_started(MPI_Comm comm) {
  const auto send = blocks<double>(true, uneven);
  const auto expected = blocks<double>(false, uneven);
  const auto sends = counts(true, uneven);
  const auto receives = counts(false, uneven);
  const auto sdispls = rondo::detail::packed("sends", sends);
  const auto rdispls = rondo::detail::packed("receives", receives);
  const auto equal = blocks<int>(true, two);
  const auto equal_expected = blocks<int>(false, two);
  const rondo::Plan plan = rondo::Plan::alltoall(equal, std::vector<int>(equal.size()), comm);
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<double> recv(expected.size(), -1);
    std::vector<int> uniform(equal.size(), -1);
    std::vector<int> in_place = equal;
    std::vector<int> planned(equal.size(), -1);
    rondo::Request first = rondo::ialltoallv(send, sends, sdispls, recv, receives, rdispls, comm);
    std::vector<rondo::Request> others;
    others.push_back(rondo::ialltoall(equal, uniform, comm));
    others.push_back(plan.start(equal, planned));
    others.push_back(rondo::ialltoall(rondo::in_place, in_place, comm));
    rondo::wait_all(others);
    expect(!others.front(), "a complete request");
    while (!first.test()) continue;
    first.wait();
    expect(recv == expected, "ialltoallv");
    expect(uniform == equal_expected && in_place == equal_expected, "ialltoall");
    expect(planned == equal_expected, "a started plan");
  }
  std::vector<int> recv(equal.size(), -1);
  {
    rondo::Request waits = rondo::ialltoall(equal, recv, comm);
    rondo::Request moved = std::move(waits);
    expect(moved && !waits, "a moved request");  // NOLINT(bugprone-use-after-move)
  }
  expect(recv == equal_expected, "what a destructor waits for");
  expect_exception(MPI_ERR_COUNT, "sendcount", [&] {
    rondo::ialltoall(equal.data(), -1, MPI_INT, recv.data(), 2, MPI_INT, comm).wait();
  });
}

void test_plans(MPI_Comm comm) {
  const auto send = blocks<double>(true, uneven);
  const auto expected = blocks<double>(false, uneven);
  std::vector<double> recv(expected.size());
  rondo::Plan first =
      rondo::Plan::alltoallv(send, counts(true, uneven), recv, counts(false, uneven), comm);
  rondo::Plan plan;
  expect(!plan, "an empty plan");
  plan = std::move(first);
  expect(plan && !first, "a moved plan");  // NOLINT(bugprone-use-after-move): that is the question
  for (int turn = 0; turn < 3; ++turn) {
    std::ranges::fill(recv, -1.0);
    plan.execute(send, recv);
    expect(recv == expected, "alltoallv plan");
  }
  if (!expected.empty())
    expect_exception(MPI_ERR_BUFFER, "plan was made for",
                     [&] { plan.execute(send, std::span(recv).first(expected.size() - 1)); });
  expect_exception(MPI_ERR_BUFFER, "MPI_IN_PLACE", [&] { plan.execute(rondo::in_place, recv); });
  plan.free();
  expect(!plan, "a freed plan");
  expect_exception(MPI_ERR_ARG, "empty", [&] { plan.execute(send, recv); });

  auto equal = blocks<int>(true, two);
  std::vector<int> received(equal.size());
  const rondo::Plan uniform = rondo::Plan::alltoall(equal, received, comm);
  uniform.execute(equal, received);
  expect(received == blocks<int>(false, two), "alltoall plan");
  const rondo::Plan in_place = rondo::Plan::alltoall(rondo::in_place, equal, comm);
  in_place.execute(rondo::in_place, equal);
  expect(equal == received, "alltoall plan in place");
  expect(!in_place.algorithm().empty(), "the algorithm of a plan");
  expect_exception(MPI_ERR_ARG, "empty", [] { return rondo::Plan().algorithm(); });
}

void test_errors(MPI_Comm comm) {
  expect_exception(MPI_ERR_ARG, "nonsense",
                   [&] { rondo::set_algorithm(comm, "alltoallv", "nonsense"); });
  std::vector<int> one(1);
  std::vector<int> uneven_size(2 * ranks() + 1);
  if (g_ranks > 1)
    expect_exception(MPI_ERR_COUNT, "share evenly",
                     [&] { rondo::alltoall(uneven_size, one, comm); });
  const std::vector<int> twos(ranks(), 2);
  expect_exception(MPI_ERR_BUFFER, "send has 1 elements",
                   [&] { rondo::alltoallv(one, twos, uneven_size, twos, comm); });
  expect_exception(MPI_ERR_ARG, "entries for", [&] {
    rondo::alltoallv(uneven_size, std::vector<int>(ranks() + 1, 0), uneven_size, twos, comm);
  });
  expect_exception(MPI_ERR_COMM, "MPI_COMM_NULL", [&] { rondo::prepare(MPI_COMM_NULL); });
  // On all ranks, so that all return it with every algorithm.
  const std::vector<int> negative(ranks(), -1);
  const std::vector<int> none(ranks(), 0);
  expect_exception(MPI_ERR_COUNT, "sendcounts",
                   [&] { rondo::alltoallv(one, negative, one, none, comm); });
}

/// The MPI library carries out the first calls on a communicator, with errors and texts of its own.
void test_forwarded_errors(MPI_Comm comm) {
  const std::vector<int> none(ranks(), 0);
  const std::vector<int> negative(ranks(), -1);
  const std::vector<int> one(1);
  std::vector<int> received(1);
  expect_exception(MPI_ERR_ARG, "nonsense",
                   [&] { rondo::set_algorithm(MPI_COMM_SELF, "alltoallv", "nonsense"); });
  expect_exception(MPI_ERR_COUNT, "ount",
                   [&] { rondo::alltoallv(one, negative, received, none, comm); });
}

void test_communicator(MPI_Comm comm, const std::string& algorithm) {
  rondo::prepare(comm);
  rondo::set_algorithm(comm, "alltoallv", algorithm);
  rondo::set_algorithm(comm, "alltoallw", algorithm);
  test_types<char>(comm);
  test_types<std::uint16_t>(comm);
  test_types<long long>(comm);
  test_types<float>(comm);
  test_types<std::complex<double>>(comm);
  test_types<std::byte>(comm);
  test_displacements(comm);
  test_datatypes(comm);
  test_plans(comm);
  test_started(comm);
  test_dynamic(comm);
  test_left_out(comm);
  test_sparse(comm);
  test_errors(comm);
}

int g_handler_calls = 0;
void count_calls(MPI_Comm*, int*, ...) {
  ++g_handler_calls;
}

}  // namespace

/// The class of the error that `call` throws.
template <class Call>
int thrown_class(Call&& call) {
  try {
    call();
  } catch (const rondo::Exception& error) {
    return error.error_class();
  }
  return MPI_SUCCESS;
}

/// Every rank has edges to itself and to the ranks below it. So the first rank has one edge from it and
/// one to it from every rank, and the last rank the reverse.
struct Downwards {
  Downwards() {
    for (int rank = 0; rank <= g_rank; ++rank) to.push_back(rank);
    for (int rank = g_rank; rank < g_ranks; ++rank) from.push_back(rank);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(from.size()), from.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(to.size()), to.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  }
  ~Downwards() { MPI_Comm_free(&comm); }
  Downwards(const Downwards&) = delete;
  Downwards& operator=(const Downwards&) = delete;

  std::vector<int> to;
  std::vector<int> from;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// One side of an exchange along edges: a block for each rank in `others`, one after another.
struct EdgeBlocks {
  template <class Length>
  EdgeBlocks(bool is_sent, const std::vector<int>& others, Length&& length)
      : types(others.size(), MPI_INT) {
    for (const int other : others) {
      const int source = is_sent ? g_rank : other;
      const int destination = is_sent ? other : g_rank;
      counts.push_back(length(source, destination));
      displs.push_back(static_cast<int>(data.size()));
      places.push_back(static_cast<MPI_Aint>(data.size() * sizeof(int)));
      for (int i = 0; i < counts.back(); ++i) data.push_back(element<int>(source, destination, i));
    }
  }

  std::vector<int> data;
  std::vector<int> counts;
  std::vector<int> displs;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
};

void test_neighbours(const std::string& algorithm) {
  const Downwards graph;
  rondo::set_algorithm(graph.comm, "neighbor_alltoallv", algorithm);
  std::vector<int> recv;
  const auto expect_arrived = [&](const EdgeBlocks& expected, const std::string& what) {
    expect(recv == expected.data, what + " by " + algorithm);
    recv.assign(expected.data.size(), -1);
  };
  const EdgeBlocks send(true, graph.to, uneven);
  const EdgeBlocks due(false, graph.from, uneven);
  recv.resize(due.data.size());
  rondo::neighbor_alltoallv(send.data, send.counts, recv, due.counts, graph.comm);
  expect_arrived(due, "neighbor_alltoallv, packed");
  rondo::neighbor_alltoallv(send.data, send.counts, send.displs, recv, due.counts, due.displs,
                            graph.comm);
  expect_arrived(due, "neighbor_alltoallv");
  rondo::neighbor_alltoallw(send.data.data(), send.counts, send.places, send.types, recv.data(),
                            due.counts, due.places, due.types, graph.comm);
  expect_arrived(due, "neighbor_alltoallw");
  rondo::Plan::neighbor_alltoallv(send.data, send.counts, recv, due.counts, graph.comm)
      .execute(send.data, recv);
  expect_arrived(due, "a plan of neighbor_alltoallv");
  rondo::ineighbor_alltoallv(send.data, send.counts, send.displs, recv, due.counts, due.displs,
                             graph.comm)
      .wait();
  expect_arrived(due, "ineighbor_alltoallv");
  rondo::ineighbor_alltoallw(send.data.data(), send.counts, send.places, send.types, recv.data(),
                             due.counts, due.places, due.types, graph.comm)
      .wait();
  expect_arrived(due, "ineighbor_alltoallw");

  const EdgeBlocks pairs(true, graph.to, two);
  const EdgeBlocks pairs_due(false, graph.from, two);
  recv.assign(pairs_due.data.size(), -1);
  rondo::neighbor_alltoall(pairs.data, recv, graph.comm);
  expect_arrived(pairs_due, "neighbor_alltoall");
  rondo::Plan::neighbor_alltoall(pairs.data, recv, graph.comm).execute(pairs.data, recv);
  expect_arrived(pairs_due, "a plan of neighbor_alltoall");
  rondo::ineighbor_alltoall(pairs.data, recv, graph.comm).wait();
  expect_arrived(pairs_due, "ineighbor_alltoall");
}

/// One array that has one element too many for the edges in its direction.
struct WrongArray {
  const char* name;
  void (*bend)(EdgeBlocks& send, EdgeBlocks& recv);
};

void bend_displs(EdgeBlocks& side) {
  side.displs.push_back(0);
  side.places.push_back(0);
}

const WrongArray kWrongArrays[] = {
    {"sendcounts", [](EdgeBlocks& send, EdgeBlocks&) { send.counts.push_back(0); }},
    {"sdispls", [](EdgeBlocks& send, EdgeBlocks&) { bend_displs(send); }},
    {"recvcounts", [](EdgeBlocks&, EdgeBlocks& recv) { recv.counts.push_back(0); }},
    {"rdispls", [](EdgeBlocks&, EdgeBlocks& recv) { bend_displs(recv); }},
    {"sendtypes", [](EdgeBlocks& send, EdgeBlocks&) { send.types.push_back(MPI_INT); }},
    {"recvtypes", [](EdgeBlocks&, EdgeBlocks& recv) { recv.types.push_back(MPI_INT); }},
};

void test_wrong_array(const WrongArray& wrong) {
  const Downwards graph;
  EdgeBlocks send(true, graph.to, two);
  EdgeBlocks recv(false, graph.from, two);
  wrong.bend(send, recv);
  expect_exception(MPI_ERR_ARG, wrong.name, [&] {
    rondo::neighbor_alltoallw(send.data.data(), send.counts, send.places, send.types,
                              recv.data.data(), recv.counts, recv.places, recv.types, graph.comm);
  });
  expect_exception(MPI_ERR_ARG, wrong.name, [&] {
    rondo::ineighbor_alltoallw(send.data.data(), send.counts, send.places, send.types,
                               recv.data.data(), recv.counts, recv.places, recv.types, graph.comm)
        .wait();
  });
  if (std::string(wrong.name).ends_with("types")) return;
  expect_exception(MPI_ERR_ARG, wrong.name, [&] {
    rondo::neighbor_alltoallv(send.data.data(), send.counts, send.displs, MPI_INT, recv.data.data(),
                              recv.counts, recv.displs, MPI_INT, graph.comm);
  });
  expect_exception(MPI_ERR_ARG, wrong.name, [&] {
    rondo::ineighbor_alltoallv(send.data.data(), send.counts, send.displs, MPI_INT,
                               recv.data.data(), recv.counts, recv.displs, MPI_INT, graph.comm)
        .wait();
  });
  expect_exception(MPI_ERR_ARG, wrong.name, [&] {
    rondo::Plan::neighbor_alltoallv(send.data, send.counts, send.displs, recv.data, recv.counts,
                                    recv.displs, graph.comm);
  });
}

void test_degrees() {
  const Downwards graph;
  const rondo::Degrees degrees = rondo::degrees(graph.comm);
  expect(degrees.to == graph.to.size() && degrees.from == graph.from.size(), "degrees of a graph");
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &g_ranks, &periodic, 0, &ring);
  expect(rondo::degrees(ring).to == 2 && rondo::degrees(ring).from == 2, "degrees of a ring");
  MPI_Comm_free(&ring);

  // A single edge takes any number of elements, but no rank has one in both directions.
  const std::vector<int> odd(2 * graph.to.size() + 1);
  std::vector<int> recv(2 * graph.from.size() + 1);
  if (g_ranks > 1)
    expect(thrown_class([&] { rondo::neighbor_alltoall(odd, recv, graph.comm); }) == MPI_ERR_COUNT,
           "elements that edges cannot share evenly");
  expect(thrown_class([&] { rondo::neighbor_alltoall(odd, recv, MPI_COMM_WORLD); }) ==
             MPI_ERR_TOPOLOGY,
         "no topology");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_calls, &own);

  for (const MPI_Errhandler handler : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, own}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    test_forwarded_errors(comm);
    test_communicator(comm, "mpi");
    test_communicator(comm, "fused_bruck:radix=2");
    MPI_Errhandler after = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &after);
    expect(after == handler, "the communicator's error handler is as it was");
    MPI_Errhandler_free(&after);
    MPI_Comm_free(&comm);
  }
  expect(g_handler_calls == 0, "the user's error handler was called");
  MPI_Errhandler_free(&own);

  for (const char* const algorithm : {"spread_out", "node_aware"}) test_neighbours(algorithm);
#ifndef MPICH_VERSION
  // MPICH's own MPI_Neighbor_alltoallw is wrong where a rank has more edges in one direction.
  for (const char* const algorithm : {"auto", "mpi"}) test_neighbours(algorithm);
#endif
  for (const WrongArray& wrong : kWrongArrays) test_wrong_array(wrong);
  test_degrees();
  expect(!rondo::algorithms().empty(), "there are algorithms");
  MPI_Allreduce(MPI_IN_PLACE, &g_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (g_rank == 0)
    std::cout << "cpp_test on " << g_ranks << " ranks: " << g_failures << " failed\n";
  MPI_Finalize();
  return g_failures == 0 ? 0 : 1;
}
