// Where the algorithm comes from, and when the state is made.
#include <rondo/rondo.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "support/added_test.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/small.hpp"

namespace settings_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

/// What Rondo_Comm_get_algorithm says; nothing before the state is made.
std::optional<std::string> algorithm_if_made(const char* collective, MPI_Comm comm, Row& row) {
  char text[200] = "untouched";
  const int code = Rondo_Comm_get_algorithm(comm, collective, text, sizeof text);
  if (code == MPI_SUCCESS) return text;
  row.expect(class_of(code) == MPI_ERR_ARG, "Rondo_Comm_get_algorithm: ", error_text(code));
  return std::nullopt;
}

void expect_algorithm(const char* collective, const std::string& start, MPI_Comm comm, Row& row) {
  const auto text = algorithm_if_made(collective, comm, row);
  row.expect(text.has_value(), "no algorithm for ", collective, ": the state is not made");
  if (text) row.expect(text->starts_with(start), collective, " runs ", *text, ", not ", start);
}

struct PrecedenceRow {
  const char* set;
  const char* info;
  const char* environment;
  const char* expected;
};

constexpr PrecedenceRow kPrecedence[] = {
    {nullptr, nullptr, nullptr, "auto"},
    {nullptr, nullptr, "sloav", "sloav:threshold=off"},
    {nullptr, "pairwise", nullptr, "pairwise"},
    {nullptr, "pairwise", "sloav", "pairwise"},
    {"padded_bruck", nullptr, nullptr, "padded_bruck:threshold=off"},
    {"padded_bruck", nullptr, "sloav", "padded_bruck:threshold=off"},
    {"padded_bruck", "pairwise", "sloav", "padded_bruck:threshold=off"},
    {"auto", "pairwise", "sloav", "auto"},
    {nullptr, "fused_bruck:radix=2:ports=1", "sloav", "fused_bruck:radix=2:ports=1:threshold=8192"},
    {nullptr, nullptr, "auto", "auto"},
};

void run_precedence(const char* collective, const PrecedenceRow& asked, Row& row) {
  const bool is_w = std::strcmp(collective, "alltoallw") == 0;
  const Environment environment(is_w ? "RONDO_ALLTOALLW" : "RONDO_ALLTOALLV", asked.environment);
  const Info info(is_w ? "rondo_alltoallw" : "rondo_alltoallv", asked.info);
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, info), "Rondo_Comm_prepare");
  if (asked.set != nullptr) set_algorithm(comm, collective, asked.set, row);
  expect_algorithm(collective, asked.expected, comm, row);
  expect_algorithm(is_w ? "alltoallv" : "alltoallw", "auto", comm, row);
  expect_algorithm("alltoall", "auto", comm, row);
  SmallExchange(comm, 3).run(is_w ? Collective::alltoallw : kVariable, comm, row);
}

/// NULL takes back what was set.
void run_reset(Row& row) {
  const TestComm comm(Collective::alltoall, "basic_bruck", row);
  expect_algorithm("alltoall", "basic_bruck", comm, row);
  set_algorithm(comm, "alltoall", nullptr, row);
  expect_algorithm("alltoall", "auto", comm, row);
}

/// Only rank 0's environment counts, and rank 0 is the communicator's.
void run_other_environments(Runner& runner, Row& row) {
  const TestComm comm(new_comm(0, -runner.rank()));
  const bool is_first = rank_of(comm) == 0;
  const Environment algorithm("RONDO_ALLTOALLV", is_first ? "fused_bruck:radix=2" : "no_such");
  const Environment check("RONDO_CHECK", is_first ? "1" : "x");
  const Environment calls("RONDO_FORWARD_CALLS", is_first ? "0" : "100000");
  SmallExchange(comm, 3).run(kVariable, comm, row);
  SmallExchange(comm, 3).run(Collective::alltoall, comm, row);
  expect_algorithm("alltoallv", "fused_bruck:radix=2", comm, row);
}

/// Only rank 0's info counts too.
void run_other_infos(Row& row) {
  const TestComm comm;
  const Info info("rondo_alltoallv", rank_of(comm) == 0 ? "sloav" : "no_such");
  row.expect_success(Rondo_Comm_prepare(comm, info), "Rondo_Comm_prepare");
  expect_algorithm("alltoallv", "sloav", comm, row);
}

/// Info of the communicator, where the MPI library keeps keys that it does not know.
void run_comm_info(Row& row) {
  const TestComm comm;
  const Info info("rondo_alltoall", "pairwise");
  must(MPI_Comm_set_info(comm, info));
  MPI_Info kept = MPI_INFO_NULL;
  char value[64] = "";
  int is_kept = 0;
  must(MPI_Comm_get_info(comm, &kept));
  must(MPI_Info_get(kept, "rondo_alltoall", sizeof value - 1, value, &is_kept));
  must(MPI_Info_free(&kept));
  if (is_kept == 0) return row.skip("this MPI drops info keys that it does not know");
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  expect_algorithm("alltoall", "pairwise", comm, row);
}

struct BadRow {
  const char* variable;
  const char* value;
  const char* named;
};

