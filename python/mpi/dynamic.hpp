// Dynamic exchanges: what each rank has and gets.
#pragma once

#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/calls.hpp"

namespace rondo::python {

/// The counts of what has come, if they are not those that were expected.
using Unexpected = std::optional<std::vector<std::int64_t>>;

/// A dynamic exchange of this rank, and what comes of it.
class Dynamic {
 public:
  /// `element_bytes`: of what arrives.
  Dynamic(const Side& send, std::size_t element_bytes)
      : counts_(send.blocks()), displacements_(counts_.size()), arrived_{element_bytes} {}

  /// Calls or starts it: `last` is what the function takes in the end. What arrives is in new memory.
  template <class Function, class... Last>
  void run(Function function, Address comm, const Side& send, MPI_Datatype type, Last... last) {
    const WithoutLock others_run;
    require_success(function(send.buffer(), send.counts(), send.displacements(), send.type(),
                             &Arrived::allocate<MPI_Count>, &arrived_, nullptr, counts_.data(),
                             displacements_.data(), type, handle_at<MPI_Comm>(comm), last...));
  }

  /// The same, but what arrives is in the memory of `recv`, if there is room for it.
  template <class Function, class... Last>
  void run_into(Function function, Address comm, const Side& send, const Side& recv, Last... last) {
    const WithoutLock others_run;
    room_ = static_cast<Count>(recv.bytes() / arrived_.element_bytes);
    const int code = function(send.buffer(), send.counts(), send.displacements(), send.type(),
                              recv.buffer(), *room_, counts_.data(), displacements_.data(),
                              recv.type(), handle_at<MPI_Comm>(comm), last...);
    if (!is_for_lack_of_room(code)) require_success(code);
  }

  /// Whether this is the error because there is no room for what has come.
  bool is_for_lack_of_room(int code) const {
    // First what asks nothing of MPI, which may have ended.
    if (!room_ || std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}) <= *room_)
      return false;
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class == MPI_ERR_TRUNCATE;
  }

  /// Once, when it is complete.
  Received release() {
    return {arrived_.release(), array_of(counts_.data(), counts_.size()),
            array_of(displacements_.data(), displacements_.size())};
  }

  /// When it is complete: what has come, unless it is what `recv` expects.
  Unexpected unexpected(const Side& recv) const {
    if (std::equal(counts_.begin(), counts_.end(), recv.counts())) return std::nullopt;
    return std::vector<std::int64_t>(counts_.begin(), counts_.end());
  }

 private:
  std::vector<Count> counts_;
  std::vector<Displacement> displacements_;
  std::optional<Count> room_;  ///< elements
  Arrived arrived_;
};

/// A dynamic exchange that has been started. If nobody completes it, the memory stays in use.
class DynamicRequest : public Request {
 public:
  DynamicRequest(Rondo_Request request, std::unique_ptr<Dynamic> exchange)
      : Request(request), exchange_(std::move(exchange)) {}

  Received release() {
    rethrow();
    return exchange_->release();
  }
  Unexpected unexpected(const Side& recv) const {
    rethrow();
    return exchange_->unexpected(recv);
  }

 private:
  bool is_told_later(int code) const override { return exchange_->is_for_lack_of_room(code); }

  std::unique_ptr<Dynamic> exchange_;
};

/// Starts an exchange into the memory of `recv`.
inline DynamicRequest ialltoallv_dynamic_into(Address comm, const Side& send, const Side& recv) {
  auto exchange = std::make_unique<Dynamic>(send, static_cast<std::size_t>(recv.extent()));
  Rondo_Request request = RONDO_REQUEST_NULL;
  exchange->run_into(&RONDO_PYTHON_CALL(Ialltoallv_dynamic), comm, send, recv, &request);
  return {request, std::move(exchange)};
}

}  // namespace rondo::python
