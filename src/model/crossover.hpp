// From which block length on which algorithm is predicted to be the fastest.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/cost.hpp"

namespace rondo::model {

/// Block lengths S, both ends included.
struct Range {
  std::int64_t from;
  std::int64_t to;
};

/// At S = block_bytes the choice is `after`, one byte below it was `before`.
struct Change {
  std::int64_t block_bytes;
  choice::Choice before;
  choice::Choice after;
};

/// Where choice_at(S) changes, in ascending order, to the byte: bisection of every octave at whose
/// ends it differs. What comes and goes within one octave is not seen.
std::vector<Change> changes(const Range& range,
                            const std::function<choice::Choice(std::int64_t)>& choice_at);

/// Where, and with what, algorithms are compared.
struct Contest {
  choice::Layout layout;
  Distribution distribution = Distribution::constant;
  Prices prices;

  Load load(std::int64_t block_bytes) const {
    return {static_cast<double>(block_bytes), distribution};
  }
};

/// All candidates, the fastest first; equals stay in their order.
std::vector<Prediction> ranking(std::span<const choice::Choice> candidates, const Contest& contest,
                                std::int64_t block_bytes);

struct Crossover {
  std::int64_t block_bytes;
  Prediction before;  ///< both at block_bytes
  Prediction after;
  std::string reason;  ///< why_faster(after, before)
};

/// The changes of the fastest candidate over S. The fastest of all at range.from is
/// ranking(...).front().
std::vector<Crossover> crossovers(std::span<const choice::Choice> candidates,
                                  const Contest& contest, const Range& range);

}  // namespace rondo::model
