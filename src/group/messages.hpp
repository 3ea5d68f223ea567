// Messages over the functions of a program. No MPI.
#pragma once

#include <span>
#include <vector>

#include "group/table.hpp"
#include "transport/transport.hpp"

namespace rondo::group {

/// No message is split, and none may be longer than its receive. The memory of the requests is kept from call to call.
class TableMessages final : public transport::Messages {
 public:
  explicit TableMessages(Table& table) : table_(table) { table_.add(this); }
  ~TableMessages() override;

  void send(const std::byte* data, std::size_t bytes, int destination, int tag) override;
  void receive(std::byte* data, std::size_t bytes, int source, int tag) override;
  void receive_first(std::byte* data, std::size_t capacity, int source, int tag) override {
    receive(data, capacity, source, tag);
  }
  void receive_rest(std::byte*, std::size_t, int, int) override {}
  void wait() override;
  void wait_for_receives(std::size_t begin, std::size_t count) override;
  void exchange(std::span<const Transfer> receives, std::span<const Transfer> sends, int tag,
                std::size_t window) override;
  void abandon() override;

  /// Lets everything posted go on.
  void advance();

 private:
  using Requests = std::vector<Request>;

  void wait_for(std::span<Request> requests);

  Table& table_;
  Requests receives_;
  Requests sends_;
  Requests in_flight_;  ///< of exchange()
};

}  // namespace rondo::group
