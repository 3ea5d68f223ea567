// What an algorithm may use of its communicator, and what it is asked to do.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/blocks.hpp"
#include "base/scratch.hpp"
#include "choice/choice.hpp"
#include "exchange/history.hpp"
#include "exchange/messages.hpp"
#include "exchange/node.hpp"
#include "schedule/node_map.hpp"
#include "schedule/schedule.hpp"

namespace rondo::exchange {

/// Bounds on memory; the same on all ranks.
struct Limits {
  std::size_t padding_bytes;  ///< P x S of the padded algorithms
  Node::Memory memory;
  std::size_t longest_message = Messages::kLongestMessage;  ///< the others travel in pieces
};

/// The private side of a communicator. One thread at a time.
class Context {
 public:
  /// Exchanges are numbered from `last_exchange` + 1 on; the same on all ranks.
  Context(MPI_Comm comm, schedule::NodeMap nodes, const Limits& limits,
          std::uint64_t last_exchange);

  MPI_Comm comm;  ///< private to Rondo, errors returned
  int rank = 0;
  int ranks = 1;
  schedule::NodeMap nodes;
  Limits limits;
  Scratch scratch;
  Messages messages;
  Messages early;  ///< receives that are posted long before they are waited for

  Longest longest;  ///< block of exchanges in which lengths differ

  /// Begin another exchange; all ranks do so for every call, whatever becomes of it there.
  void begin_exchange() { ++last_exchange_; }
  std::uint64_t last_exchange() const { return last_exchange_; }

  /// The tag of messages of one `kind` (0..3) in this exchange. It differs from the last
  /// exchanges', so that a message that nobody received (the ranks disagreed on a length) is not
  /// taken for a later one's.
  int tag(int kind) const { return static_cast<int>(last_exchange_ % (kTags / 4)) * 4 + kind; }

  /// Tags are below this. MPI promises 32768 of them.
  static constexpr int kTags = 4 * 4096;

  choice::Layout layout() const;

  /// Collective, unless it was called before. This rank's node; null on all ranks, after one
  /// warning on stderr, where shared memory cannot be had.
  Node* node() { return has_asked_for_node_ ? node_.get() : make_node(); }

  /// The schedule of `choice`, made at the first use and kept.
  const schedule::Schedule& schedule(const choice::Choice& choice);
  const schedule::NodeSchedule& node_schedule(const choice::Choice& choice);

  /// An algorithm with all parameters at their defaults on this communicator.
  choice::Choice defaults(registry::Collective collective, std::string_view name) const;

 private:
  template <class Schedule>
  struct Made {
    choice::Choice choice;
    Schedule schedule;
  };
  template <class Schedule, class Make>
  static const Schedule& find_or_make(std::deque<Made<Schedule>>& schedules,
                                      const choice::Choice& choice, Make&& make);

  std::uint64_t last_exchange_;
  Node* make_node();

  std::unique_ptr<Node> node_;
  bool has_asked_for_node_ = false;
  // Deques: references stay good when they grow.
  std::deque<Made<schedule::Schedule>> schedules_;
  std::deque<Made<schedule::NodeSchedule>> node_schedules_;
};

/// One exchange: where, how, and what is known from before.
struct Call {
  Context& context;
  const choice::Choice& choice;
  Learned* learned = nullptr;  ///< set while a plan executes

  /// What `auto` chose alltoall's algorithm by; nothing where this rank failed and does not know.
  std::optional<std::size_t> block_bytes{};

  /// Set where `choice` is only one of several of Shape::node, because this rank failed and does not
  /// know the length that decides: the choice for the length that its neighbours know.
  const std::function<const choice::Choice&(std::size_t)>* choose_by_neighbours = nullptr;

  /// What an exchange that ran to its end found: that some rank failed, which all ranks know, or a
  /// length that was not as expected, which only its receivers know. All messages have been received
  /// then.
  std::optional<Error> failure{};
  std::optional<Error> mismatch{};

  /// Whether later ones are decided by the longest block of this one: a plan decides for itself, and
  /// blocks of alltoall have one length.
  bool asks_for_longest() const {
    return learned == nullptr && choice.algorithm->collective == registry::Collective::alltoallv;
  }

  /// Whether the others' sizes are known from an earlier execution of the plan. All ranks answer
  /// alike: an execution succeeds on all of them or fails on all, or the communicator is not used
  /// again.
  bool sizes_known() const { return learned != nullptr && learned->is_complete; }

  /// Whether this is the execution from which a plan learns the sizes.
  bool is_learning() const { return learned != nullptr && !learned->is_complete; }

  /// Whether no two ranks can disagree on a length: they compared them when the plan was made.
  bool has_agreed_lengths() const { return learned != nullptr; }

  const schedule::Schedule& schedule() const { return context.schedule(choice); }
};

/// Run the algorithm of `call.choice`, which must not be a forwarded one. Where errors
/// are local, a pair whose block is longer than the parameter `threshold` exchanges it straight, and
/// the engine sees it as empty. Both ends know the pair's length, so they decide
/// alike without talking, and a skewed load drags no long block through log P hops.
void run(Call& call, const Blocks& blocks);

}  // namespace rondo::exchange
