// If a rank cannot get shared memory, all ranks use messages, say so once, and are right. If one way to
// get it fails, the other is taken without a message.
//
// The test no_memory_as_it_is is for no_memory.py, where a tmpfs is really full or missing: no fault is made but
// that memfd_create fails on all ranks, unless RONDO_TEST_MEMORY is memfd, which then must be had.
#include <rondo/rondo.h>

#include <cerrno>
#include <cstring>

#include "support/added_test.hpp"
#include "support/captured_stderr.hpp"
#include "support/memory_faults.hpp"
#include "support/placement.hpp"
#include "support/small.hpp"

namespace no_memory_test {

using namespace rondo::testing;
using memory_faults::Faults;

enum class On { all, first, last, all_but_first };

struct FaultRow {
  const char* name;
  On where;
  Faults faults;
  const char* expected;  ///< memfd, name, or none
};

const FaultRow kRows[] = {
    {"no fault", On::all, {}, "memfd"},
    {"no memfd_create on any rank", On::all, {.memfd_create = ENOSYS}, "name"},
    {"no memfd_create on the rank that makes it", On::first, {.memfd_create = EMFILE}, "name"},
    {"no memfd_create on another rank", On::all_but_first, {.memfd_create = EMFILE}, "memfd"},
    {"no shm_open", On::all, {.shm_open = EACCES}, "memfd"},
    {"no open of a descriptor on one rank", On::last, {.open_descriptor = EACCES}, "name"},
    {"no open of a descriptor", On::all, {.open_descriptor = ENOENT}, "name"},
    {"neither, no space", On::all, {.memfd_create = ENOSYS, .shm_open = ENOSPC}, "none"},
    {"neither, no right", On::all, {.memfd_create = EPERM, .shm_open = EACCES}, "none"},
    {"neither, on the first rank", On::first, {.memfd_create = EPERM, .shm_open = EACCES}, "none"},
    {"neither, on the last", On::last, {.open_descriptor = EACCES, .shm_open = EACCES}, "none"},
    {"neither, no descriptors", On::last, {.open_descriptor = EMFILE, .shm_open = EMFILE}, "none"},
    {"no ftruncate", On::first, {.ftruncate = EFBIG}, "none"},
    {"no pages for a name on the first rank",
     On::first,
     {.memfd_create = ENOSYS, .posix_fallocate = ENOSPC},
     "none"},
    {"no pages for a name but the cookie's",
     On::first,
     {.memfd_create = ENOSYS, .posix_fallocate = ENOSPC, .fallocates_before = 1},
     "none"},
    {"no pages for a name on any rank",
     On::all,
     {.memfd_create = ENOSYS, .posix_fallocate = ENOSPC},
     "none"},
    {"no pages of a file system, which a memfd does not need",
     On::all,
     {.posix_fallocate = ENOSPC},
     "memfd"},
    {"no pages for a name on the last rank",
     On::last,
     {.open_descriptor = EACCES, .posix_fallocate = ENOSPC},
     "none"},
};

bool fails_here(On where, const Runner& runner) {
  const bool is_first = runner.rank() == 0;
  if (where == On::first || where == On::all_but_first) return is_first == (where == On::first);
  return where == On::all || runner.rank() == runner.ranks() - 1;
}

int sum(int number) {
  int all = 0;
  must(MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  return all;
}

int lines_of(const std::string& text) {
  return static_cast<int>(std::ranges::count(text, '\n'));
}

/// Checked exchanges of every form, with several lengths.
void exchange_all(MPI_Comm comm, Row& row) {
  int salt = 0;
  for (const int count : {1, 12, 13, 100, 5000})
    for (const Collective collective : kCollectives)
      for (int repeat = 0; repeat < 2; ++repeat)
        SmallExchange(comm, count).run(collective, comm, row, ++salt);
}

void expect_kind(const std::string& expected, const std::string& said, Row& row) {
  const std::string kind = memory_faults::kind_mapped();
  row.expect((kind.empty() ? "none" : kind) == expected, "the segment is '", kind, "', not ",
             expected);
  // It is said once in a process, whatever the reasons are.
  static bool is_said = false;
  const int warnings = sum(lines_of(said));
  const int due = expected == "none" && !is_said ? 1 : 0;
  row.expect(warnings == due, warnings, " lines on stderr, not ", due, ", here '", said, "'");
  is_said = is_said || warnings > 0;
  row.expect(said.empty() || said.starts_with("rondo: no shared memory"), "stderr says '", said,
             "'");
  row.expect(!memory_faults::any_name_left(), "a name is left in /dev/shm");
}

/// With node_aware on a communicator of its own.
void exchange_by_node(const std::string& expected, Row& row) {
  const TestComm comm;
  CapturedStderr captured;
  set_algorithms(comm, "node_aware", row);
  exchange_all(comm, row);
  expect_kind(expected, captured.stop(), row);
}

/// `auto` first if `by_auto`, then node_aware by name, then another, then node_aware again.
void run_row(const FaultRow& faulty, bool by_auto, Runner& runner, Row& row) {
  if (fails_here(faulty.where, runner)) memory_faults::set(faulty.faults);
  const TestComm comm;
  CapturedStderr captured;
  if (!by_auto) set_algorithms(comm, "node_aware", row);
  exchange_all(comm, row);
  set_algorithms(comm, "node_aware", row);
  exchange_all(comm, row);
  set_algorithms(comm, "spread_out", row);
  exchange_all(comm, row);
  memory_faults::set({});  // once decided, it stays
  set_algorithms(comm, "node_aware", row);
  exchange_all(comm, row);
  must(MPI_Barrier(comm));
  expect_kind(faulty.expected, captured.stop(), row);
  row.expect(std::string(faulty.expected) == "none" || memory_faults::mapped().count == 1,
             "mapped ", memory_faults::mapped().count, " times");
}

/// Memory that one communicator could not get is available to the next one.
void run_recovery(Row& row) {
  memory_faults::set({.memfd_create = ENOSYS, .shm_open = ENOSPC});
  {
    const TestComm comm;
    const CapturedStderr captured;
    set_algorithms(comm, "node_aware", row);
    exchange_all(comm, row);
    row.expect(memory_faults::kind_mapped().empty(), "a segment in spite of the faults");
  }
  memory_faults::set({});
  exchange_by_node("memfd", row);
}

/// There are two nodes, and only one has no memory: all ranks must use messages.
void run_two_nodes(Runner& runner, Row& row) {
  if (runner.ranks() < 3) return row.skip("needs 3 ranks");
  const PlacedRanks placed([](int rank) { return rank == 0 ? 0 : 1; });
  if (runner.rank() == 1) memory_faults::set({.memfd_create = ENOSYS, .shm_open = ENOSPC});
  exchange_by_node("none", row);
  memory_faults::set({});
}

void run_test(Runner& runner) {
  for (const FaultRow& faulty : kRows)
    for (const bool by_auto : {false, true})
      runner.run(rondo::text(faulty.name, by_auto ? ", auto" : ", node_aware"), run_row, faulty,
                 by_auto, runner);
  runner.run("the next communicator has it", run_recovery);
  runner.run("one node of two", run_two_nodes, runner);
}

/// Where the system itself has no memory to share, or some. RONDO_TEST_MEMORY says what must be had.
void run_as_it_is(Runner& runner) {
  const char* const named = std::getenv("RONDO_TEST_MEMORY");
  const std::string expected = named == nullptr ? "memfd" : named;
  const FaultRow real{"the system's own",
                      On::all,
                      {.memfd_create = expected == "memfd" ? 0 : ENOSYS},
                      expected.c_str()};
  runner.run(real.name, run_row, real, false, runner);
}

const AddedTest added({.name = "no_memory", .run = run_test});
const AddedTest added_as_it_is({.name = "no_memory_as_it_is", .run = run_as_it_is});

}  // namespace no_memory_test
