// Names of algorithms that are refused, and ranks that do not name the same one.
#include <rondo/rondo.h>

#include <cstring>

#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

void expect_refused(int code, const std::string& named, Row& row) {
  row.expect(class_of(code) == MPI_ERR_ARG, "returned ", error_text(code), "; last error: '",
             Rondo_Get_last_error(), "'");
  row.expect(std::strstr(Rondo_Get_last_error(), named.c_str()) != nullptr, "the text '",
             Rondo_Get_last_error(), "' does not name '", named, "'");
}

struct TextRow {
  const char* collective;
  const char* algorithm;
  const char* named;
};

constexpr TextRow kTexts[] = {
    {"alltoallv", "no_such", "no_such"},
    {"alltoall", "fused_bruck", "fused_bruck"},
    {"alltoallv", "tunable_bruck", "tunable_bruck"},
    {"alltoallv", "fused_bruck:colour=3", "colour"},
    {"alltoallv", "fused_bruck:radix", "radix"},
    {"alltoallv", "fused_bruck:radix=1", "radix"},
    {"alltoallv", "fused_bruck:radix=-4", "radix"},
    {"alltoallv", "fused_bruck:radix=x", "radix"},
    {"alltoallv", "fused_bruck:radix=4x", "radix"},
    {"alltoallv", "fused_bruck:radix=99999999999999999999", "radix"},
    {"alltoallv", "fused_bruck:ports=0", "ports"},
    {"alltoallv", "fused_bruck:ports=4294967296", "in 1..2147483647"},
    {"alltoall", "tunable_bruck:radix=4294967298", "in 2..2147483647"},
    {"alltoall", "two_layer_bruck:intra=2:inter=0", "inter"},
    {"alltoallw", "no_such", "no_such"},
    {"alltoallx", "spread_out", "alltoallx"},
    {"", "spread_out", "collective"},
};

void run_text(const TextRow& text, MPI_Comm comm, Row& row) {
  char before[200] = "";
  char after[200] = "";
  row.expect_success(Rondo_Comm_set_algorithm(comm, "alltoallv", "sloav"), "setting sloav");
  row.expect_success(Rondo_Comm_get_algorithm(comm, "alltoallv", before, sizeof before), "get");
  expect_refused(Rondo_Comm_set_algorithm(comm, text.collective, text.algorithm), text.named, row);
  row.expect_success(Rondo_Comm_get_algorithm(comm, "alltoallv", after, sizeof after), "get");
  row.expect(std::strcmp(before, after) == 0, "the algorithm changed from ", before, " to ", after);
}

/// Different texts on different ranks.
void run_disagreement(const char* even, const char* odd, MPI_Comm comm, Row& row) {
  int rank = 0;
  int ranks = 0;
  must(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  must(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  if (ranks == 1) return row.skip("one rank cannot disagree");
  const int code = Rondo_Comm_set_algorithm(comm, "alltoallv", rank % 2 == 0 ? even : odd);
  expect_refused(code, "", row);
  SmallExchange(comm, 3).run(kVariable, comm, row);
}

void expect_last(MPI_Comm comm, const std::string& expected, Row& row) {
  char last[200] = "";
  row.expect_success(Rondo_Comm_get_last_algorithm(comm, last, sizeof last), "get the last one");
  row.expect(expected == last, "the last exchange ran ", last, ", not ", expected);
}

/// What exchanges ran is told afterwards.
void run_last(MPI_Comm comm, Row& row) {
  row.expect_success(Rondo_Comm_set_algorithm(comm, "alltoallv", "fused_bruck:radix=3:ports=1"),
                     "set");
  SmallExchange(comm, 3).run(kVariable, comm, row);
  char running[200] = "";
  row.expect_success(Rondo_Comm_get_algorithm(comm, "alltoallv", running, sizeof running), "get");
  expect_last(comm, running, row);
  row.expect_success(Rondo_Comm_set_algorithm(comm, "alltoallv", "mpi"), "set");
  SmallExchange(comm, 3).run(kVariable, comm, row);
  expect_last(comm, "mpi", row);
  expect_refused(Rondo_Comm_get_last_algorithm(comm, nullptr, 8), "", row);
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "names");
  MPI_Comm comm = new_comm();
  for (const TextRow& text : kTexts)
    runner.run(rondo::text("algorithm ", text.collective, " ", text.algorithm),
               [&](Row& row) { run_text(text, comm, row); });
  for (const auto& [even, odd] :
       {std::pair{"fused_bruck", "sloav"}, std::pair{"fused_bruck:radix=2", "fused_bruck:radix=3"},
        std::pair{"sloav", "no_such"}, std::pair{"sloav", "auto"}})
    runner.run(rondo::text("ranks set ", even, " and ", odd),
               [&](Row& row) { run_disagreement(even, odd, comm, row); });
  runner.run("the last algorithm", [&](Row& row) { run_last(comm, row); });
  must(MPI_Comm_free(&comm), "MPI_Comm_free");
  return runner.finish();
}
