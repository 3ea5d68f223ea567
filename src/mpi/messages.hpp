// Messages of any length, in flight together on the private communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace rondo::mpi {

using transport::Transfer;

/// Wait as MPI_Waitall and MPI_Wait, while other exchanges go on.
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses);
void wait_for(MPI_Request& request);

/// Lets the MPI library make progress, on the stack of the thread also if a fiber calls it. `comm` must be
/// private to Rondo.
void let_mpi_progress(MPI_Comm comm);

/// MPI counts in int, so a longer message is split into pieces of `longest_message` bytes. Both ranks know its length
/// and split it alike. The memory of the requests is kept from call to call.
class Messages final : public transport::Messages {
 public:
  static constexpr std::size_t kLongestMessage = transport::Transport::kLongestMessage;

  Messages(MPI_Comm comm, std::size_t longest_message, const transport::Noted* noted)
      : comm_(comm), longest_message_(longest_message), noted_(noted) {}

  void send(const std::byte* data, std::size_t bytes, int destination, int tag) override;
  void receive(std::byte* data, std::size_t bytes, int source, int tag) override;
  void receive_first(std::byte* data, std::size_t capacity, int source, int tag) override;
  void receive_rest(std::byte* data, std::size_t bytes, int source, int tag) override;
  void wait() override;
  void wait_for_receives(std::size_t begin, std::size_t count) override;
  void exchange(std::span<const Transfer> receives, std::span<const Transfer> sends, int tag,
                std::size_t window) override;

  /// Receives are cancelled.
  void abandon() override;

  /// Send and receive one element of a committed datatype.
  void send(const void* data, MPI_Datatype type, int destination, int tag);
  void receive(void* data, MPI_Datatype type, int source, int tag);

 private:
  /// The messages of one direction. When a message or a piece of it is done, the next piece, or the
  /// next message, takes its place in the window.
  struct Direction {
    std::span<const Transfer> transfers;
    bool is_receive;
    std::size_t next = 0;  ///< in `transfers`
  };
  /// The message to which a request in flight belongs.
  struct Place {
    Transfer rest;  ///< what is not yet posted
    bool is_receive;
  };

  void post_next(Direction& direction, std::size_t place, int tag);
  void note_or_throw(int code, int source);

  template <class Post>
  void for_each_piece(std::size_t bytes, Post&& post) const;

  MPI_Comm comm_;
  std::size_t longest_message_;
  const transport::Noted* noted_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> in_flight_;  ///< of exchange()
  std::vector<Place> places_;           ///< for each of these
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace rondo::mpi
