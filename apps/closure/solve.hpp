// The closure as a Datalog program.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "closure/edge.hpp"
#include "communicator.hpp"
#include "relalg/program.hpp"
#include "support/exchange_timer.hpp"

namespace rondo::closure {

/// What a run found, alike on all ranks.
struct Closure {
  std::size_t edges = 0;  ///< different ones
  std::size_t paths = 0;
  std::vector<relalg::Iteration> iterations;
  std::vector<Edge> paths_here;  ///< of this rank, every path on one, in any order; if asked for
};

/// Collective. All paths along the edges that the ranks give, together; an edge may be given twice.
/// `run` gets what it took.
Closure solve(const bench::Communicator& comm, apps::ExchangeTimer& timer,
              std::span<const Edge> edges, bool keep_paths, apps::Run& run);

}  // namespace rondo::closure
