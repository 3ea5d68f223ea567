#include "model/best_radix.hpp"

#include <algorithm>
#include <limits>

namespace rondo::model {

std::vector<std::int64_t> radices_to_try(std::int64_t length) {
  std::vector<std::int64_t> radices;
  std::int64_t radix = 2;
  for (; radix * radix < length; ++radix) radices.push_back(radix);
  while (radix < length) {
    const std::int64_t values = (length + radix - 1) / radix;  // of the upper digit
    radices.push_back(radix);
    radix = (length - 1) / (values - 1) + 1;
  }
  radices.push_back(std::max<std::int64_t>(length, 2));
  return radices;
}

choice::Choice with_best_radices(const choice::Request& request, const choice::Layout& layout,
                                 const Load& load, const Prices& prices) {
  choice::Request found = request;
  const auto list = request.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind != registry::Parameter::Kind::radix || found.values[i]) continue;
    choice::Request trial = found;
    trial.values[i] = std::numeric_limits<std::int64_t>::max();
    double least = std::numeric_limits<double>::infinity();
    // A radix above the length of its dimension is brought down to it.
    for (const std::int64_t radix : radices_to_try(choice::resolve(trial, layout).values[i])) {
      trial.values[i] = radix;
      const double seconds =
          predict(choice::resolve(trial, layout), layout, load, prices).cost.total();
      if (seconds >= least) continue;
      least = seconds;
      found.values[i] = radix;
    }
  }
  return choice::resolve(found, layout);
}

}  // namespace rondo::model
