// How the user asks a plan to measure, and how the plan tells what it runs.
#include <rondo/rondo.h>

#include <cstring>

#include "support/added_test.hpp"
#include "support/captured_stderr.hpp"
#include "support/clock.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/measured.hpp"
#include "support/profile_file.hpp"

namespace measure_asked_test {

using namespace rondo::testing;
namespace choice = rondo::choice;

using intercept::Function;

constexpr auto kVariable = Collective::alltoallv;

/// How often the MPI library carries out the executions of a plan for which `auto` chooses something else.
int executions_by_library(Rondo_Plan plan, SmallExchange& small, Row& row) {
  const int before = intercept::calls(Function::Alltoallv);
  for (int execution = 0; execution < kMeasured; ++execution) small.execute(plan, row, execution);
  return intercept::calls(Function::Alltoallv) - before;
}

choice::Layout one_node(const Runner& runner) {
  return {.ranks = runner.ranks(), .nodes = 1, .per_node = runner.ranks()};
}

struct KeyRow {
  const char* value;
  bool is_known;
  bool measures;
};

constexpr KeyRow kKeys[] = {{"1", true, true},      {"true", true, true},  {"0", true, false},
                            {"false", true, false}, {"yes", false, false}, {"2", false, false},
                            {"True", false, false}};

/// Only rank 0's value counts, and an invalid one there is an error on all ranks. RONDO_LEARN does not matter.
void run_key(const KeyRow& key, Runner& runner, Row& row) {
  const Environment off("RONDO_LEARN", "0");
  const TestComm comm;
  const Info info("rondo_measure", runner.rank() == 0 ? key.value : "other");
  SmallExchange small(comm, 3);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  const int code =
      make_plan(kVariable, small.send(kVariable), small.receive(kVariable), comm, info, &plan);
  if (!key.is_known) {
    for (const std::string& words :
         {std::string("rondo_measure"), rondo::text("'", key.value, "'")})
      row.expect_error(code, MPI_ERR_ARG, words);
    return row.expect(plan == RONDO_PLAN_NULL, "there is a plan");
  }
  row.expect_success(code, "making the plan");
  const int by_library = executions_by_library(plan, small, row);
  row.expect((by_library != 0) == key.measures, by_library, " executions are the library's");
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
}

/// A named algorithm takes precedence, whether in the info object or before.
void run_named(bool is_in_info, Row& row) {
  const TestComm comm;
  Info info("rondo_measure", "1");
  if (is_in_info)
    info.set("rondo_alltoallv", "sloav");
  else
    set_algorithm(comm, Collective::alltoallv, "sloav", row);
  SmallExchange small(comm, 3);
  const Plan plan = small.plan(kVariable, comm, row, info);
  row.expect(executions_by_library(plan, small, row) == 0, "the library's call is tried");
  const std::string runs = algorithm_of(plan, row);
  row.expect(runs == "sloav:threshold=off", "it runs ", runs);
}

void run_text(Row& row) {
  const TestComm comm;
  Measured measured({Collective::alltoallv, 3}, comm, row);
  row.expect(measured.algorithm().starts_with("fused_bruck:"), "it runs ", measured.algorithm());
  char text[16] = "###############";
  row.expect_success(Rondo_Plan_get_algorithm(measured.plan(), text, 6), "get_algorithm");
  row.expect(std::strcmp(text, "fused") == 0 && text[6] == '#', "cut to '", text, "'");
  row.expect_error(Rondo_Plan_get_algorithm(measured.plan(), nullptr, 6), MPI_ERR_ARG);
  row.expect_error(Rondo_Plan_get_algorithm(measured.plan(), text, 0), MPI_ERR_ARG);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// RONDO_VERBOSE=1: rank 0 says once that the plan has left what it ran, which is slow by all clocks.
void run_verbose(Runner& runner, Row& row) {
  const Environment verbose("RONDO_VERBOSE", "1");
  const ProfileFile profile(one_node(runner), decisions_of({{0, "mpi"}}, {{0, "mpi"}}));
  const TestComm comm;
  intercept::watch([](Function called, intercept::Given, const std::function<int()>& call) {
    const int code = call();
    if (called == Function::Alltoallv) clock::advance(std::chrono::seconds(1));
    return code;
  });
  CapturedStderr captured;
  Measured measured({Collective::alltoallv, 3}, comm, row);
  measured.execute(kMeasured);
  const std::string said = captured.stop();
  intercept::watch({});
  const bool is_first = runner.rank() == 0;
  row.expect(count_of(said, "; learned: faster than mpi in ") == (is_first ? 1U : 0U),
             "said: ", said);
}

void run_test(Runner& runner) {
  {
    const ProfileFile profile(one_node(runner),
                              decisions_of({{0, "mpi"}}, {{0, "fused_bruck:radix=2"}}));
    for (const KeyRow& key : kKeys)
      runner.run(rondo::text("rondo_measure=", key.value), run_key, key, runner);
    for (const bool is_in_info : {false, true})
      runner.run(is_in_info ? "named in the info" : "named before", run_named, is_in_info);
    runner.run("text", run_text);
  }
  runner.run("verbose", run_verbose, runner);
}

const AddedTest added({.name = "measure_asked", .run = run_test});

}  // namespace measure_asked_test
