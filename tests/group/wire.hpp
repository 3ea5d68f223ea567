// Messages between processes over socket pairs, as a program without MPI might have them: the functions of a
// Rondo_Transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <vector>

namespace group_test {

class Wire {
 public:
  /// A message that is sent or received. A received one has arrived when it is complete.
  struct Message {
    int peer = 0;
    int tag = 0;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t bytes = 0;
    bool is_complete = false;
    bool is_too_long = false;
  };

  /// `sockets` are by rank; that of this rank itself is not used.
  explicit Wire(std::vector<int> sockets);

  Message* send(const void* data, std::size_t bytes, int destination, int tag);
  Message* receive(void* data, std::size_t bytes, int source, int tag);
  /// Returns false if a message is too long for its receive, or a peer has closed its end.
  bool test(Message* message, bool& is_complete);
  void cancel(Message* message);

  /// How many messages are neither complete nor cancelled.
  int messages() const { return messages_; }

 private:
  struct Head {
    std::uint64_t bytes;
    std::int64_t tag;
  };
  struct Arrived {
    int tag;
    std::vector<std::byte> data;
  };
  struct Peer {
    int socket = -1;
    bool is_closed = false;
    std::deque<Message*> leaving;
    std::size_t written = 0;  ///< of the first of them and its head
    Head head{};
    std::size_t read = 0;  ///< of a head and its data
    std::vector<std::byte> data;
    std::list<Arrived> arrived;
  };

  void advance();
  void write(Peer& peer);
  void read(Peer& peer);
  void match(Peer& peer, Message& message);

  int messages_ = 0;
  std::vector<Peer> peers_;
  std::list<Message*> receives_;  ///< in the order in which they were posted
};

}  // namespace group_test
