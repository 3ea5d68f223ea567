// Runs rows of tests on all ranks of one mpirun, agrees on each row's outcome and counts.
//
// --help prints the options. A row that fails, crashes or takes longer than RONDO_TEST_TIMEOUT seconds (default
// 120) is named with the command that repeats it. What a row does depends on the seed and its number, not on the
// rows before it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <set>
#include <source_location>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace rondo::testing {

/// A base for what is freed once.
struct NonCopyable {
  NonCopyable() = default;
  NonCopyable(const NonCopyable&) = delete;
  NonCopyable& operator=(const NonCopyable&) = delete;
};

struct Options {
  std::uint64_t seed = 0;
  bool all = false;
  bool verbose = false;
  bool list = false;
  long only_row = -1;
  long first_row = 0;  ///< of the first test
  int exchanges = 0;   ///< of the test stress, or 0
  unsigned timeout_seconds = 120;
  std::vector<std::string> words;  ///< that are no options
};

/// Ends the program after --help.
Options read_options(int argc, char** argv);

/// The outcome of one row on this rank. Rows go on after a failure, so that all ranks make the same
/// calls; the first failure is kept.
class Row {
 public:
  template <class... Parts>
  void expect(bool holds, const Parts&... parts) {
    if (!holds && failure_.empty()) failure_ = rondo::text(parts...);
  }

  /// As expect, for an MPI or Rondo return code that must be MPI_SUCCESS.
  void expect_success(int code, const std::string& call);

  /// Expects a code of that class, and these words in Rondo's text for it.
  void expect_error(int code, int error_class, const std::string& words = "");

  void skip(const std::string& reason) { skip_ = reason; }

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  const std::string& skip_reason() const { return skip_; }

 private:
  std::string failure_;
  std::string skip_;
};

/// One way to run a test's rows.
struct Setting {
  /// As in `RONDO_CHECK=1 RONDO_REQUESTS=2`. Communicators that a row makes have these settings.
  std::string environment;
  /// Of so many rows one runs, on average, which the seed and the number of ranks choose; with --all every one.
  std::uint64_t one_in = 1;
};

class Runner;

/// A test: its rows, which run with one setting after the other. Rows are numbered throughout.
struct Test {
  std::string name;
  std::function<void(Runner&)> run;
  std::vector<Setting> settings{{}};
  int thread_level = MPI_THREAD_SINGLE;
};

class Runner {
 public:
  /// Initialises MPI.
  Runner(int argc, char** argv, int thread_level);

  /// Collective: all rows of a test.
  void run_test(const Test& test);

  const Options& options() const { return options_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int thread_level() const { return provided_; }

  /// Collective: the row fails if it fails on any rank, else is skipped if any rank skips it.
  void run(const std::string& name, const std::function<void(Row&)>& body);

  /// The same of a function with other arguments before the row.
  template <class Function, class... Arguments>
  requires(sizeof...(Arguments) > 0) void run(const std::string& name, Function&& function,
                                              Arguments&&... arguments) {
    run(name, [&](Row& row) { function(arguments..., row); });
  }

  /// The same for the rows of a large product: one in `share` runs, others for another seed, and all of them
  /// with --all. That is one in `share` on average, as the seed has it.
  template <class... Work>
  void run_drawn(std::uint64_t share, const std::string& name, Work&&... work) {
    if (is_drawn(share, 0))
      run(name, std::forward<Work>(work)...);
    else
      ++next_row_;
  }

  /// Finalises MPI; the exit code, alike on all ranks.
  int finish();

 private:
  enum class Outcome { passed, skipped, failed };

  bool is_drawn(std::uint64_t share, int salt) const;
  /// What repeats the test, without the number of a row.
  std::string command() const;
  Outcome agree(const Row& row, std::string& text, int& from) const;
  void report(Outcome outcome, long number, const std::string& name, const std::string& text);

  std::string program_;
  std::string environment_;  ///< that the program was started with, of what changes its rows
  Options options_;
  std::uint64_t seed_ = 0;  ///< of the run; options_ has that of the setting
  std::string test_;
  std::string command_;
  Setting setting_;
  int rank_ = 0;
  int ranks_ = 1;
  int provided_ = MPI_THREAD_SINGLE;
  long next_row_ = 0;
  long passed_ = 0;
  long failed_ = 0;
  long skipped_ = 0;
  bool is_right_ = true;  ///< all tests before this one
  std::set<std::string> reasons_;
};

/// For calls of the test itself, which must not fail: ends the program if `code` is an error.
void must(int code, std::source_location call = std::source_location::current());

int rank_of(MPI_Comm comm);

/// For an inter-communicator, the ranks of the other group.
int ranks_of(MPI_Comm comm);

/// The MPI class of a return code.
int class_of(int code);

/// MPI's text for a return code.
std::string error_text(int code);

}  // namespace rondo::testing
