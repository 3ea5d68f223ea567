// A small exchange with int arguments that a test may bend, for tests of everything but the data.
#pragma once

#include <algorithm>
#include <vector>

#include "support/calls.hpp"
#include "support/random.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// A communicator of all ranks, in their order, with errors returned.
inline MPI_Comm new_comm() {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  must(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  must(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm), "MPI_Comm_split");
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return comm;
}

/// The same that frees itself.
class TestComm {
 public:
  TestComm() : comm_(new_comm()) {}
  explicit TestComm(MPI_Comm comm) : comm_(comm) {}
  TestComm(const TestComm&) = delete;
  TestComm& operator=(const TestComm&) = delete;
  ~TestComm() { free(); }

  operator MPI_Comm() const { return comm_; }
  void free() {
    if (comm_ != MPI_COMM_NULL) must(MPI_Comm_free(&comm_), "MPI_Comm_free");
  }

 private:
  MPI_Comm comm_;
};

/// `count` ints from everybody to everybody; alltoall sees the first count.
class SmallExchange {
 public:
  SmallExchange(MPI_Comm comm, int count, MPI_Datatype type = MPI_INT) : count_(count) {
    must(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    must(MPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
    const auto ranks = static_cast<std::size_t>(ranks_);
    const auto total = ranks * static_cast<std::size_t>(count);
    sent.resize(total);
    received.resize(total);
    counts.assign(ranks, count);
    types.assign(ranks, type);
    displacements.resize(ranks);
    byte_displacements.resize(ranks);
    for (int peer = 0; peer < ranks_; ++peer) {
      displacements[static_cast<std::size_t>(peer)] = peer * count;
      byte_displacements[static_cast<std::size_t>(peer)] =
          peer * count * static_cast<int>(sizeof(int));
    }
    fill(0);
  }

  Arguments send(Collective collective) { return side(collective, sent.data()); }
  Arguments receive(Collective collective) { return side(collective, received.data()); }

  void fill(int salt) {
    salt_ = salt;
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < count_; ++i) sent[index(peer, i)] = value(rank_, peer, i);
    std::fill(received.begin(), received.end(), -1);
  }

  bool is_right() const {
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < count_; ++i)
        if (received[index(peer, i)] != value(peer, rank_, i)) return false;
    return true;
  }

  /// A whole exchange, checked.
  void run(Collective collective, MPI_Comm comm, Row& row, int salt = 0) {
    fill(salt);
    row.expect_success(exchange(collective, send(collective), receive(collective), comm),
                       name_of(collective));
    row.expect(is_right(), name_of(collective), " moved wrong data");
  }

  std::vector<int> sent;
  std::vector<int> received;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<int> byte_displacements;
  std::vector<MPI_Datatype> types;

 private:
  Arguments side(Collective collective, void* buffer) {
    const auto& displs = collective == Collective::alltoallw ? byte_displacements : displacements;
    return {buffer, counts.data(), displs.data(), types.data()};
  }
  std::size_t index(int peer, int i) const {
    return static_cast<std::size_t>(peer) * static_cast<std::size_t>(count_) +
           static_cast<std::size_t>(i);
  }
  int value(int source, int destination, int i) const {
    return static_cast<int>(hash(salt_, source, destination, i) >> 33U);
  }

  int rank_ = 0;
  int ranks_ = 1;
  int count_;
  int salt_ = 0;
};

}  // namespace rondo::testing
