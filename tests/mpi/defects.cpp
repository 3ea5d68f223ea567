// One row for each defect that was found in the published codes, on every algorithm. Those that
// need a program of their own: overflow in large.cpp, heap growth in growth.cpp, unchecked return
// codes in return_codes.cpp, placement of ranks in nodes.cpp.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/small.hpp"

namespace defects_test {

using namespace rondo::testing;

struct Defect {
  const char* name;
  const char* types;
  const char* sizes;  ///< of alltoallv
  std::optional<std::byte> prefill{};
};

/// run_case puts argument arrays and the send buffer into read-only pages, and uses permuted
/// displacements with gaps, in every row. Here the rows are named after the defects.
const Defect kDefects[] = {
    {"send buffer, counts or displacements written or freed", "double", "uniform 0..1000"},
    {"gaps and permuted displacements ignored", "byte", "sparse"},
    {"size used where the extent counts", "resized vector", "uniform 0..64"},
    {"receive buffer read as flags: 0", "byte", "uniform 0..8", std::byte{0}},
    {"receive buffer read as flags: 1", "byte", "uniform 0..8", std::byte{1}},
    {"receive buffer read as flags: 255", "byte", "uniform 0..8", std::byte{255}},
    {"receive buffer read as flags: 255 in ints", "dup to contiguous", "sparse", std::byte{255}},
};

void run_defects(Collective collective, Runner& runner) {
  const TestComm comm;
  std::uint64_t number = 0;
  for (const Defect& defect : kDefects)
    for (const std::string& algorithm : algorithm_rows(collective, runner.ranks())) {
      const bool is_uniform = collective == Collective::alltoall;
      const Case which{.collective = collective,
                       .algorithm = algorithm,
                       .distribution = is_uniform ? &named(uniform_distributions(), "constant 64")
                                                  : &named(distributions(), defect.sizes),
                       .types = &named(type_rows(), defect.types),
                       .seed = hash(runner.options().seed, static_cast<int>(collective), number++),
                       .prefill = defect.prefill};
      if (collective == Collective::alltoallw && algorithm == "mpi") continue;
      runner.run(rondo::text(defect.name, ": ", which.name()), run_case, which, comm);
    }
}

/// Groups of two or three ranks, and the rest. Published codes hang with two ranks, and if the group
/// size does not divide the number of ranks.
void run_in_groups(int group, Runner& runner) {
  const TestComm comm(new_comm(runner.rank() / group, runner.rank()));
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : algorithm_rows(collective, group))
      runner.run(
          rondo::text("hang in groups of ", group, ": ", name_of(collective), " ", algorithm),
          [&](Row& row) {
            set_algorithm(comm, collective, algorithm, row);
            for (int salt = 0; salt < 3; ++salt)
              SmallExchange(comm, 5).run(collective, comm, row, salt);
          });
}

void run_test(Runner& runner) {
  for (const Collective collective : kCollectives) run_defects(collective, runner);
  for (const int group : {2, 3}) run_in_groups(group, runner);
}

const AddedTest added({.name = "defects", .run = run_test});

}  // namespace defects_test
