// What is worth running on a communicator: the one list from which `auto`, plans and tuning choose.
//
// The list comes from the registry alone: from the chooser of a row and the values worth trying of its
// parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "model/contest.hpp"
#include "model/machine.hpp"

namespace rondo::select {

/// The place for which an algorithm is chosen.
struct Place {
  choice::Layout layout;
  bool has_node = true;     ///< the ranks of a node share memory
  bool copies_long = true;  ///< long blocks of a node go through that memory too
  bool may_forward =
      true;  ///< the MPI library may carry the exchange out, and finds what Rondo does

  bool operator==(const Place&) const = default;
};

/// Whether an algorithm can run there. Shared memory is useful only if some node has several ranks.
bool applicable(const registry::Algorithm& algorithm, const Place& place);

/// The algorithms that `chooser` considers in this place, in the order of the registry. Each is listed with
/// its defaults, and with all combinations of values worth trying that make a difference for such a load.
/// Of two that do the same, only the first is listed.
///
/// `auto` considers both ways between nodes and keeps the defaults of all other parameters. Plans keep the
/// defaults of radices. The model finds the best radices; see ranked(). Tuning has time to measure, so it
/// tries everything.
std::vector<choice::OpenChoice> variants(registry::Chooser chooser, registry::Collective collective,
                                         const Place& place, const model::Load& load);

/// A choice that does the same to such a load, without thresholds that no block exceeds and without values
/// that have no effect. Choices that do the same become equal.
choice::Choice acts_as(const choice::Choice& choice, const choice::Layout& layout,
                       const model::Load& load);

/// How algorithms are compared in a place. All blocks of alltoall have S bytes. Those of alltoallv have any
/// length up to S.
model::Contest contest_of(registry::Collective collective, const Place& place,
                          const model::Machine& machine);

/// A variant and its prediction.
struct PredictedChoice {
  choice::OpenChoice choice;
  model::Prediction prediction;
};

/// The variants that `chooser` considers for blocks of up to S = `block_bytes`, fastest first by LogGP.
/// Equal ones keep the order of the registry. Except for tuning, each has its best radices. But that of
/// node_aware between nodes keeps its default where a search takes too long: among many nodes, and where `auto` decides
/// for all lengths at once.
std::vector<PredictedChoice> ranked(registry::Chooser chooser, registry::Collective collective,
                                    const Place& place, const model::Machine& machine,
                                    std::int64_t block_bytes);

/// How many algorithms a plan tries on an exchange, at most.
inline constexpr std::size_t kMostTried = 6;

/// What is worth trying on an exchange with blocks of up to S = `block_bytes`: `own`, then the MPI library's own
/// call, then what plans consider: of exchanges of all ranks the fastest predictions first, of others what `auto`
/// considers, and then what only plans do. No two of them do the same.
std::vector<choice::Choice> choices_to_try(const choice::Choice& own, const Place& place,
                                           const model::Machine& machine, std::size_t block_bytes);

}  // namespace rondo::select
