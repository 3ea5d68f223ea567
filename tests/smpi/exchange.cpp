// A trimmed table of exchanges for hundreds of ranks in one process, under SimGrid's SMPI. It is
// compiled together with the library's sources: SMPI gives every rank its own copy of the globals
// of one executable.
//
//   test_smpi_exchange ALGORITHM...     as in alltoallv/fused_bruck:radix=4
#include <rondo/rondo.h>

#include <string>

#include "support/case.hpp"

namespace {

using namespace rondo::testing;

struct SizeRow {
  const char* types;
  const char* sizes;          ///< of alltoallv
  const char* uniform_sizes;  ///< of alltoall
  bool is_in_place;
  Form form;
};

constexpr SizeRow kSizes[] = {
    {"byte", "uniform 0..8", "constant 8", false, Form::direct},
    {"resized vector", "uniform 0..8", "constant 1", false, Form::direct},
    {"double", "uniform 0..1", "constant 1", true, Form::direct},
    {"byte", "one receives", "constant 8", false, Form::plan},
};

void run_algorithm(const std::string& word, MPI_Comm comm, Runner& runner) {
  const auto slash = word.find('/');
  const bool is_uniform = word.substr(0, slash) == "alltoall";
  std::uint64_t number = 0;
  // The work of SimGrid grows faster than the number of ranks. With many ranks, only the first rows run.
  const std::span<const SizeRow> sizes(kSizes);
  const bool is_short = runner.ranks() > 256 && !runner.options().all;
  for (const SizeRow& size : is_short ? sizes.first(2) : sizes) {
    const Case which{.collective = is_uniform ? Collective::alltoall : Collective::alltoallv,
                     .algorithm = word.substr(slash + 1),
                     .distribution = is_uniform
                                         ? &named(uniform_distributions(), size.uniform_sizes)
                                         : &named(distributions(), size.sizes),
                     .types = &named(type_rows(), size.types),
                     .is_in_place = size.is_in_place,
                     .form = size.form,
                     .seed = hash(runner.options().seed, number++)};
    runner.run(which.name(), [&](Row& row) { run_case(which, comm, row); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, MPI_THREAD_SINGLE);
  const auto run = [](Runner& rows) {
    MPI_Comm comm = MPI_COMM_NULL;
    must(MPI_Comm_split(MPI_COMM_WORLD, 0, rows.rank(), &comm));
    must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    for (const std::string& word : rows.options().words) run_algorithm(word, comm, rows);
    must(MPI_Comm_free(&comm));
  };
  runner.run_test({.name = "smpi_exchange", .run = run});
  return runner.finish();
}
