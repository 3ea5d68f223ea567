// Moving tuples away from ranks that have more than their share.
#pragma once

#include <deque>

#include "relalg/exchange.hpp"
#include "relalg/placement.hpp"
#include "relalg/table.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// Collective, between rounds. Split heavy buckets of the placements and move the tuples of the tables,
/// in one exchange; each stays an old one or one of the last round. `few_tuples` as Placement::balance() has it. Returns
/// false, and has exchanged no tuples, where all is balanced.
bool rebalance(std::deque<Placement>& placements, std::deque<Table>& tables, std::size_t few_tuples,
               const support::Communicator& comm, Exchange& exchange);

}  // namespace rondo::relalg
