// What a rank that has waited for long finds out, as data and as text. No MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "watch/process.hpp"

namespace rondo::watch {

/// Returns "0-2,5" of ranks in ascending order.
std::string ranges_of(const std::vector<int>& ranks);

/// An exchange that a rank is in.
struct Exchange {
  std::uint64_t number = 0;  ///< 1, 2, ... on its communicator
  std::string form;          ///< empty if it is not known yet
  bool is_in_library = false;
  std::string communicator;  ///< its name
  bool is_same_communicator = false;
};

/// Another rank of this node.
struct Other {
  int rank = 0;
  int rank_of_job = 0;
  std::int64_t process = 0;
  Activity activity = Activity::runs;
  bool can_be_seen = true;             ///< whether what follows is known
  bool has_passed = false;             ///< whether it is through with this exchange
  std::optional<Exchange> exchange{};  ///< nothing if it is in none

  /// Whether it waits in `here`, as this rank does.
  bool waits_in(const Exchange& here) const;
};

struct Scene {
  int rank = 0;
  int ranks = 1;
  std::int64_t process = 0;
  std::string node;
  std::string members;  ///< how the communicator was made
  std::int64_t milliseconds = 0;
  Exchange exchange;
  std::string algorithm;               ///< empty if none has been chosen
  std::optional<std::uint64_t> bytes;  ///< that this rank sends
  std::uint64_t longest = 0;
  std::vector<Other> others;
  std::vector<int> on_other_nodes;
  std::vector<int> unknown;  ///< ranks of which this one does not know where they tell
  bool is_first = false;  ///< whether that is so since the ranks have not met on the communicator
};

/// The block that is printed: lines that begin with kPrefix.
inline constexpr const char* kPrefix = "rondo: watch: ";
std::string text_of(const Scene& scene);

/// "60 s", "1.5 s"
std::string seconds_of(std::int64_t milliseconds);

}  // namespace rondo::watch
