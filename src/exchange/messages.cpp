#include "exchange/messages.hpp"

#include <algorithm>

#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

namespace {

MPI_Request* next(std::vector<MPI_Request>& requests) {
  return &requests.emplace_back(MPI_REQUEST_NULL);
}

}  // namespace

/// Calls post(offset, count) for every piece of a message. An empty message is one empty piece.
template <class Post>
void Messages::for_each_piece(std::size_t bytes, Post&& post) const {
  if (bytes <= longest_message_) return post(0, static_cast<int>(bytes));
  std::size_t offset = 0;
  do {
    const std::size_t piece = std::min(bytes - offset, longest_message_);
    post(offset, static_cast<int>(piece));
    offset += piece;
  } while (offset < bytes);
}

void Messages::send(const std::byte* data, std::size_t bytes, int destination, int tag) {
  for_each_piece(bytes, [&](std::size_t offset, int count) {
    check(PMPI_Isend(data + offset, count, MPI_BYTE, destination, tag, comm_, next(sends_)),
          "MPI_Isend");
  });
}

void Messages::receive(std::byte* data, std::size_t bytes, int source, int tag) {
  for_each_piece(bytes, [&](std::size_t offset, int count) {
    check(PMPI_Irecv(data + offset, count, MPI_BYTE, source, tag, comm_, next(receives_)),
          "MPI_Irecv");
  });
}

void Messages::receive_first(std::byte* data, std::size_t room, int source, int tag) {
  receive(data, std::min(room, longest_message_), source, tag);
}

void Messages::receive_rest(std::byte* data, std::size_t bytes, int source, int tag) {
  if (bytes > longest_message_)
    receive(data + longest_message_, bytes - longest_message_, source, tag);
}

void Messages::send(const void* data, MPI_Datatype type, int destination, int tag) {
  check(PMPI_Isend(data, 1, type, destination, tag, comm_, next(sends_)), "MPI_Isend");
}

void Messages::receive(void* data, MPI_Datatype type, int source, int tag) {
  check(PMPI_Irecv(data, 1, type, source, tag, comm_, next(receives_)), "MPI_Irecv");
}

void Messages::wait_for_receives(std::size_t begin, std::size_t count) {
  if (count == 0) return;
  if (statuses_.size() < count) statuses_.resize(count);
  const int code =
      PMPI_Waitall(static_cast<int>(count), receives_.data() + begin, statuses_.data());
  if (code != MPI_ERR_IN_STATUS) return check(code, "MPI_Waitall");
  for (std::size_t i = 0; i < count; ++i) {
    const int error = statuses_[i].MPI_ERROR;
    if (error != MPI_SUCCESS && error != MPI_ERR_PENDING) throw_mpi_error(error, "MPI_Waitall");
  }
}

void Messages::wait() {
  wait_for_receives(0, receives_.size());
  receives_.clear();
  if (!sends_.empty())
    check(PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  sends_.clear();
}

void Messages::abandon() {
  for (MPI_Request& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    // A cancelled receive completes without its sender. Return codes no longer matter.
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  receives_.clear();
  sends_.clear();
}

}  // namespace rondo::exchange
