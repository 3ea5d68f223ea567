#include "support/factors.hpp"

#include <rondo/rondo.h>

#include "support/random.hpp"
#include "support/sample.hpp"

namespace rondo::testing {

namespace {

#ifdef MPICH_VERSION
/// Elements side by side without gaps; null stands for mixed types.
bool is_plain(const TypeRow* types) {
  if (types == nullptr || types->absolute) return false;
  const ElementType& type = *types->receive;
  return type.runs.size() == 1 && type.runs[0].offset == 0 &&
         type.extent == static_cast<std::ptrdiff_t>(type.size());
}
#endif

/// What the MPI libraries themselves get wrong: why the library's own exchange fails this case, or
/// null.
const char* library_defect([[maybe_unused]] const Case& which, [[maybe_unused]] int ranks) {
#ifdef OPEN_MPI
  if (are_started() && which.is_in_place && (which.algorithm == "mpi" || which.algorithm == "auto"))
    return "Open MPI's own nonblocking exchanges in place hang now and then";
  if (which.algorithm != "mpi") return nullptr;
  if (which.collective == Collective::alltoallw && ranks == 1 && !which.is_in_place)
    return "Open MPI's MPI_Alltoallw on one rank takes displacements in elements (coll/self)";
  constexpr int kBruckRanks = 12;  // from here on coll/tuned uses it for small blocks
  if (which.collective != Collective::alltoall || ranks < kBruckRanks || which.types == nullptr)
    return nullptr;
  if (which.types->absolute) return "Open MPI's Bruck adds absolute addresses to its own buffers";
  if (which.types->send != which.types->receive)
    return "Open MPI's Bruck moves the send buffer as elements of the receive type";
#elif defined(MPICH_VERSION)
  const bool may_forward = which.algorithm == "mpi" || which.algorithm == "auto";
  if (may_forward && which.is_in_place && !is_plain(which.types))
    return "MPICH's own exchange in place truncates, or crashes, on long blocks of derived types";
#endif
  return nullptr;
}

}  // namespace

std::vector<Case> cases_of(Collective collective, const std::vector<std::string>& algorithms,
                           const Options& options, const std::vector<Homes>& homes) {
  const bool is_uniform = collective == Collective::alltoall;
  const auto lengths = is_uniform ? uniform_distributions() : distributions();
  const std::vector<Form> all_forms = forms();
  std::vector<const TypeRow*> types;
  for (const TypeRow& row : type_rows()) types.push_back(&row);
  if (collective == Collective::alltoallw) types.push_back(nullptr);  // mixed
  std::vector<std::size_t> sizes{algorithms.size(), lengths.size(), types.size(), 2,
                                 all_forms.size()};
  if (homes.size() > 1) sizes.push_back(homes.size());

  const auto case_at = [&](const Combination& row, std::uint64_t seed) -> Case {
    const Homes& home = homes[row.size() > 5 ? row[5] : 0];
    return {.collective = collective,
            .algorithm = algorithms[row[0]],
            .distribution = &lengths[row[1]],
            .types = types[row[2]],
            .is_in_place = row[3] == 1,
            .form = all_forms[row[4]],
            .seed = seed,
            .send_home = home.send,
            .receive_home = home.receive};
  };
  const std::uint64_t salt = static_cast<std::uint64_t>(collective);
  const std::uint64_t seed = hash(options.seed, salt);
  const Legal legal = [&](const Combination& row) { return is_legal(case_at(row, seed)); };
  std::vector<Case> cases;
  for (const Combination& row : combinations(sizes, options, salt, legal))
    cases.push_back(case_at(row, hash(seed, cases.size())));
  return cases;
}

void run_or_skip(const Case& which, MPI_Comm comm, Row& row) {
  if (const char* defect = library_defect(which, ranks_of(comm))) return row.skip(defect);
  run_case(which, comm, row);
}

}  // namespace rondo::testing
