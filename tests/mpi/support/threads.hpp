// Several threads in one row.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "support/runner.hpp"

namespace rondo::testing {

/// Calls work(i, row) for i below `count`, each in a thread and with a row of its own. The row fails if one of these
/// does.
template <class Work>
void run_in_threads(std::size_t count, Row& row, Work&& work) {
  std::deque<Row> rows(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&, i] { work(i, rows[i]); });
  for (std::thread& thread : threads) thread.join();
  for (const Row& own : rows) row.expect(!own.failed(), own.failure());
}

/// Skips the row where this MPI library has no MPI_THREAD_MULTIPLE.
inline bool has_threads(const Runner& runner, Row& row) {
  if (runner.thread_level() == MPI_THREAD_MULTIPLE) return true;
  row.skip("this MPI has no MPI_THREAD_MULTIPLE");
  return false;
}

}  // namespace rondo::testing
