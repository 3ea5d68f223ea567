// Tells contributed_test.py who considers an algorithm: `contributed auto`, `contributed tune`, or
// `contributed alltoallv ...`, as regret.py calls rondo-bench for its variants.
//
// There are 8 ranks, each on a node of its own, so that no shared memory is faster than messages.
#include <cstdio>
#include <string_view>

#include "select/decide.hpp"
#include "tune/choices.hpp"
#include "variants.hpp"

namespace {

using namespace rondo;

constexpr auto kCollective = registry::Collective::alltoallv;
constexpr std::int64_t kBlockBytes = 16384;

void print_auto(const select::Place& place, const model::Machine& machine) {
  for (const select::PredictedChoice& one :
       select::ranked(registry::Chooser::automatic, kCollective, place, machine, kBlockBytes))
    std::printf("considers %s\n", one.choice.text().c_str());
  const select::Decisions decisions = select::predicted(place, machine);
  for (const select::Band& band : decisions.of(kCollective))
    std::printf("chooses %s\n", band.choice.text().c_str());
}

void print_tune(const select::Place& place, const model::Machine& machine) {
  for (const choice::OpenChoice& request :
       bench::choices_to_race(kCollective, place, machine, kBlockBytes))
    std::printf("races %s\n", request.text().c_str());
}

/// As rondo-bench --variants --format json.
void print_bench(const select::Place& place) {
  bench::Options options;
  options.call = bench::Call::alltoallv;
  options.bytes = {kBlockBytes};
  options.format = bench::Format::json;
  std::fputs(bench::list_variants(options, place).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view who = argc > 1 ? argv[1] : "";
  const model::Machine machine = model::typical_cluster();
  const select::Place place{.layout = {.ranks = 8, .nodes = 8, .per_node = 1}};
  if (who == "auto") print_auto(place, machine);
  if (who == "tune") print_tune(place, machine);
  if (who == "alltoallv") print_bench(place);
}
