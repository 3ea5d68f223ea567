// What an algorithm works with: the private context of its communicator or group, and the call to carry out. No MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/blocks.hpp"
#include "base/scratch.hpp"
#include "choice/choice.hpp"
#include "engines/history.hpp"
#include "engines/node/node.hpp"
#include "registry/settings.hpp"
#include "schedule/node_map.hpp"
#include "schedule/schedule.hpp"
#include "transport/agreement.hpp"
#include "transport/tags.hpp"
#include "transport/transport.hpp"

namespace rondo::engines {

/// The receive side of a dynamic exchange. The engine first learns all lengths. Only then is there a
/// place for the blocks.
struct Incoming {
  std::span<std::uint64_t> lengths;  ///< of the blocks, by source; the engine writes them

  /// Returns the places of blocks of these lengths. Called once, if no rank has failed.
  std::function<BlockList<Block>()> place;
};

/// Bounds on memory; the same on all ranks.
struct Limits {
  std::size_t padding_bytes;  ///< P x S of the padded algorithms
  Node::Memory memory;
  std::size_t longest_message = transport::Transport::kLongestMessage;  ///< longer ones are split
  std::size_t long_in_flight = 32;  ///< blocks that go straight to their ranks, in each direction
};

/// Returns the bounds that the settings give.
Limits limits_of(const registry::Settings& settings);

/// What a family of engines keeps from call to call on one context.
class Workspace {
 public:
  Workspace() = default;
  virtual ~Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Gives up what is in flight, after an error.
  virtual void abandon() = 0;
};

/// The private context of a communicator or group. Only one thread at a time may use it.
class Context {
  transport::Noted noted_ = nullptr;
  std::shared_ptr<transport::Transport> transport_;
  std::unique_ptr<transport::Messages> messages_;
  std::unique_ptr<transport::Messages> early_;

 public:
  /// Exchanges are numbered from `last_exchange` + 1 on. It must be the same on all ranks.
  Context(std::shared_ptr<transport::Transport> transport, schedule::NodeMap nodes,
          const Limits& limits, std::uint64_t last_exchange,
          const transport::Tags& tags = transport::tags::of_calls());

  const int rank;
  const int ranks;
  schedule::NodeMap nodes;
  Limits limits;
  Scratch scratch;
  transport::Messages& messages;
  transport::Messages& early;         ///< receives that are posted long before the wait for them
  std::unique_ptr<Workspace> sparse;  ///< of the engines of sparse exchanges, once one has run

  Longest longest;  ///< the longest blocks of recent exchanges

  /// While an object of this class lives, a message that is longer than its receive raises no error, and the others
  /// are still received. The first such message is noted in `mismatch`.
  class NotesTruncation {
   public:
    NotesTruncation(Context& context, std::optional<Error>& mismatch)
        : context_(context), former_(std::exchange(context.noted_, &mismatch)) {}
    ~NotesTruncation() { context_.noted_ = former_; }
    NotesTruncation(const NotesTruncation&) = delete;
    NotesTruncation& operator=(const NotesTruncation&) = delete;

   private:
    Context& context_;
    transport::Noted former_;
  };

  /// Begins the next exchange. All ranks must do this for every call, even if the call then fails.
  void begin_exchange() { ++last_exchange_; }
  std::uint64_t last_exchange() const { return last_exchange_; }

  /// Gives up the messages of an exchange that an error interrupted.
  void abandon() {
    messages.abandon();
    early.abandon();
    if (sparse) sparse->abandon();
  }

  /// Returns the tag of messages of one `kind` (0..3) in this exchange. Recent exchanges have other
  /// tags. A message that nobody received, because ranks disagreed on a length, is therefore not
  /// taken for one of a later exchange.
  int tag(int kind) const {
    return tags_.first +
           static_cast<int>(last_exchange_ & (tags_.exchanges - 1)) * transport::tags::kOfExchange +
           kind;
  }

  choice::Layout layout() const;

