// What a program gets that begins to exchange on a new communicator.
#pragma once

namespace rondo::bench {

struct FirstCalls {
  int calls = 0;             ///< how many are timed: 100, or fewer where they take long
  double auto_us = 0;        ///< the mean of these calls of `auto`, with the set-up
  double mpi_us = 0;         ///< the mean of as many calls of the MPI library
  int all_calls = 0;         ///< of `auto`, until it has learned
  bool has_learned = false;  ///< if not, there was no time for more calls
};

}  // namespace rondo::bench
