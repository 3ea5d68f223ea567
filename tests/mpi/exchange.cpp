// Every algorithm against the definition: algorithms x distributions x datatypes x in place x form
// of call, a sample in which every pair of values occurs, or with --all the product.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/factors.hpp"
#include "support/sample.hpp"
#include "support/small.hpp"

namespace exchange_test {

using namespace rondo::testing;

void run_collective(Collective collective, Runner& runner) {
  // Not every communicator numbers its ranks as MPI_COMM_WORLD does.
  const int orders[] = {runner.rank(), -runner.rank(), runner.rank() % 2};
  const TestComm comm(new_comm(0, orders[static_cast<int>(collective)]));
  const auto algorithms = algorithm_rows(collective, runner.ranks());
  for (const Case& which : cases_of(collective, algorithms, runner.options()))
    runner.run_drawn(one_in(runner, 4), which.name(), run_or_skip, which, comm);
}

/// The reference rests on the type maps in support/types.cpp.
void check_type_maps(Row& row) {
  for (const TypeRow& types : type_rows()) {
    row.expect(agrees_with_mpi(*types.send), types.send->name, " is not what MPI makes of it");
    row.expect(agrees_with_mpi(*types.receive), types.receive->name,
               " is not what MPI makes of it");
  }
}

void run_test(Runner& runner) {
  runner.run("type maps", check_type_maps);
  for (const Collective collective : kCollectives) run_collective(collective, runner);
}

const AddedTest added({.name = "exchange", .run = run_test, .settings = {{}, {kEveryStarted, 4}}});

}  // namespace exchange_test
