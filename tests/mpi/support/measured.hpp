// A plan that measures, beside MPI's own exchange.
#pragma once

#include <rondo/rondo.h>

#include <string>

#include "support/small.hpp"

namespace rondo::testing {

/// Executions after which a plan that measures has tried everything and has left what is far too slow.
constexpr int kMeasured = 200;

/// An exchange of blocks of up to `count` ints, in place or not.
struct Load {
  Collective collective;
  int count;
  bool is_in_place = false;

  std::string name() const {
    return rondo::text(name_of(collective), ", ", count, " ints", is_in_place ? ", in place" : "");
  }
};

/// A plan that measures, and MPI's own exchange to compare with.
class Measured : NonCopyable {
 public:
  Measured(const Load& load, MPI_Comm comm, Row& row)
      : load_(load),
        comm_(comm),
        row_(row),
        small_(uneven(load, comm)),
        expected_(uneven(load, comm)),
        plan_(load.collective, send(small_), small_.receive(load.collective), comm, row,
              Info("rondo_measure", "true")) {}

  int executions() const { return executions_; }
  std::string algorithm() const { return algorithm_of(plan_, row_); }

  void execute() {
    fill();
    row_.expect_success(run(small_.received.data()), rondo::text("execution ", executions_));
    expect_right();
  }

  /// An execution that is started, from which nothing is learned.
  void start_and_wait() {
    fill();
    Rondo_Request request = RONDO_REQUEST_NULL;
    row_.expect_success(Rondo_Start(plan_, send(small_).buffer, small_.received.data(), &request),
                        "Rondo_Start");
    row_.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    expect_right();
  }
  void execute(int times) {
    for (int i = 0; i < times; ++i) execute();
  }
  /// One whose data nobody looks at; without a receive buffer it is wrong.
  int execute_unseen(bool has_buffer) { return run(has_buffer ? small_.received.data() : nullptr); }

  /// The names on all ranks are rank 0's.
  void expect_same_everywhere() const {
    char first[1024] = "";
    const std::string own = algorithm();
    own.copy(first, sizeof first - 1);
    must(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD));
    row_.expect(own == first, "rank 0 has ", first, ", this rank ", own);
  }

  Rondo_Plan plan() const { return plan_; }

 private:
  Arguments send(SmallExchange& small) const {
    return load_.is_in_place ? in_place() : small.send(load_.collective);
  }

  /// Lengths that both ends of a pair agree on, as some are not the longest.
  static SmallExchange uneven(const Load& load, MPI_Comm comm) {
    SmallExchange small(comm, load.count);
    for (int peer = 0; load.collective != Collective::alltoall && peer < ranks_of(comm); ++peer)
      small.counts[static_cast<std::size_t>(peer)] =
          load.count * ((rank_of(comm) + peer + 1) % 4) / 3;
    return small;
  }

  void fill() {
    for (SmallExchange* one : {&small_, &expected_}) {
      one->fill(executions_);
      if (load_.is_in_place) one->received = one->sent;
    }
    if (expected_.received.empty()) return;  // null buffers, which MPICH 4.0 refuses
    must(exchange_mpi(load_.collective, send(expected_), expected_.receive(load_.collective),
                      MPI_COMM_WORLD));
  }

  void expect_right() const {
    row_.expect(small_.received == expected_.received, "after execution ", executions_ - 1,
                " wrong data was moved: ", algorithm());
  }

  int run(void* receive_buffer) {
    ++executions_;
    return Rondo_Execute(plan_, send(small_).buffer, receive_buffer);
  }

  Load load_;
  MPI_Comm comm_;
  Row& row_;
  SmallExchange small_;
  SmallExchange expected_;
  Plan plan_;
  int executions_ = 0;
};

}  // namespace rondo::testing
