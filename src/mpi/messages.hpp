// Messages of any length, in flight together on the private communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rondo::mpi {

/// A message to or from a rank. The data of a message to a rank is only read.
struct Transfer {
  std::byte* data;
  std::size_t bytes;
  int rank;
};

/// Wait as MPI_Waitall and MPI_Wait, while other exchanges go on.
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses);
void wait_for(MPI_Request& request);

/// Lets the MPI library make progress, on the stack of the thread also if a fiber calls it. `comm` must be
/// private to Rondo.
void let_mpi_progress(MPI_Comm comm);

/// Posts sends and receives of bytes and waits for them. MPI counts in int, so a longer message is
/// split into pieces of kLongestMessage bytes. Both ranks know its length and split it alike. The
/// memory of the requests is kept from call to call.
class Messages {
 public:
  static constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

  explicit Messages(MPI_Comm comm, std::size_t longest_message = kLongestMessage)
      : comm_(comm), longest_message_(longest_message) {}

  void send(const std::byte* data, std::size_t bytes, int destination, int tag);
  void receive(std::byte* data, std::size_t bytes, int source, int tag);

  /// Receive a message of at most `capacity` bytes whose first piece tells its length: first that piece
  /// and, when it has arrived and the length is known to be `bytes`, the other pieces, for which
  /// receive_rest() waits.
  void receive_first(std::byte* data, std::size_t capacity, int source, int tag);
  void receive_rest(std::byte* data, std::size_t bytes, int source, int tag);

  /// Send and receive one element of a committed datatype.
  void send(const void* data, MPI_Datatype type, int destination, int tag);
  void receive(void* data, MPI_Datatype type, int source, int tag);

  /// Waits for everything posted since the last wait(). Throws the error of the first failed
  /// message.
  void wait();

  /// Waits for `count` receives, beginning with the `begin`-th one posted. wait() must follow.
  void wait_for_receives(std::size_t begin, std::size_t count);

  /// Receives and sends, both in their order, with at most `window` messages of each in flight, and
  /// waits for all of them. There is no deadlock if all ranks use one order, such as that of
  /// schedule::straight_step().
  void exchange(std::span<const Transfer> receives, std::span<const Transfer> sends, int tag,
                std::size_t window);

  /// While an object of this class lives, a message that is longer than its receive raises no error, and the others
  /// are still received. The first such message is noted in `mismatch`.
  class NotesTruncation {
   public:
    NotesTruncation(Messages& messages, std::optional<Error>& mismatch)
        : messages_(messages), former_(std::exchange(messages.mismatch_, &mismatch)) {}
    ~NotesTruncation() { messages_.mismatch_ = former_; }
    NotesTruncation(const NotesTruncation&) = delete;
    NotesTruncation& operator=(const NotesTruncation&) = delete;

   private:
    Messages& messages_;
    std::optional<Error>* former_;
  };

  /// Gives up everything posted, after an error. Receives are cancelled, so that nothing more is
  /// written to their buffers. Messages may be left over, and the buffers of sends may still be
  /// read, so the communicator must not be used again.
  void abandon();

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
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> in_flight_;  ///< of exchange()
  std::vector<Place> places_;           ///< for each of these
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::optional<Error>* mismatch_ = nullptr;  ///< of NotesTruncation
};

}  // namespace rondo::mpi
