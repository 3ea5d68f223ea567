// Comparisons of predictions: the best radix, the fastest algorithm, and where that changes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/cost.hpp"

namespace rondo::model {

/// The exchange and the machine for which algorithms are compared.
struct Contest {
  choice::Layout layout;
  Distribution distribution = Distribution::constant;
  Prices prices;
  double partners = 0;      ///< how many other ranks a rank sends to; 0 means all
  bool is_dynamic = false;  ///< no rank knows what it will receive

  Load load(std::int64_t block_bytes) const {
    const bool has_all = partners == 0 || partners >= layout.ranks - 1;
    return {.block_bytes = static_cast<double>(block_bytes),
            .distribution = distribution,
            .share = has_all ? 1 : partners / (layout.ranks - 1),
            .is_dynamic = is_dynamic};
  }
  Prediction predict(const choice::Choice& choice, std::int64_t block_bytes) const {
    return model::predict(choice, layout, load(block_bytes), prices);
  }
};

/// The radices that can be the cheapest for a dimension of `length` positions. These are all up to the
/// square root. Above it names have two digits, and the list has the smallest radix for each number of
/// values of the upper digit. K + D stays 2 P - 2 there and K grows with the radix, so a cost that is
/// linear in K and D is lowest at an end. A second message for long rounds makes costs nonlinear, so
/// the list has the others too.
std::vector<std::int64_t> radices_to_try(std::int64_t length);

/// The choice with the best value for every open radix and the default for every other open parameter.
/// Radices are searched one after another, since the layers of two_layer do not depend on each other.
///
/// The TRA paper takes the radix nearest above the square root of P (section III-B). Its section VII
/// says that the best radix also depends on S, which its formulas leave out. The model includes S:
/// short blocks need few messages, long blocks few hops, and the square root suits those in between.
choice::Choice with_best_radices(const choice::OpenChoice& open, const Contest& contest,
                                 std::int64_t block_bytes);

/// All of `choices`, fastest first. Equal ones keep their order.
std::vector<Prediction> ranking(std::span<const choice::Choice> choices, const Contest& contest,
                                std::int64_t block_bytes);

/// Block lengths S, including both ends.
struct Range {
  std::int64_t from;
  std::int64_t to;
};

/// The choice is `after` at S = block_bytes and `before` one byte below.
struct Change {
  std::int64_t block_bytes;
  choice::Choice before;
  choice::Choice after;
};

/// Where choice_at(S) changes, in ascending order and exact to the byte. Every octave with different
/// choices at its ends is bisected, so a change and its reversal within one octave are not found.
std::vector<Change> changes(const Range& range,
                            const std::function<choice::Choice(std::int64_t)>& choice_at);

}  // namespace rondo::model
