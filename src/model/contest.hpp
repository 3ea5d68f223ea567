// Predictions compared: at which radix an algorithm is the fastest, which of several algorithms is, and
// at which lengths of blocks that changes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/cost.hpp"

namespace rondo::model {

/// Where, and with what, algorithms are compared.
struct Contest {
  choice::Layout layout;
  Distribution distribution = Distribution::constant;
  Prices prices;
  double partners = 0;      ///< other ranks to which a rank sends; 0: all
  bool is_dynamic = false;  ///< no rank knows what it receives

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

/// The radices among which the cheapest is, for digits of a dimension of `length` positions: all up
/// to the square root, and above it, where names have two digits, the least for each number of
/// values of the upper one. From one of these to the next K + D stays 2 P - 2 while K grows by one
/// with the radix, so a cost that is linear in K and D is least at one of the ends; those in between
/// are for costs that are not, because long rounds take a second message.
std::vector<std::int64_t> radices_to_try(std::int64_t length);

/// The request, with every radix that it leaves open at its best and the other parameters at their
/// defaults. Radices are searched one after the other: the layers of two_layer do not depend on each
/// other.
///
/// The TRA paper takes the radix nearest above the square root of P (section III-B), and says in
/// section VII that the best one also depends on S, which its formulas leave out. The model has it:
/// short blocks want few messages, long ones few hops, and only those in between the square root.
choice::Choice with_best_radices(const choice::Request& request, const Contest& contest,
                                 std::int64_t block_bytes);

/// All of `choices`, the fastest first. Equals stay in their order.
std::vector<Prediction> ranking(std::span<const choice::Choice> choices, const Contest& contest,
                                std::int64_t block_bytes);

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

}  // namespace rondo::model
