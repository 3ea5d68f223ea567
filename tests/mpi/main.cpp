// mpi_tests NAME... [OPTION...]: the MPI tests of these names, one after the other. --help has the options.
#include <algorithm>
#include <cstdio>

#include "support/added_test.hpp"
#include "support/clock.hpp"
#include "support/counted_new.hpp"
#include "support/intercept.hpp"
#include "support/memory_faults.hpp"
#include "support/pull_faults.hpp"

namespace {

using namespace rondo::testing;

/// In the order of the names; empty if one is wrong.
std::vector<const Test*> wanted_tests(const std::vector<std::string>& names) {
  std::vector<const Test*> tests;
  if (names.empty()) std::fprintf(stderr, "name tests; --list has their names\n");
  for (const std::string& name : names) {
    const auto found = std::ranges::find(added_tests(), name, &Test::name);
    if (found == added_tests().end()) {
      std::fprintf(stderr, "there is no test %s; --list names those that there are\n",
                   name.c_str());
      return {};
    }
    tests.push_back(&*found);
  }
  return tests;
}

/// What a failed row may have left switched on.
void switch_off_faults() {
  counted_new::end_failing();
  intercept::fail_nothing();
  intercept::watch({});
  intercept::place_ranks({});
  memory_faults::set({});
  pull_faults::reset();
  clock::go_wrong(0);
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (options.list) {
    for (const Test& test : added_tests())
      std::printf("%s%s\n", test.name.c_str(),
                  test.thread_level == MPI_THREAD_MULTIPLE ? " threads" : "");
    return 0;
  }
  // They are not all of one process: some need threads, and some leave a thread that others must not have.
  const std::vector<const Test*> tests = wanted_tests(options.words);
  if (tests.empty()) return 2;
  Runner runner(argc, argv, std::ranges::max(tests, {}, &Test::thread_level)->thread_level);
  for (const Test* test : tests) {
    runner.run_test(*test);
    switch_off_faults();
  }
  return runner.finish();
}
