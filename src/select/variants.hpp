// What is worth running on a communicator: the one list that `auto`, plans that measure, tuning and the
// search for the best choose from. It comes from the registry alone: from the chooser of a row and the
// values worth trying of its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "choice/choice.hpp"
#include "model/contest.hpp"
#include "model/machine.hpp"

namespace rondo::select {

/// Where algorithms are chosen.
struct Place {
  choice::Layout layout;
  bool has_node = true;     ///< memory that the ranks of a node share
  bool copies_long = true;  ///< whether long blocks of a node go through that memory too

  bool operator==(const Place&) const = default;
};

/// The algorithms that `chooser` considers in this place, in the order of the registry: each at its
/// defaults, and with all combinations of the values worth trying that make a difference to such a
/// load. Of two that do the same, the first is there.
///
/// `auto` considers both ways between nodes and leaves all other parameters at their defaults, and plans
/// leave radices there: the model finds the best ones; see ranked(). Tuning, which has time to measure,
/// tries all.
std::vector<choice::Request> variants(registry::Chooser chooser, registry::Collective collective,
                                      const Place& place, const model::Load& load);

/// The choice as one that does the same to such a load: without thresholds that no block exceeds, and
/// without values that mean nothing.
choice::Choice acts_as(const choice::Choice& choice, const choice::Layout& layout,
                       const model::Load& load);

/// How algorithms are compared in a place: all blocks of alltoall have S bytes, those of alltoallv any
/// length up to S.
model::Contest contest_of(registry::Collective collective, const Place& place,
                          const model::Machine& machine);

/// A variant and what is predicted of it.
struct Ranked {
  choice::Request request;
  model::Prediction prediction;
};

/// The variants that `chooser` considers for blocks of up to S = `block_bytes`, the fastest by LogGP
/// first; of equals the first of the registry. But for tuning, radices are at their best: those
/// between nodes excepted, which count among very many nodes only, where the search takes too long to
/// wait for.
std::vector<Ranked> ranked(registry::Chooser chooser, registry::Collective collective,
                           const Place& place, const model::Machine& machine,
                           std::int64_t block_bytes);

/// The most algorithms that a plan tries on an exchange.
inline constexpr std::size_t kMostContenders = 6;

/// What a plan tries on an exchange: `own`, then the MPI library's own call, then those that are
/// predicted to be the fastest of what plans consider, for blocks of up to S = `block_bytes`. All
/// differ in what they do.
std::vector<choice::Choice> contenders(const choice::Choice& own, const Place& place,
                                       const model::Machine& machine, std::size_t block_bytes);

}  // namespace rondo::select
