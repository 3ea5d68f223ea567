// Moves tuples away from ranks that have more than their share.
#pragma once

#include <deque>

#include "relalg/exchange.hpp"
#include "relalg/placement.hpp"
#include "relalg/table.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// Collective, between rounds. Splits heavy buckets of the placements and moves the tuples of the
/// tables in one exchange. A moved tuple remains an old one or one of the last round. `few_tuples`
/// is as in Placement::balance(). Returns false, without an exchange of tuples, if everything is
/// balanced.
bool rebalance(std::deque<Placement>& placements, std::deque<Table>& tables, std::size_t few_tuples,
               const support::Communicator& comm, Exchange& exchange);

}  // namespace rondo::relalg
