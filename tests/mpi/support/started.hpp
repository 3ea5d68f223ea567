// What tests of nonblocking exchanges share.
#pragma once

#include <cstdlib>
#include <string>

#include "support/algorithms.hpp"
#include "support/small.hpp"

namespace rondo::testing {

/// Whether a thread lets what is started go on, whatever the program does.
inline bool has_progress_thread() {
  int level = MPI_THREAD_SINGLE;
#ifndef OPEN_MPI
  must(MPI_Query_thread(&level));
#endif
  return level == MPI_THREAD_MULTIPLE || std::getenv("RONDO_PROGRESS") != nullptr;
}

/// Whether what is started goes on while a rank waits in calls of MPI.
inline bool progresses_in_mpi() {
#ifdef OPEN_MPI
  return true;
#else
  return has_progress_thread();
#endif
}

/// Whether the collective has an algorithm of that name. The papers' algorithms are for one collective.
inline bool is_known(Collective collective, const std::string& algorithm) {
  const auto names = registered(collective);
  return algorithm == "auto" ||
         std::ranges::find(names, algorithm.substr(0, algorithm.find(':'))) != names.end();
}

/// A communicator whose channels have been used, with one algorithm for all collectives that have it.
class Prepared : public TestComm {
 public:
  Prepared(const std::string& algorithm, Row& row) {
    row.expect_success(prepare_starts(*this), "preparing starts");
    for (const Collective collective : kCollectives)
      if (is_known(collective, algorithm)) set_algorithm(*this, collective, algorithm, row);
  }
};

/// An exchange that has been started, and its end.
class SmallStarted : NonCopyable {
 public:
  SmallStarted(Collective collective, MPI_Comm comm, int count, Row& row)
      : row_(row), small_(comm, count) {
    small_.fill(count);
    row.expect_success(
        start(collective, small_.send(collective), small_.receive(collective), comm, &request_),
        "a start");
  }
  ~SmallStarted() {
    row_.expect_success(Rondo_Wait(&request_), "Rondo_Wait");
    row_.expect(small_.is_right(), "a nonblocking exchange moved wrong data");
  }
  bool has_arrived() const { return small_.is_right(); }

 private:
  Row& row_;
  SmallExchange small_;
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

}  // namespace rondo::testing
