// The radix that costs least for a number of ranks and a length of blocks.
//
// The TRA paper takes the radix nearest above the square root of P (section III-B), and says in
// section VII that the best one also depends on S, which its formulas leave out. Here it does not:
// small blocks want few messages, long ones few hops, and only those in between the square root.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost.hpp"

namespace rondo::model {

/// The radices among which the cheapest is, for digits of a dimension of `length` positions: all up
/// to the square root, and above it, where names have two digits, the least for each number of
/// values of the upper one. From one of these to the next K + D stays 2 P - 2 while K grows by one
/// with the radix, so a cost that is linear in K and D is least at one of the ends; those in between
/// are for costs that are not, because long rounds take a second message.
std::vector<std::int64_t> radices_to_try(std::int64_t length);

/// The request with every radix that it leaves open at its best, the others at their defaults. One
/// after the other: the layers of two_layer do not depend on each other.
choice::Choice with_best_radices(const choice::Request& request, const choice::Layout& layout,
                                 const Load& load, const Prices& prices);

}  // namespace rondo::model
