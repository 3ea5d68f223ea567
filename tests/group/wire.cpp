#include "wire.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace group_test {

Wire::Wire(std::vector<int> sockets) : peers_(sockets.size()) {
  for (std::size_t rank = 0; rank < sockets.size(); ++rank) peers_[rank].socket = sockets[rank];
}

Wire::Message* Wire::send(const void* data, std::size_t bytes, int destination, int tag) {
  auto* const message = new Message{
      .peer = destination, .tag = tag, .from = static_cast<const std::byte*>(data), .bytes = bytes};
  peers_[static_cast<std::size_t>(destination)].leaving.push_back(message);
  ++messages_;
  return message;
}

Wire::Message* Wire::receive(void* data, std::size_t bytes, int source, int tag) {
  auto* const message =
      new Message{.peer = source, .tag = tag, .to = static_cast<std::byte*>(data), .bytes = bytes};
  receives_.push_back(message);
  ++messages_;
  match(peers_[static_cast<std::size_t>(source)], *message);
  return message;
}

bool Wire::test(Message* message, bool& is_complete) {
  advance();
  const Peer& peer = peers_[static_cast<std::size_t>(message->peer)];
  is_complete = message->is_complete;
  if (message->is_too_long || (peer.is_closed && !is_complete)) return false;
  if (is_complete) cancel(message);
  return true;
}

void Wire::cancel(Message* message) {
  receives_.remove(message);
  std::erase(peers_[static_cast<std::size_t>(message->peer)].leaving, message);
  delete message;
  --messages_;
}

void Wire::advance() {
  for (Peer& peer : peers_) {
    if (peer.socket < 0 || peer.is_closed) continue;
    write(peer);
    read(peer);
  }
}

void Wire::write(Peer& peer) {
  while (!peer.leaving.empty()) {
    Message& message = *peer.leaving.front();
    const Head head{.bytes = message.bytes, .tag = message.tag};
    const bool is_head = peer.written < sizeof head;
    const std::byte* const data = is_head ? reinterpret_cast<const std::byte*>(&head) + peer.written
                                          : message.from + (peer.written - sizeof head);
    const std::size_t left = (is_head ? sizeof head : sizeof head + message.bytes) - peer.written;
    const auto sent = ::send(peer.socket, data, left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return;
    peer.written += static_cast<std::size_t>(sent);
    if (peer.written < sizeof head + message.bytes) continue;
    message.is_complete = true;
    peer.leaving.pop_front();
    peer.written = 0;
  }
}

void Wire::read(Peer& peer) {
  while (true) {
    const bool is_head = peer.read < sizeof peer.head;
    std::byte* const data = is_head ? reinterpret_cast<std::byte*>(&peer.head) + peer.read
                                    : peer.data.data() + (peer.read - sizeof peer.head);
    const std::size_t left =
        is_head ? sizeof peer.head - peer.read : sizeof peer.head + peer.data.size() - peer.read;
    const auto got = ::recv(peer.socket, data, left, MSG_DONTWAIT);
    peer.is_closed = got == 0;
    if (got <= 0) return;
    peer.read += static_cast<std::size_t>(got);
    if (is_head && peer.read == sizeof peer.head) peer.data.resize(peer.head.bytes);
    if (peer.read < sizeof peer.head || peer.read < sizeof peer.head + peer.data.size()) continue;
    peer.arrived.push_back({static_cast<int>(peer.head.tag), std::move(peer.data)});
    peer.data = {};
    peer.read = 0;
    for (Message* const message : receives_)
      if (&peers_[static_cast<std::size_t>(message->peer)] == &peer) match(peer, *message);
  }
}

void Wire::match(Peer& peer, Message& message) {
  if (message.is_complete) return;
  const auto found = std::find_if(peer.arrived.begin(), peer.arrived.end(),
                                  [&](const Arrived& one) { return one.tag == message.tag; });
  if (found == peer.arrived.end()) return;
  message.is_complete = true;
  message.is_too_long = found->data.size() > message.bytes;
  if (!message.is_too_long) std::memcpy(message.to, found->data.data(), found->data.size());
  peer.arrived.erase(found);
}

}  // namespace group_test
