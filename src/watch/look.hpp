// What a rank that has waited for long reads on the boards of its node. No MPI.
#pragma once

#include <chrono>

#include "watch/scene.hpp"
#include "watch/watcher.hpp"

namespace rondo::watch {

struct Look {
  Scene scene;

  /// Whether a lower rank of this node waits here, too, or more ranks of it are in this exchange by another name.
  bool lets_others_tell = false;

  /// Whether another rank of this node has told of this exchange, since it had waited for long.
  bool is_told = false;
  std::int64_t told_at = INT64_MIN / 2;  ///< when one did for any reason, as Line::told_at
};

/// Looks for those that are missing in exchange `number` of a subject.
Look look(const Subject& subject, std::uint64_t number, std::span<const char* const> forms);

}  // namespace rondo::watch
