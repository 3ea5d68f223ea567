// What RONDO_VERBOSE=1 says of a decision.
#pragma once

#include <cstdio>
#include <string>

#include "choice/choice.hpp"

namespace rondo::communicator {

/// What was decided about: blocks of up to that length on such a communicator.
struct Occasion {
  registry::Collective collective;
  choice::Layout layout;
  std::size_t block_bytes;
};

inline void say_choice(const Occasion& occasion, const std::string& name,
                       const std::string& reason) {
  const int ranks = occasion.layout.ranks;
  const int nodes = occasion.layout.real_nodes();
  std::fprintf(stderr, "rondo: %s on %d rank%s, %d node%s, S = %zu: %s; %s\n",
               std::string(registry::to_string(occasion.collective)).c_str(), ranks,
               ranks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", occasion.block_bytes,
               name.c_str(), reason.c_str());
}

}  // namespace rondo::communicator
