// Messages in flight together on the private communicator, of any length.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace rondo::exchange {

/// Posts sends and receives of bytes and waits for them. MPI counts in int, so a longer message
/// travels in pieces of kLongestMessage bytes; both ends know its length and cut alike.
///
/// The requests' memory is kept from call to call.
class Messages {
 public:
  static constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

  explicit Messages(MPI_Comm comm, std::size_t longest_message = kLongestMessage)
      : comm_(comm), longest_message_(longest_message) {}

  void send(const std::byte* data, std::size_t bytes, int destination, int tag);
  void receive(std::byte* data, std::size_t bytes, int source, int tag);

  /// For a message of at most `room` bytes whose length its first piece tells: receive that piece,
  /// and once it is there and says `bytes`, the others.
  void receive_first(std::byte* data, std::size_t room, int source, int tag);
  void receive_rest(std::byte* data, std::size_t bytes, int source, int tag);

  /// Receives posted since the last wait.
  std::size_t receives() const { return receives_.size(); }

  /// The same for one element of a committed datatype.
  void send(const void* data, MPI_Datatype type, int destination, int tag);
  void receive(void* data, MPI_Datatype type, int source, int tag);

  /// Wait for all that was posted since the last wait. Throws the first message's error.
  void wait();

  /// Wait for `count` receives from the `begin`-th posted on; wait() must follow for the rest.
  void wait_for_receives(std::size_t begin, std::size_t count);

  /// Give up what was posted, after an error: receives are cancelled, so that nothing is written to
  /// their buffers any more. Messages may be left over, and buffers of sends may still be read: the
  /// communicator must not be used again.
  void abandon();

 private:
  template <class Post>
  void for_each_piece(std::size_t bytes, Post&& post) const;

  MPI_Comm comm_;
  std::size_t longest_message_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace rondo::exchange
