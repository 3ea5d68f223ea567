// Names of algorithms that are refused, and ranks that do not name the same one.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/small.hpp"

namespace names_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;

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
  set_algorithm(comm, Collective::alltoallv, "sloav", row);
  const std::string before = algorithm_of("alltoallv", comm, row);
  row.expect_error(Rondo_Comm_set_algorithm(comm, text.collective, text.algorithm), MPI_ERR_ARG,
                   text.named);
  const std::string after = algorithm_of("alltoallv", comm, row);
  row.expect(before == after, "the algorithm changed from ", before, " to ", after);
}

/// Different texts on different ranks.
void run_disagreement(const char* even, const char* odd, MPI_Comm comm, Row& row) {
  const int rank = rank_of(comm);
  const int ranks = ranks_of(comm);
  if (ranks == 1) return row.skip("one rank cannot disagree");
  const int code = Rondo_Comm_set_algorithm(comm, "alltoallv", rank % 2 == 0 ? even : odd);
  row.expect_error(code, MPI_ERR_ARG);
  SmallExchange(comm, 3).run(kVariable, comm, row);
}

void expect_last(MPI_Comm comm, const std::string& expected, Row& row) {
  const std::string last = last_algorithm(comm, row);
  row.expect(expected == last, "the last exchange ran ", last, ", not ", expected);
}

/// Rondo tells which algorithm the last exchange ran.
void run_last(MPI_Comm comm, Row& row) {
  set_algorithm(comm, Collective::alltoallv, "fused_bruck:radix=3:ports=1", row);
  SmallExchange(comm, 3).run(kVariable, comm, row);
  expect_last(comm, algorithm_of("alltoallv", comm, row), row);
  set_algorithm(comm, Collective::alltoallv, "mpi", row);
  SmallExchange(comm, 3).run(kVariable, comm, row);
  expect_last(comm, "mpi", row);
  row.expect_error(Rondo_Comm_get_last_algorithm(comm, nullptr, 8), MPI_ERR_ARG);
}

void run_test(Runner& runner) {
  MPI_Comm comm = new_comm();
  for (const TextRow& text : kTexts)
    runner.run(rondo::text("algorithm ", text.collective, " ", text.algorithm), run_text, text,
               comm);
  for (const auto& [even, odd] :
       {std::pair{"fused_bruck", "sloav"}, std::pair{"fused_bruck:radix=2", "fused_bruck:radix=3"},
        std::pair{"sloav", "no_such"}, std::pair{"sloav", "auto"}})
    runner.run(rondo::text("ranks set ", even, " and ", odd), run_disagreement, even, odd, comm);
  runner.run("the last algorithm", run_last, comm);
  must(MPI_Comm_free(&comm));
}

const AddedTest added({.name = "names", .run = run_test});

}  // namespace names_test
