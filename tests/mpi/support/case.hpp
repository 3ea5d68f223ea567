// One exchange in full: arguments from a seed, the call, every byte compared with the definition.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "devices/memory.hpp"
#include "support/calls.hpp"
#include "support/distribution.hpp"
#include "support/runner.hpp"
#include "support/types.hpp"

namespace rondo::testing {

struct Case {
  Collective collective = Collective::alltoallv;
  std::string algorithm = "auto";
  const Distribution* distribution = nullptr;
  const TypeRow* types = nullptr;  ///< null: another row for every pair (alltoallw only)
  bool is_in_place = false;
  Form form = Form::direct;
  std::uint64_t seed = 0;
  std::optional<std::byte> prefill{};  ///< what the receive buffer holds first; else by the seed
  bool set_algorithm = true;           ///< false: leave what the communicator has
  Home send_home{};
  Home receive_home{};

  std::string name() const;
};

/// The type row or distribution of that name.
template <class Rows>
const auto& named(const Rows& rows, const char* name) {
  for (const auto& row : rows)
    if (std::string(row.name) == name) return row;
  throw std::invalid_argument(name);
}

/// MPI_IN_PLACE needs types that can be received, of one kind.
bool is_legal(const Case& which);

/// Collective over `comm`. During the call, the send buffer and all argument arrays lie in
/// read-only pages; around the receive buffer and in its gaps, poison must survive.
void run_case(const Case& which, MPI_Comm comm, Row& row);

}  // namespace rondo::testing
