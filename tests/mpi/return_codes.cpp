// Rondo checks every return code of MPI. Each MPI function that an algorithm or the set-up calls is
// made to fail on all ranks, at its first call and at its last. All ranks must return an error that
// names the function or, during set-up, leave the exchanges to the MPI library. No handle is left behind.
#include <rondo/rondo.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/handles.hpp"
#include "support/intercept.hpp"
#include "support/small.hpp"

namespace return_codes_test {

using namespace rondo::testing;
using intercept::Function;

/// What must fail when an MPI function fails.
struct Subject {
  std::string name;
  std::function<int(MPI_Comm)> arrange;  ///< must succeed
  std::function<int(MPI_Comm)> act;      ///< must notice
  bool may_forward = false;              ///< or else leave the communicator to the library
};

/// Whether Rondo forwards the exchanges of the communicator, which must be right.
bool is_forwarding(MPI_Comm comm) {
  Row row;
  SmallExchange(comm, 2).run(Collective::alltoall, comm, row);
  const int code = Rondo_Comm_set_algorithm(comm, "alltoall", "spread_out");
  return !row.failed() && code != MPI_SUCCESS &&
         std::strstr(Rondo_Get_last_error(), "could not set itself up") != nullptr;
}

/// How often a function is called in `act`.
struct Calls {
  int least;  ///< on any rank
  int most;
};

std::vector<Calls> count_calls(const Subject& subject, Row& row) {
  const TestComm comm;
  row.expect_success(subject.arrange(comm), "arranging " + subject.name);
  intercept::reset_calls();
  row.expect_success(subject.act(comm), subject.name);
  std::vector<Calls> calls;
  for (const Function function : intercept::all_functions()) {
    int extremes[] = {intercept::calls(function), -intercept::calls(function)};
    must(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    calls.push_back({.least = extremes[0], .most = -extremes[1]});
  }
  return calls;
}

void expect_noticed(const Subject& subject, Function function, int call, Row& row) {
  const TestComm comm;
  row.expect_success(subject.arrange(comm), "arranging " + subject.name);
  intercept::fail_from(function, call);
  const int code = subject.act(comm);
  intercept::fail_nothing();
  const std::string name = intercept::name_of(function);
  row.expect(intercept::failures() > 0, name, " was not called");
  if (code == MPI_SUCCESS && subject.may_forward)
    return row.expect(is_forwarding(comm), name, " failed, and the communicator is of no use");
  row.expect_error(code, MPI_ERR_OTHER, name);
}

/// What an error has left in flight is not taken for a message on a communicator that is made later.
void expect_next_works(Row& row) {
  const TestComm next;
  row.expect_success(Rondo_Comm_set_algorithm(next, "alltoall", "spread_out"),
                     "Rondo_Comm_set_algorithm on the next communicator");
}

/// Rondo gives up the communicator of an exchange that was interrupted, and what was sent with it. Nothing
/// else stays.
void expect_freed(handles::Alive& before, Row& row) {
  handles::Alive now = handles::alive();
  for (const Function given_up : {Function::Comm_create_group, Function::Isend})
    now[given_up] = before[given_up];
  const std::string left = handles::difference(before, now);
  row.expect(left.empty(), "left behind: ", left);
}

void run_subject(const Subject& subject, Runner& runner) {
  Row counting;
  const std::vector<Calls> calls = count_calls(subject, counting);
  runner.run(subject.name, [&](Row& row) {
    row = counting;
    row.expect(std::ranges::any_of(calls, [](const Calls& one) { return one.least > 0; }),
               "calls no MPI function that this test knows");
  });
  for (const Function function : intercept::all_functions()) {
    const auto [least, most] = calls[static_cast<std::size_t>(function)];
    // The ranks must fail in the same step: who fails before the others leaves them alone.
    for (const int call : least == most ? std::set<int>{0, most - 1} : std::set<int>{0}) {
      if (least == 0) break;
      runner.run(rondo::text(subject.name, ": ", intercept::name_of(function), " fails from call ",
                             call + 1, " on"),
                 [&](Row& row) {
                   handles::Alive before = handles::alive();
                   expect_noticed(subject, function, call, row);
                   expect_next_works(row);
                   expect_freed(before, row);
                 });
    }
  }
}

/// An exchange of two elements per pair: every other int, which must be packed, or all ints.
int exchange_two(Collective collective, MPI_Comm comm, bool is_packed) {
  const Type type = Type::packed_ints();
  // Kept: after an error messages may still arrive.
  static std::deque<SmallExchange> exchanges;
  SmallExchange& small = exchanges.emplace_back(comm, 8, is_packed ? type : MPI_INT);
  if (is_packed)
    for (std::size_t peer = 0; peer < small.counts.size(); ++peer) {
      small.counts[peer] = 2;
      small.displacements[peer] = 2 * static_cast<int>(peer);
    }
  return small.call(collective, comm);
}

Subject exchange_subject(Collective collective, const std::string& algorithm, bool is_packed) {
  return {rondo::text(name_of(collective), " ", algorithm, is_packed ? " packed" : ""),
          [=](MPI_Comm comm) {
            return Rondo_Comm_set_algorithm(comm, name_of(collective), algorithm.c_str());
          },
          [=](MPI_Comm comm) { return exchange_two(collective, comm, is_packed); }};
}

Subject prepare_subject() {
  return {"Rondo_Comm_prepare", [](MPI_Comm) { return MPI_SUCCESS; },
          [](MPI_Comm comm) { return Rondo_Comm_prepare(comm, MPI_INFO_NULL); }, true};
}

/// This makes the segment of the node, among other things.
Subject set_algorithm_subject() {
  return {"Rondo_Comm_set_algorithm",
          [](MPI_Comm comm) { return Rondo_Comm_prepare(comm, MPI_INFO_NULL); },
          [](MPI_Comm comm) { return Rondo_Comm_set_algorithm(comm, "alltoallv", "node_aware"); }};
}

/// Short blocks through shared memory need no function of MPI's.
std::string with_messages(const std::string& algorithm) {
  return algorithm == "node_aware" ? algorithm + ":threshold=0" : algorithm;
}

/// Too short for pipes: long blocks inside the node are messages.
constexpr const char* kOfMessages = "RONDO_SLOT_BYTES=1024 RONDO_SINGLE_COPY=0";

void run_test(Runner& runner) {
  const handles::Watched watched;
  {
    const TestComm first;  // some things are made once in a process
    must(Rondo_Comm_prepare(first, MPI_INFO_NULL));
  }
  run_subject(prepare_subject(), runner);
  run_subject(set_algorithm_subject(), runner);
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : registered(collective, true)) {
      run_subject(exchange_subject(collective, with_messages(algorithm), false), runner);
      if (algorithm == "spread_out")
        run_subject(exchange_subject(collective, algorithm, true), runner);
    }
}

const AddedTest added({.name = "return_codes", .run = run_test, .settings = {{kOfMessages}}});

}  // namespace return_codes_test
