#include "mpi/messages.hpp"

#include <algorithm>
#include <optional>

#include "mpi/error.hpp"
#include "transport/outstanding.hpp"
#include "transport/tags.hpp"

namespace rondo::mpi {

namespace {

bool is_truncation(int code) {
  int error_class = MPI_ERR_OTHER;
  return PMPI_Error_class(code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_TRUNCATE;
}

MPI_Request* next(std::vector<MPI_Request>& requests) {
  return &requests.emplace_back(MPI_REQUEST_NULL);
}

/// Calls wait() or, so that other exchanges go on, test(is_done) again and again. Both return MPI's code.
template <class Wait, class Test>
int wait_or_test(Wait&& wait, Test&& test) {
  if (!transport::has_outstanding()) return wait();
  int code = MPI_SUCCESS;
  transport::wait_beside([&] {
    int is_done = 0;
    code = test(is_done);
    return is_done != 0 || code != MPI_SUCCESS;
  });
  return code;
}

/// As MPI_Wait.
int wait_for_one(MPI_Request& request, MPI_Status* status) {
  return wait_or_test([&] { return PMPI_Wait(&request, status); },
                      [&](int& is_done) { return PMPI_Test(&request, &is_done, status); });
}

/// As MPI_Waitsome.
int wait_for_some(std::vector<MPI_Request>& requests, int* count, int* done, MPI_Status* statuses) {
  const int all = static_cast<int>(requests.size());
  return wait_or_test([&] { return PMPI_Waitsome(all, requests.data(), count, done, statuses); },
                      [&](int& is_done) {
                        const int code = PMPI_Testsome(all, requests.data(), count, done, statuses);
                        is_done = *count;
                        return code;
                      });
}

}  // namespace

int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  return wait_or_test(
      [&] { return PMPI_Waitall(count, requests, statuses); },
      [&](int& are_done) { return PMPI_Testall(count, requests, &are_done, statuses); });
}

void wait_for(MPI_Request& request) {
  check(wait_for_one(request, MPI_STATUS_IGNORE), "MPI_Wait");
}

/// No message has this tag: MPI libraries return at once from a probe that finds a message, which a rank may
/// have sent early, and then make no progress.
void let_mpi_progress(MPI_Comm comm) {
  constexpr int kTag = transport::tags::range(transport::tags::Use::no_message).first;
  int code = MPI_SUCCESS;
  auto probe = [&] {
    int is_there = 0;
    code = PMPI_Iprobe(MPI_ANY_SOURCE, kTag, comm, &is_there, MPI_STATUS_IGNORE);
    return true;
  };
  if (Fiber::is_running())
    Fiber::wait_until(probe);
  else
    probe();
  check(code, "MPI_Iprobe");
}

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

void Messages::receive_first(std::byte* data, std::size_t capacity, int source, int tag) {
  receive(data, std::min(capacity, longest_message_), source, tag);
}

void Messages::receive_rest(std::byte* data, std::size_t bytes, int source, int tag) {
  if (bytes <= longest_message_) return;
  const std::size_t first = receives_.size();
  receive(data + longest_message_, bytes - longest_message_, source, tag);
  wait_for_receives(first, receives_.size() - first);
}

void Messages::send(const void* data, MPI_Datatype type, int destination, int tag) {
  check(PMPI_Isend(data, 1, type, destination, tag, comm_, next(sends_)), "MPI_Isend");
}

void Messages::receive(void* data, MPI_Datatype type, int source, int tag) {
  check(PMPI_Irecv(data, 1, type, source, tag, comm_, next(receives_)), "MPI_Irecv");
}

/// One after another: under MPI_THREAD_MULTIPLE Open MPI 4.1 never returns from MPI_Waitall if a receive has already
/// failed.
void Messages::wait_for_receives(std::size_t begin, std::size_t count) {
  for (MPI_Request& request : std::span(receives_).subspan(begin, count)) {
    MPI_Status status;
    const int code = wait_for_one(request, &status);
    if (code != MPI_SUCCESS) note_or_throw(code, status.MPI_SOURCE);
  }
}

void Messages::note_or_throw(int code, int source) {
  std::optional<Error>* const mismatch = noted_ == nullptr ? nullptr : *noted_;
  if (mismatch == nullptr || !is_truncation(code)) throw_mpi_error(code, "MPI_Wait");
  if (*mismatch) return;
  *mismatch = Error(ErrorClass::truncate,
                    text("rank ", source,
                         " sends a longer block to this rank than this rank expects; with "
                         "RONDO_CHECK=1 the error names both lengths"));
}

void Messages::wait() {
  wait_for_receives(0, receives_.size());
  receives_.clear();
  if (!sends_.empty())
    check(wait_for_all(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  sends_.clear();
}

/// Posts the next piece of the message at a place or, if it has none, the next message.
void Messages::post_next(Direction& direction, std::size_t place, int tag) {
  Transfer& rest = places_[place].rest;
  if (rest.bytes == 0) {
    if (direction.next == direction.transfers.size()) return;
    rest = direction.transfers[direction.next++];
  }
  const std::size_t bytes = std::min(rest.bytes, longest_message_);
  const auto count = static_cast<int>(bytes);
  MPI_Request* const request = &in_flight_[place];
  if (direction.is_receive)
    check(PMPI_Irecv(rest.data, count, MPI_BYTE, rest.rank, tag, comm_, request), "MPI_Irecv");
  else
    check(PMPI_Isend(rest.data, count, MPI_BYTE, rest.rank, tag, comm_, request), "MPI_Isend");
  rest.data += bytes;
  rest.bytes -= bytes;
}

void Messages::exchange(std::span<const Transfer> receives, std::span<const Transfer> sends,
                        int tag, std::size_t window) {
  Direction in{receives, true};
  Direction out{sends, false};
  const std::size_t receiving = std::min(window, receives.size());
  const std::size_t places = receiving + std::min(window, sends.size());
  in_flight_.assign(places, MPI_REQUEST_NULL);
  places_.assign(places, {{nullptr, 0, 0}, false});
  done_.resize(places);
  if (statuses_.size() < places) statuses_.resize(places);
  for (std::size_t place = 0; place < places; ++place) {
    places_[place].is_receive = place < receiving;
    post_next(place < receiving ? in : out, place, tag);
  }
  while (true) {
    int count = 0;
    const int code = wait_for_some(in_flight_, &count, done_.data(), statuses_.data());
    if (code != MPI_ERR_IN_STATUS) check(code, "MPI_Waitsome");
    if (count == MPI_UNDEFINED) break;
    for (int i = 0; i < count; ++i) {
      const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
      if (code == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_SUCCESS)
        note_or_throw(status.MPI_ERROR, status.MPI_SOURCE);
      const auto place = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      post_next(places_[place].is_receive ? in : out, place, tag);
    }
  }
  in_flight_.clear();
}

void Messages::abandon() {
  for (std::size_t place = 0; place < in_flight_.size(); ++place)
    if (places_[place].is_receive) receives_.push_back(in_flight_[place]);
  in_flight_.clear();
  for (MPI_Request& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    // A cancelled receive completes without its sender. Return codes no longer matter.
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  receives_.clear();
  sends_.clear();
}

}  // namespace rondo::mpi
