// A transport over the functions of a program that has no MPI. No MPI.
#pragma once

#include <rondo/transport.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "segment/wait.hpp"
#include "transport/transport.hpp"

namespace rondo::group {

using transport::Transfer;

/// A message in flight.
class Request {
 public:
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  friend class Table;
  void* handle_ = nullptr;
};

class TableMessages;

class Table final : public transport::Transport {
 public:
  /// Throws Error(argument) if this rank's table is wrong.
  explicit Table(const Rondo_Transport& functions);

  std::unique_ptr<transport::Messages> messages(std::size_t longest_message,
                                                const transport::Noted* noted) override;
  void exchange_at_once(std::span<const Transfer> receives, std::span<const Transfer> sends,
                        int tag) override;
  bool has_messages() const override { return functions_.send != nullptr; }
  bool sleeps() const override { return true; }
  const std::byte* gather(const void* own, std::size_t bytes) override;

  /// Collective. Gathers in `all`, with or without messages.
  void gather_into(const void* own, std::span<std::byte> all);

  /// Lets messages go on. Throws if this call has waited for too long or was interrupted.
  void progress() override;

  /// From now on the time that a call may wait begins with its first wait.
  void begin_call() {
    since_.reset();
    waiter_.begin();
  }

  // For TableMessages.

  // Requests are in a list before they are started, so that none is lost.

  void send(Request& request, const Transfer& transfer, int tag);
  void receive(Request& request, const Transfer& transfer, int tag);
  /// Whether the message is complete, which is then no more.
  bool is_complete(Request& request);
  void cancel(Request& request);
  /// Waits a moment for other ranks.
  void pause();

  void add(TableMessages* messages) { all_.push_back(messages); }
  void remove(TableMessages* messages) { std::erase(all_, messages); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Throws if this call has waited for too long or was interrupted.
  void check_wait();
  void ask(Clock::time_point now);

  Rondo_Transport functions_;
  // Asking for a message calls the program, which costs more than a yield.
  segment::Waiter waiter_ = segment::Waiter::that_sleeps(2, 1);
  std::optional<Clock::time_point> since_;  ///< the call in progress waits
  Clock::time_point next_question_{};
  std::vector<std::byte> gathered_;
  std::vector<TableMessages*> all_;
};

}  // namespace rondo::group