  transport::Transport& transport() const { return *transport_; }

  /// The same for another context, whose tags differ.
  const std::shared_ptr<transport::Transport>& shared_transport() const { return transport_; }

  /// All ranks, for an agreement in this exchange.
  transport::Tagged tagged() const { return {.transport = *transport_, .tag = tag(2)}; }

  /// Returns this rank's node. If there is no shared memory, returns null on all ranks, after one
  /// warning on stderr if messages are used instead. Collective at the first call.
  Node* node() { return has_asked_for_node_ ? node_.get() : make_node(); }

  /// Why there is none, once node() has returned null.
  const std::string& why_no_node() const { return why_no_node_; }

  /// The same as node(), but null as long as no exchange has needed it. The same on all ranks.
  Node* node_if_made() const { return node_.get(); }

  /// Returns the schedule of `choice`, which is made at the first use and kept.
  const schedule::Schedule& schedule(const choice::Choice& choice);
  const schedule::NodeSchedule& node_schedule(const choice::Choice& choice);

  /// Returns an algorithm with all parameters at their defaults on this communicator.
  choice::Choice defaults(registry::Collective collective, std::string_view name) const;

 private:
  /// A deque, because references to its elements stay valid when it grows.
  template <class Schedule>
  using ByChoice = std::deque<std::pair<choice::Choice, Schedule>>;

  Node* make_node();

  std::uint64_t last_exchange_;
  transport::Tags tags_;

  std::unique_ptr<Node> node_;
  bool has_asked_for_node_ = false;
  std::string why_no_node_;
  ByChoice<schedule::Schedule> schedules_;
  ByChoice<schedule::NodeSchedule> node_schedules_;
};

class Pattern;

/// One exchange: its context, its algorithm, and what is known from earlier exchanges.
struct Call {
  Context& context;
  const choice::Choice& choice;
  Learned* learned = nullptr;  ///< set while a plan executes

  /// Set in a neighbourhood exchange.
  Pattern* pattern = nullptr;

  /// Set in a dynamic exchange whose engine learns the lengths. `receive` of its blocks is empty.
  Incoming* incoming = nullptr;

  /// What an exchange that ran to its end has found: a failure of some rank, which all ranks know,
  /// or a mismatch, which only the receivers of the block know. All messages have been received in
  /// either case.
  std::optional<Error> failure{};
  std::optional<Error> mismatch{};

  /// Whether the longest block of this exchange decides later ones. It does not in a plan, which
  /// decides for itself, or in alltoall, whose blocks have one length.
  bool needs_longest() const {
    return learned == nullptr && choice.algorithm->collective == registry::Collective::alltoallv;
  }

  /// Whether an earlier execution of the plan has learned the other ranks' sizes. All ranks answer
  /// alike: an execution succeeds on all ranks, or it fails on all, or the communicator is not used
  /// again.
  bool sizes_known() const { return learned != nullptr && learned->is_complete; }

  /// Whether a plan learns the sizes from this execution.
  bool is_learning() const { return learned != nullptr && !learned->is_complete; }

  /// Whether lengths cannot mismatch, because the ranks compared them when the plan was made or
  /// because the receivers take them from the senders.
  bool has_agreed_lengths() const { return learned != nullptr || incoming != nullptr; }

  const schedule::Schedule& schedule() const { return context.schedule(choice); }
};

/// Runs the algorithm of `call.choice`, which must not be a forwarded one. If the algorithm's
/// errors are local, blocks longer than the parameter `threshold` go straight to their ranks, and
/// the engine sees them as empty. Both ranks of a pair know the length of their block, so they
/// decide alike without communication. Thus a skewed load sends no long block through log P hops.
void run(Call& call, const Blocks& blocks);

/// Whether the engine of a choice learns the lengths of a dynamic exchange along with the blocks. If
/// not, the lengths must be exchanged first.
bool learns_lengths(const choice::Choice& choice);

}  // namespace rondo::engines
