#include "group/messages.hpp"

#include <algorithm>

namespace rondo::group {

/// What is left over is of an exchange that was interrupted.
TableMessages::~TableMessages() {
  abandon();
  table_.remove(this);
}

/// The data of a message to a rank is only read.
void TableMessages::send(const std::byte* data, std::size_t bytes, int destination, int tag) {
  table_.send(sends_.emplace_back(), {const_cast<std::byte*>(data), bytes, destination}, tag);
}

void TableMessages::receive(std::byte* data, std::size_t bytes, int source, int tag) {
  table_.receive(receives_.emplace_back(), {data, bytes, source}, tag);
}

void TableMessages::wait_for(std::span<Request> requests) {
  for (Request& request : requests)
    while (request && !table_.is_complete(request)) table_.pause();
}

void TableMessages::wait() {
  wait_for(receives_);
  wait_for(sends_);
  receives_.clear();
  sends_.clear();
}

void TableMessages::wait_for_receives(std::size_t begin, std::size_t count) {
  wait_for(std::span(receives_).subspan(begin, count));
}

/// The first places in flight are of receives.
void TableMessages::exchange(std::span<const Transfer> receives, std::span<const Transfer> sends,
                             int tag, std::size_t window) {
  const std::size_t receiving = std::min(window, receives.size());
  const std::size_t places = receiving + std::min(window, sends.size());
  std::size_t received = 0;
  std::size_t sent = 0;
  in_flight_.assign(places, {});
  while (true) {
    std::size_t busy = 0;
    bool has_happened = false;
    for (std::size_t place = 0; place < places; ++place) {
      Request& request = in_flight_[place];
      if (request && !table_.is_complete(request)) {
        ++busy;
      } else if (place < receiving && received < receives.size()) {
        table_.receive(request, receives[received++], tag);
        has_happened = true;
      } else if (place >= receiving && sent < sends.size()) {
        table_.send(request, sends[sent++], tag);
        has_happened = true;
      }
    }
    if (has_happened) continue;
    if (busy == 0) break;
    table_.pause();
  }
  in_flight_.clear();
}

void TableMessages::advance() {
  for (Requests* const requests : {&receives_, &sends_, &in_flight_})
    for (Request& request : *requests)
      if (request) table_.is_complete(request);
}

void TableMessages::abandon() {
  for (Requests* const requests : {&receives_, &sends_, &in_flight_}) {
    for (Request& request : *requests) table_.cancel(request);
    requests->clear();
  }
}

}  // namespace rondo::group
