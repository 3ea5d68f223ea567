// A program that learns into the file that RONDO_LEARN names, and one that begins with what is in the file.
// learned_file.py runs them and looks at the file.
//
//   test_learned_file learn     the profile says that the library is the fastest, which takes a millisecond
//   test_learned_file begin     rank 0 prints what is run: "alltoall 12 ALGORITHM", with the length in bytes
#include <rondo/rondo.h>

#include <cstdio>
#include <cstring>

#include "support/profile_file.hpp"
#include "support/slow.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

// learned_file.py has the same.
constexpr std::pair<Collective, int> kLengths[] = {
    {Collective::alltoall, 3},    {Collective::alltoall, 20}, {Collective::alltoall, 40},
    {Collective::alltoall, 5000}, {Collective::alltoallv, 3}, {Collective::alltoallv, 5000}};

void call(MPI_Comm comm, int calls, Collective collective, int ints, Row& row) {
  SmallExchange small(comm, ints);
  for (int call = 0; call < calls; ++call) small.run(collective, comm, row, call);
}

/// Until the library has not been run for so many calls that what is faster has been found, on a busy machine too.
void leave_library(MPI_Comm comm, Collective collective, int ints, Row& row) {
  constexpr int kMost = 10000;
  constexpr int kWithout = 2000;
  SmallExchange small(comm, ints);
  int left_at = 0;
  for (int call = 0; call < kMost && call - left_at < kWithout; ++call) {
    small.run(collective, comm, row, call);
    if (last_algorithm(comm, row) == "mpi") left_at = call + 1;
  }
}

void prepare(MPI_Comm comm, Row& row) {
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
}

/// The communicator with the most calls counts. It is freed before one with fewer, in which nothing is learned, and so
/// is the one of which rank 0 of MPI_COMM_WORLD is no member.
void learn(int ranks, Row& row) {
  constexpr int kFew = 20;
  const rondo::choice::Layout one_node{.ranks = ranks, .nodes = 1, .per_node = ranks};
  const ProfileFile wrong(one_node, decisions_of({{0, "mpi"}}, {{0, "mpi"}}));
  const SlowLibrary slow;
  {
    const TestComm comm;
    prepare(comm, row);
    for (const auto& [collective, ints] : kLengths) leave_library(comm, collective, ints, row);
  }
  const TestComm comm;
  prepare(comm, row);
  call(comm, kFew, Collective::alltoall, 3, row);
  const TestComm others(new_comm(rank_of(MPI_COMM_WORLD) == 0 ? 0 : 1));
  prepare(others, row);
  leave_library(others, Collective::alltoall, 3, row);
}

/// An alltoallv is decided by its length once an algorithm has reported it, after 64 calls at the latest.
void begin(Row& row) {
  constexpr int kCalls = 100;
  for (const auto& [collective, ints] : kLengths) {
    const TestComm comm;
    prepare(comm, row);
    call(comm, kCalls, collective, ints, row);
    const std::string algorithm = last_algorithm(comm, row);
    if (rank_of(comm) == 0)
      std::printf("%s %zu %s\n", name_of(collective), static_cast<std::size_t>(ints) * sizeof(int),
                  algorithm.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  must(MPI_Init(&argc, &argv));
  Row row;
  if (argc > 1 && std::strcmp(argv[1], "learn") == 0)
    learn(ranks_of(MPI_COMM_WORLD), row);
  else
    begin(row);
  if (row.failed()) std::printf("FAIL %s\n", row.failure().c_str());
  must(MPI_Finalize());
  return row.failed() ? 1 : 0;
}
