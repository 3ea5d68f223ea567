// How the ranks of an exchange reach each other: the one interface through which engines, agreements and set-up see
// other ranks. No MPI: mpi/messages.hpp implements it over MPI, and group/table.hpp over functions of a program that
// has none.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/error.hpp"

namespace rondo::transport {

/// A message to or from a rank. The data of a message to a rank is only read.
struct Transfer {
  std::byte* data;
  std::size_t bytes;
  int rank;
};

/// Messages of any length, in flight together. Both ranks know the length of a message, unless it is received by
/// receive_first().
class Messages {
 public:
  Messages() = default;
  virtual ~Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  virtual void send(const std::byte* data, std::size_t bytes, int destination, int tag) = 0;
  virtual void receive(std::byte* data, std::size_t bytes, int source, int tag) = 0;

  /// Receive a message of at most `capacity` bytes whose beginning tells its length: first a piece of it and, when
  /// that has arrived and the length is known to be `bytes`, the rest, for which receive_rest() waits.
  virtual void receive_first(std::byte* data, std::size_t capacity, int source, int tag) = 0;
  virtual void receive_rest(std::byte* data, std::size_t bytes, int source, int tag) = 0;

  /// Waits for everything posted since the last wait(). Throws the error of the first failed
  /// message.
  virtual void wait() = 0;

  /// Waits for `count` receives, beginning with the `begin`-th one posted. wait() must follow.
  virtual void wait_for_receives(std::size_t begin, std::size_t count) = 0;

  /// Receives and sends, both in their order, with at most `window` messages of each in flight, and
  /// waits for all of them. There is no deadlock if all ranks use one order, such as that of
  /// schedule::straight_step().
  virtual void exchange(std::span<const Transfer> receives, std::span<const Transfer> sends,
                        int tag, std::size_t window) = 0;

  /// Gives up everything posted, after an error. Nothing more is written to the buffers of receives. Messages may be
  /// left over, and the buffers of sends may still be read, so the transport must not be used again.
  virtual void abandon() = 0;
};

/// Where a message that is longer than its receive is noted, instead of being an error. Others are still received. Null
/// where it is an error.
using Noted = std::optional<Error>*;

class Transport {
 public:
  /// Messages longer than this are split, if the transport has a limit.
  static constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

  Transport(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Messages that are longer than their receives are noted where `noted`, if it is given, says at the time.
  virtual std::unique_ptr<Messages> messages(std::size_t longest_message = kLongestMessage,
                                             const Noted* noted = nullptr) = 0;

  /// Receives and sends short messages at once and waits for all of them: what ranks agree by. There are at most
  /// kMostAtOnce of each. Allocates nothing.
  static constexpr std::size_t kMostAtOnce = 32;
  virtual void exchange_at_once(std::span<const Transfer> receives, std::span<const Transfer> sends,
                                int tag) = 0;

  /// Whether there are messages. Without them all ranks must be on one node, and agree by gather().
  virtual bool has_messages() const { return true; }

  /// Collective, and only without messages. Gathers `bytes` bytes, at most kMostGathered, from every rank and returns
  /// them by rank, until it is called again.
  static constexpr std::size_t kMostGathered = 4096;
  virtual const std::byte* gather(const void* /*own*/, std::size_t /*bytes*/) { return nullptr; }

  /// Whether a rank that has waited for long sleeps; see segment::Waiter.
  virtual bool sleeps() const { return false; }

  /// Lets the messages of all ranks go on, on the stack of the thread also if a fiber calls it. A rank calls it now and
  /// then while it waits for something else. Throws if it has waited for too long.
  virtual void progress() = 0;

 private:
  int rank_;
  int ranks_;
};

}  // namespace rondo::transport
