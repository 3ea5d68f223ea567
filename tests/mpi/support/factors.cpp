#include "support/factors.hpp"

#include "support/cover.hpp"
#include "support/library_defects.hpp"

namespace rondo::testing {

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
  const std::uint64_t seed = hash(options.seed, static_cast<int>(collective));
  const Legal legal = [&](const Combination& row) { return is_legal(case_at(row, seed)); };
  const auto rows = options.all ? full_product(sizes, legal) : pairwise_cover(sizes, legal, seed);
  std::vector<Case> cases;
  for (const Combination& row : rows) cases.push_back(case_at(row, hash(seed, cases.size())));
  return cases;
}

void run_or_skip(const Case& which, MPI_Comm comm, Row& row) {
  if (const char* defect = library_defect(which, ranks_of(comm))) return row.skip(defect);
  run_case(which, comm, row);
}

}  // namespace rondo::testing