constexpr BadRow kBad[] = {
    {"RONDO_CHECK", "yes", "RONDO_CHECK"},
    {"RONDO_FORWARD_CALLS", "-2", "RONDO_FORWARD_CALLS"},
    {"RONDO_PADDING_BYTES", "1Q", "RONDO_PADDING_BYTES"},
    {"RONDO_ALLTOALLV", "no_such", "no_such"},
    {"RONDO_ALLTOALL", "tunable_bruck:radix=1", "radix"},
    {"RONDO_ALLTOALL", "tunable_bruck:radix=4294967298", "in 2..2147483647"},
    {"RONDO_FORWARD_CALLS", "4294967296", "RONDO_FORWARD_CALLS"},
    {"RONDO_CHECK", "4294967297", "RONDO_CHECK"},
    {"RONDO_PROGRESS", "yes", "must be thread or empty"},
    {"RONDO_PROGRESS", "thread", "request it from MPI_Init_thread"},
};

/// An invalid value on rank 0 is an error on all ranks, also at the next attempt.
void run_bad_environment(const BadRow& bad, Row& row) {
  const TestComm comm;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Environment environment(bad.variable, rank_of(comm) == 0 ? bad.value : nullptr);
    row.expect_error(Rondo_Comm_prepare(comm, MPI_INFO_NULL), MPI_ERR_ARG, bad.named);
  }
}

/// `auto` forwards the first calls, whatever their arguments.
void run_forwarding(int forwarded, Row& row) {
  const Environment environment("RONDO_FORWARD_CALLS", std::to_string(forwarded).c_str());
  const TestComm comm;
  const Collective turns[] = {kVariable, Collective::alltoall, Collective::alltoallw};
  for (int call = 0; call < forwarded; ++call) {
    const Collective collective = turns[call % 3];
    SmallExchange small(comm, 3);
    if (call == 1) small.counts.front() = -1;  // MPI's error; the call counts
    intercept::reset_calls();
    small.call(collective, comm);
    row.expect(call == 1 || small.is_right(), "a forwarded call moved wrong data");
    row.expect(collective != kVariable || intercept::calls(intercept::Function::Alltoallv) == 1,
               "call ", call + 1, " did not reach MPI_Alltoallv");
    row.expect(!algorithm_if_made("alltoallv", comm, row), "the state was made at call ", call + 1);
  }
  SmallExchange(comm, 3).run(kVariable, comm, row);
  row.expect(algorithm_if_made("alltoallv", comm, row).has_value(), "no state after call ",
             forwarded + 1);
}

/// Without a number, calls are forwarded until set-up would have saved on them what it takes. The clock
/// decides when that is, so only bounds can be tested.
void run_earning(Row& row) {
  constexpr int kAlways = 32;
  constexpr int kMost = 1 << 18;
  const TestComm comm;
  SmallExchange small(comm, 3);
  int calls = 0;
  const auto is_made = [&] { return algorithm_if_made("alltoallv", comm, row).has_value(); };
  for (; calls < kAlways; ++calls) small.call(kVariable, comm);
  row.expect(!is_made(), "the state was made within ", kAlways, " calls");
  for (; calls < kMost && !is_made(); ++calls) small.call(kVariable, comm);
  row.expect(is_made(), "no state after ", calls, " calls");
}

/// Rondo_Comm_prepare ends forwarding at once, and so does a named algorithm.
void run_no_forwarding(Row& row) {
  const TestComm prepared;
  row.expect_success(Rondo_Comm_prepare(prepared, MPI_INFO_NULL), "Rondo_Comm_prepare");
  row.expect(algorithm_if_made("alltoall", prepared, row).has_value(), "not prepared");
  const Environment environment("RONDO_ALLTOALLV", "sloav");
  const TestComm named;
  intercept::reset_calls();
  SmallExchange(named, 3).run(kVariable, named, row);
  row.expect(intercept::calls(intercept::Function::Alltoallv) == 0,
             "a named algorithm was not used");
}

/// The text is cut to fit and always terminated.
void run_truncation(Row& row) {
  const TestComm comm(Collective::alltoallv, "fused_bruck:radix=2", row);
  char text[16] = "###############";
  row.expect_success(Rondo_Comm_get_algorithm(comm, "alltoallv", text, 6), "get");
  row.expect(std::strcmp(text, "fused") == 0 && text[6] == '#', "cut to '", text, "'");
}

void run_test(Runner& runner) {
  for (const char* collective : {"alltoallv", "alltoallw"})
    for (const PrecedenceRow& asked : kPrecedence)
      runner.run(rondo::text(collective, ": set ", asked.set ? asked.set : "-", ", info ",
                             asked.info ? asked.info : "-", ", environment ",
                             asked.environment ? asked.environment : "-"),
                 run_precedence, collective, asked);
  runner.run("NULL sets auto", run_reset);
  runner.run("other ranks' environments", run_other_environments, runner);
  runner.run("other ranks' infos", run_other_infos);
  runner.run("info of the communicator", run_comm_info);
  for (const BadRow& bad : kBad)
    runner.run(rondo::text(bad.variable, "=", bad.value), run_bad_environment, bad);
  for (const int forwarded : {0, 1, 5, 9})
    runner.run(rondo::text("RONDO_FORWARD_CALLS=", forwarded), run_forwarding, forwarded);
  runner.run("RONDO_FORWARD_CALLS is not given", run_earning);
  runner.run("no forwarding after prepare", run_no_forwarding);
  runner.run("text cut to fit", run_truncation);
}

const AddedTest added({.name = "settings", .run = run_test});

}  // namespace settings_test
