#include "select/edges.hpp"

#include <utility>

namespace rondo::select {

namespace {

using choice::Choice;
using choice::Layout;
using registry::Collective;

Choice default_of(std::string_view name, const Layout& layout) {
  return choice::resolve({.algorithm = registry::find(Collective::neighbor_alltoallv, name)},
                         layout);
}

}  // namespace

EdgeDecision decide_on_edges(const Layout& layout, const EdgeLoad& load, const EdgePlace& place,
                             const model::Machine& machine) {
  const Choice straight = default_of(place.may_forward ? "mpi" : "spread_out", layout);
  std::string reason = "the only one";
  if (!place.has_node) return {straight, reason};
  const model::Prices prices = model::loggp(machine);
  const auto predict = [&](const Choice& choice) {
    const model::Work work = work_on_edges(choice, layout, load);
    return model::Prediction{choice, work, model::price(work, layout, prices)};
  };
  model::Prediction first = predict(straight);
  model::Prediction second = predict(default_of("node_aware", layout));
  if (second.cost.total() < first.cost.total()) std::swap(first, second);
  reason = text("predicted: ", model::why_faster(first, second), " (",
                second.choice.algorithm->name, ")");
  return {first.choice, reason};
}

}  // namespace rondo::select
