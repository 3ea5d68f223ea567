// What rondo::Mailbox is compared with: items gathered by destination in buffers that are written by
// hand, and sent with MPI's nonblocking point-to-point messages.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace by_hand {

/// A full buffer is sent at once, and an empty one takes its place. Messages are received whenever one
/// is sent. An empty message is the last one from its sender.
template <class T>
class Buffers {
 public:
  using Handler = std::function<void(int source, std::span<const T> items)>;

  /// `capacity` items for one rank go together. Every object needs a tag of its own.
  Buffers(MPI_Comm comm, int tag, Handler handler, std::size_t capacity)
      : comm_(comm), tag_(tag), handler_(std::move(handler)), capacity_(capacity) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    for (int rank = 0; rank < ranks_; ++rank) filling_.push_back(new_buffer());
    received_.resize(capacity);
  }

  void send(int rank, const T& item) {
    if (rank == rank_) return handler_(rank_, {&item, 1});
    auto& buffer = filling_[static_cast<std::size_t>(rank)];
    buffer->push_back(item);
    if (buffer->size() < capacity_) return;
    post(rank);
    if (!is_receiving_) receive_all();
  }

  /// Receives everything that has come. Returns whether every other rank has sent its last message.
  bool receive_all() {
    is_receiving_ = true;
    int is_there = 1;
    while (true) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &is_there, &status);
      if (is_there == 0) break;
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      MPI_Recv(received_.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag_, comm_,
               MPI_STATUS_IGNORE);
      if (bytes == 0)
        ++ended_;
      else
        handler_(status.MPI_SOURCE,
                 std::span(received_.data(), static_cast<std::size_t>(bytes) / sizeof(T)));
    }
    is_receiving_ = false;
    return ended_ == ranks_ - 1;
  }

  /// Sends what is left and the last messages.
  void end() {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank == rank_) continue;
      if (!filling_[static_cast<std::size_t>(rank)]->empty()) post(rank);
      post(rank);
    }
  }

  /// Waits for the sends. All must have received the last messages before the next phase.
  void wait() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (auto& buffer : sending_) free_.push_back(std::move(buffer));
    requests_.clear();
    sending_.clear();
    ended_ = 0;
  }

 private:
  using Buffer = std::unique_ptr<std::vector<T>>;

  Buffer new_buffer() {
    if (free_.empty()) {
      auto buffer = std::make_unique<std::vector<T>>();
      buffer->reserve(capacity_);
      return buffer;
    }
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    buffer->clear();
    return buffer;
  }

  void post(int rank) {
    take_back();
    Buffer& buffer = filling_[static_cast<std::size_t>(rank)];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(buffer->data(), static_cast<int>(buffer->size() * sizeof(T)), MPI_BYTE, rank, tag_,
              comm_, &request);
    requests_.push_back(request);
    sending_.push_back(std::exchange(buffer, new_buffer()));
  }

  /// Takes back the oldest buffers that have been sent.
  void take_back() {
    while (requests_.size() > static_cast<std::size_t>(ranks_)) {
      int is_sent = 0;
      MPI_Test(&requests_.front(), &is_sent, MPI_STATUS_IGNORE);
      if (is_sent == 0) return;
      free_.push_back(std::move(sending_.front()));
      requests_.erase(requests_.begin());
      sending_.erase(sending_.begin());
    }
  }

  MPI_Comm comm_;
  int tag_;
  Handler handler_;
  std::size_t capacity_;
  int rank_ = 0;
  int ranks_ = 1;
  int ended_ = 0;
  bool is_receiving_ = false;
  std::vector<Buffer> filling_;  ///< by rank
  std::vector<Buffer> sending_;
  std::vector<Buffer> free_;
  std::vector<MPI_Request> requests_;  ///< of sending_
  std::vector<T> received_;
};

}  // namespace by_hand
