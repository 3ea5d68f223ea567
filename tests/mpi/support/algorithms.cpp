#include "support/algorithms.hpp"

#include <rondo/rondo.h>

#include <algorithm>
#include <string_view>

#include "registry/algorithm.hpp"

namespace rondo::testing {

namespace {

struct ParameterRow {
  std::string_view collective;  ///< as in the registry, where alltoallv serves alltoallw
  const char* algorithm;        ///< {P} and {P-1} stand for numbers of ranks, 2 at least
};

constexpr ParameterRow kParameterRows[] = {
    {"alltoall", "spread_out:window=1"},
    {"alltoall", "spread_out:window=3"},
    {"alltoall", "tunable_bruck:radix=2"},
    {"alltoall", "tunable_bruck:radix=3:ports=1"},
    {"alltoall", "tunable_bruck:radix=4:ports=2"},
    {"alltoall", "tunable_bruck:radix={P-1}"},
    {"alltoall", "tunable_bruck:radix={P}"},
    {"alltoall", "tunable_bruck:radix=1000"},
    {"alltoall", "two_layer_bruck:intra=2:inter=2"},
    {"alltoall", "two_layer_bruck:intra=3:ports=1"},
    {"alltoall", "two_layer_bruck:intra={P-1}:inter=3:ports=2"},
    {"alltoall", "two_layer_bruck:intra=1000:inter=1000"},
    {"alltoall", "zero_rotation_bruck:threshold=100"},
    {"alltoall", "tunable_bruck:radix=3:threshold=0"},
    {"alltoall", "node_aware:threshold=40"},
    {"alltoall", "node_aware:threshold=64:parts=3"},
    {"alltoall", "node_aware:inter=bruck:radix=2"},
    {"alltoallv", "spread_out:window=1"},
    {"alltoallv", "spread_out:window=3"},
    {"alltoallv", "two_phase_bruck:radix=3"},
    {"alltoallv", "two_phase_bruck:radix=4:ports=1"},
    {"alltoallv", "two_phase_bruck:radix={P-1}:ports=2"},
    {"alltoallv", "two_phase_bruck:radix={P}"},
    {"alltoallv", "two_phase_bruck:radix=1000"},
    {"alltoallv", "fused_bruck:radix=2"},
    {"alltoallv", "fused_bruck:radix=2:ports=1"},
    {"alltoallv", "fused_bruck:radix=3:ports=2"},
    {"alltoallv", "fused_bruck:radix=4"},
    {"alltoallv", "fused_bruck:radix={P-1}"},
    {"alltoallv", "fused_bruck:radix={P}:ports=1"},
    {"alltoallv", "fused_bruck:radix=1000"},
    {"alltoallv", "fused_bruck:radix=2:threshold=64"},
    {"alltoallv", "two_phase_bruck:radix=3:threshold=0"},
    {"alltoallv", "padded_bruck:threshold=1000"},
    {"alltoallv", "sloav:threshold=16"},
    {"alltoallv", "node_aware:threshold=64"},
    {"alltoallv", "node_aware:threshold=0"},
    {"alltoallv", "node_aware:threshold=64:parts=2"},
    {"alltoallv", "node_aware:threshold=1000:inter=bruck:radix=2:parts=2"},
    {"alltoallv", "node_aware:inter=bruck:radix={P}"},
    {"sparse_alltoallv", "nbx:threshold=0"},
    {"sparse_alltoallv", "nbx:threshold=off"},
    {"sparse_alltoallv", "personalized:threshold=64"},
    {"sparse_alltoallv", "fused_bruck:radix=2:ports=1:threshold=256"},
    {"sparse_alltoallv", "node_aware:threshold=64"},
    {"sparse_alltoallv", "node_aware:inter=bruck:radix=2:parts=2"},
};

std::string_view registry_name(Collective collective) {
  return collective == Collective::alltoall ? "alltoall" : "alltoallv";
}

std::vector<std::string> registered(std::string_view collective) {
  std::vector<std::string> names;
  for (int row = 0; row < Rondo_Algorithm_count(); ++row) {
    Rondo_Algorithm algorithm{};
    if (Rondo_Algorithm_get(row, &algorithm) == MPI_SUCCESS && algorithm.collective == collective)
      names.emplace_back(algorithm.name);
  }
  return names;
}

std::string with_ranks(std::string text, int ranks) {
  for (const auto& [mark, value] :
       {std::pair<std::string, int>{"{P}", ranks}, {"{P-1}", ranks - 1}})
    if (const auto at = text.find(mark); at != std::string::npos)
      text.replace(at, mark.size(), std::to_string(std::max(value, 2)));
  return text;
}

std::vector<std::string> algorithm_rows(std::string_view collective, int ranks) {
  std::vector<std::string> rows = registered(collective);
  rows.emplace_back("auto");
  for (const ParameterRow& row : kParameterRows)
    if (row.collective == collective) rows.push_back(with_ranks(row.algorithm, ranks));
  return rows;
}

}  // namespace

std::vector<std::string> registered(Collective collective, bool moving_only) {
  std::vector<std::string> names = registered(registry_name(collective));
  if (moving_only) std::erase(names, "mpi");
  return names;
}

std::vector<std::string> algorithm_rows(Collective collective, int ranks) {
  return algorithm_rows(registry_name(collective), ranks);
}

std::vector<std::string> moving_algorithms(Collective collective) {
  std::vector<std::string> names = registered(collective, true);
  names.emplace_back("node_aware:threshold=64");
  names.emplace_back("node_aware:inter=bruck:threshold=64:parts=2");
  if (collective == Collective::alltoall) return names;
  names.emplace_back("fused_bruck:threshold=64");
  names.emplace_back("fused_bruck:radix=2:ports=1");
  return names;
}

bool reports_everywhere(Collective collective, const std::string& algorithm) {
  const auto table = collective == Collective::alltoall ? registry::Collective::alltoall
                                                        : registry::Collective::alltoallv;
  const std::string name = algorithm.substr(0, algorithm.find(':'));
  return registry::find(table, name)->errors == registry::Errors::everywhere;
}

std::vector<std::string> sparse_algorithms() {
  return algorithm_rows("sparse_alltoallv", 0);
}

bool uses_datatypes(const std::string& algorithm) {
  return algorithm.substr(0, algorithm.find(':')).ends_with("_dt");
}

}  // namespace rondo::testing
