// Every algorithm against the definition: algorithms x distributions x datatypes x in place x form
// of call, a sample in which every pair of values occurs, or with --all the product.
#include <rondo/rondo.h>

#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/cover.hpp"
#include "support/library_defects.hpp"

namespace {

using namespace rondo::testing;

struct Factors {
  Collective collective;
  std::vector<std::string> algorithms;
  std::span<const Distribution> distributions;
  std::vector<const TypeRow*> types{};  ///< null stands for mixed types
  std::vector<Form> forms;

  std::vector<std::size_t> sizes() const {
    return {algorithms.size(), distributions.size(), types.size(), 2, forms.size()};
  }

  Case at(const Combination& row, std::uint64_t seed) const {
    return {.collective = collective,
            .algorithm = algorithms[row[0]],
            .distribution = &distributions[row[1]],
            .types = types[row[2]],
            .is_in_place = row[3] == 1,
            .form = forms[row[4]],
            .seed = seed};
  }
};

Factors factors_of(Collective collective, int ranks) {
  Factors factors{.collective = collective,
                  .algorithms = algorithm_rows(collective, ranks),
                  .distributions = collective == Collective::alltoall ? uniform_distributions()
                                                                      : distributions(),
                  .forms = forms()};
  for (const TypeRow& row : type_rows()) factors.types.push_back(&row);
  if (collective == Collective::alltoallw) factors.types.push_back(nullptr);
  return factors;
}

/// Not every communicator numbers its ranks as MPI_COMM_WORLD does.
MPI_Comm make_comm(Collective collective, const Runner& runner) {
  const int orders[] = {runner.rank(), -runner.rank(), runner.rank() % 2};
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Comm_split(MPI_COMM_WORLD, 0, orders[static_cast<int>(collective)], &comm),
       "MPI_Comm_split");
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return comm;
}

void run_collective(Collective collective, Runner& runner) {
  const Factors factors = factors_of(collective, runner.ranks());
  const std::uint64_t seed = hash(runner.options().seed, static_cast<int>(collective));
  const Legal legal = [&](const Combination& row) { return is_legal(factors.at(row, seed)); };
  const auto rows = runner.options().all ? full_product(factors.sizes(), legal)
                                         : pairwise_cover(factors.sizes(), legal, seed);
  MPI_Comm comm = make_comm(collective, runner);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Case which = factors.at(rows[i], hash(seed, i));
    runner.run(which.name(), [&](Row& row) {
      const char* defect = library_defect(which, runner.ranks());
      if (defect != nullptr) return row.skip(defect);
      run_case(which, comm, row);
    });
  }
  must(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/// The reference rests on the type maps in support/types.cpp.
void check_type_maps(Row& row) {
  for (const TypeRow& types : type_rows()) {
    row.expect(agrees_with_mpi(*types.send), types.send->name, " is not what MPI makes of it");
    row.expect(agrees_with_mpi(*types.receive), types.receive->name,
               " is not what MPI makes of it");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "exchange");
  runner.run("type maps", check_type_maps);
  for (const Collective collective :
       {Collective::alltoall, Collective::alltoallv, Collective::alltoallw})
    run_collective(collective, runner);
  return runner.finish();
}
