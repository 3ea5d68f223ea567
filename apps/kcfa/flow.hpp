// The flow that an analysis finds, as text.
#pragma once

#include <string>
#include <vector>

#include "kcfa/analysis.hpp"
#include "kcfa/term.hpp"
#include "support/communicator.hpp"

namespace rondo::kcfa {

/// Collective. On rank 0, which has the term, returns sorted lines of two kinds. Lambdas are
/// written as their labels in ascending order, and contours as the labels of their call sites,
/// newest first:
///
///     bind 7 line 3 at [12 9]: 4 30     the parameter of lambda 7, which begins in line 3, bound at
///                                       these calls, may be lambda 4 or lambda 30
///     call 12 line 5 at [9 0]: 7        application 12, evaluated in this contour, calls lambda 7
///
/// Returns nothing on other ranks, whose `term` may be empty.
std::vector<std::string> flow_lines(const support::Communicator& comm, const Analysis& analysis,
                                    const Term& term);

}  // namespace rondo::kcfa
