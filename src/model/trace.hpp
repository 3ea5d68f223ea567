// What an algorithm does, step by step: the one description, for costs and for simulated times.
//
// Each trace calls functions of a fold for its steps, in order; none is stored. A fold has
//   agree()                    an allreduce of one number
//   double_distances(bytes)    messages to the ranks 1, 2, 4, ... above, one after another
//   learn_lengths()            an alltoall of the lengths of all blocks
//   copy(blocks, draw)         every rank copies so many of its short blocks
//   exchange(Batch)            rounds in flight together, with their copies
//   send_between(messages)     messages between nodes in flight together, with their copies
//   arrive(cells)              the ranks of a node wait for each other; each reads so many cache lines
//   copy_long_inside()         long blocks go through pipes of the slots of a node
//   send(Sent, Straight)       straight to all ranks; a rank's own block is copied
//   send_to_partners(Sent, Straight)  straight to the partners of each rank
//   copy_for_partners(bool)    short blocks for partners are copied, or those that have arrived
//   send_between_partners()    a message for each pair of nodes with partners; its leader packs it
#pragma once

#include <algorithm>

#include "choice/choice.hpp"
#include "model/steps.hpp"

namespace rondo::model {

/// An exchange, as far as its steps depend on it.
struct Task {
  const choice::Choice& choice;
  const choice::Layout& layout;
  double largest_bytes = 0;  ///< the longest of the short blocks
  bool has_long = false;     ///< blocks longer than short_limit()
  bool copies_long = false;  ///< long blocks inside a node, instead of sending them

  const registry::Handling& handling() const { return choice.algorithm->handling; }
};

/// How long blocks go straight to their ranks.
struct Straight {
  bool reaches_inside = true;  ///< also ranks of the own node
  std::size_t in_flight = 32;  ///< at most, as in engines/context.hpp
};

/// Whether ranks send to partners of their own: sparse and neighbourhood exchanges.
bool has_partners(const choice::Choice& choice);

/// The longest block that is short. With Shape::node it goes to other nodes by a message between nodes.
double short_limit(const choice::Choice& choice, const choice::Layout& layout,
                   std::int64_t slot_bytes);

/// Whether long blocks inside a node are copied through pipes, which each rank has for every other. If
/// pipes would be too short, these blocks are messages.
bool has_pipes(const choice::Layout& layout, std::int64_t slot_bytes);

/// Whether blocks are too long to pad, so that they go straight instead.
bool exceeds_padding(const Task& task);

/// The schedule of a shape other than Shape::node. The MPI library's own is not known; the one that is
/// best for long blocks stands for it.
schedule::Schedule flat_schedule(const Task& task);

/// The schedule of Shape::node. If nodes differ in size, all have the mean one.
schedule::NodeSchedule node_schedule(const Task& task);

int ranks_of_largest_node(const choice::Layout& layout);

/// The rounds of a binary tree of ranks.
int doublings(int ranks);

template <class Fold>
void trace_flat(const Task& task, Fold& fold) {
  const int ranks = task.layout.ranks;
  if (task.handling().agrees) fold.agree();
  if (exceeds_padding(task)) {
    fold.send(Sent::whole, {.in_flight = static_cast<std::size_t>(ranks)});
    return fold.send(Sent::rest, {});
  }
  // Every algorithm copies a rank's block to itself.
  fold.copy(std::max(task.handling().whole_copies * ranks, 1), kWholeDraw);
  const schedule::Schedule schedule = flat_schedule(task);
  std::uint64_t first = 0;
  schedule.for_each_batch(task.choice.value(registry::Key::ports, ranks), [&](const auto& rounds) {
    fold.exchange(Batch{schedule.group(), rounds, task.handling(), first});
    first += rounds.size();
  });
  fold.send(Sent::rest, {});
}

template <class Fold>
void trace_between(const schedule::NodeSchedule& schedule, const registry::Handling& handling,
                   Fold& fold) {
  for (int phase = 0; phase < schedule.between().phases(); ++phase)
    fold.send_between(messages_of(schedule, handling, phase));
  // Each landing is seen in a cache line, except by the rank that carries it.
  const double landings = 1.0 * (schedule.map().nodes() - 1) * schedule.lanes();
  const int size = schedule.map().largest_size();
  fold.arrive(landings * (size - 1) / size);
}

template <class Fold>
void trace_nodes(const Task& task, Fold& fold) {
  const int neighbours = ranks_of_largest_node(task.layout) - 1;
  // Every block goes into the slot, except a rank's own, which is copied once.
  fold.copy(task.layout.ranks - 1, kWholeDraw);
  fold.arrive(neighbours);
  if (task.layout.real_nodes() > 1) trace_between(node_schedule(task), task.handling(), fold);
  fold.copy(task.layout.ranks, kOutOfSlotsDraw);
  if (task.copies_long && task.has_long && neighbours > 0) {
    fold.copy_long_inside();
    fold.arrive(neighbours);  // all have told each other whether lengths differ
  }
  fold.send(Sent::rest, {.reaches_inside = !task.copies_long});
}

template <class Fold>
void trace_partners(const Task& task, Fold& fold) {
  using registry::Discovery;
  const Discovery discovery = task.handling().discovery;
  const int ranks = task.layout.ranks;
  if (discovery == Discovery::lengths) fold.learn_lengths();
  if (discovery == Discovery::lengths || discovery == Discovery::none)
    return fold.send_to_partners(Sent::whole, {});
  // Half of the counters that are left travel in each round.
  if (discovery == Discovery::reduction && ranks > 1)
    fold.double_distances(kSizeBytes * ranks / doublings(ranks));
  fold.copy_for_partners(false);
  fold.send_to_partners(Sent::start, {});
  if (discovery == Discovery::consensus) {
    fold.send_to_partners(Sent::answer, {});
    fold.double_distances(kStatusBytes);
  }
  fold.copy_for_partners(true);
  fold.send_to_partners(Sent::rest, {});
}

/// Along edges through the memory of the nodes.
template <class Fold>
void trace_edges(const Task& task, Fold& fold) {
  const int neighbours = ranks_of_largest_node(task.layout) - 1;
  fold.copy_for_partners(false);
  fold.arrive(neighbours);
  if (task.has_long && task.copies_long) fold.arrive(neighbours);  // whether lengths differ
  if (task.layout.real_nodes() > 1) {
    fold.send_between_partners();
    fold.arrive(0);  // what other nodes sent is announced in few cache lines
  }
  fold.copy_for_partners(true);
  fold.send_to_partners(Sent::rest, {.reaches_inside = !task.copies_long});
}

/// Every exchange.
template <class Fold>
void trace(const Task& task, Fold& fold) {
  const bool is_node = task.choice.algorithm->shape == registry::Shape::node;
  if (has_partners(task.choice))
    return is_node ? trace_edges(task, fold) : trace_partners(task, fold);
  return is_node ? trace_nodes(task, fold) : trace_flat(task, fold);
}

}  // namespace rondo::model
