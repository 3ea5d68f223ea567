/// Part of rondo.hpp: the exchanges as starts, each with a request.
#ifndef RONDO_CPP_STARTS_HPP
#define RONDO_CPP_STARTS_HPP

#include <rondo/cpp/calls.hpp>

#include <exception>
#include <utility>

namespace rondo {

/// An exchange that has been started. Until it is complete, its buffers and its arrays of counts,
/// displacements and types must stay as they are. Requests can be moved but not copied. The destructor
/// waits for the exchange and ignores its errors: call wait() to see them. rondo.h says where the exchange goes
/// on, and what may hang. Errors are thrown also if the MPI library carries out the exchange.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, RONDO_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    const int former = Rondo_Errors_return(1);
    Rondo_Wait(&handle_);
    Rondo_Errors_return(former);
  }

  /// Local. Takes over a request of the C interface.
  static Request adopt(Rondo_Request handle) {
    Request request;
    request.handle_ = handle;
    return request;
  }

  /// Waits until the exchange is complete. An empty request is complete.
  void wait() { detail::call(Rondo_Wait, &handle_); }

  /// Local. Lets exchanges go on. Returns whether this one is complete.
  bool test() {
    int is_complete = 0;
    detail::call(Rondo_Test, &handle_, &is_complete);
    return is_complete != 0;
  }

  /// Local. Whether there is an exchange that has not been completed.
  explicit operator bool() const noexcept { return handle_ != RONDO_REQUEST_NULL; }
  /// Local. The request of the C interface, or RONDO_REQUEST_NULL.
  Rondo_Request handle() const noexcept { return handle_; }

 private:
  Rondo_Request handle_ = RONDO_REQUEST_NULL;
};

/// Waits for all requests, and throws the first error when all are complete.
inline void wait_all(std::span<Request> requests) {
  std::exception_ptr first;
  for (Request& request : requests) try {
      request.wait();
    } catch (const Exception&) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

/// As Rondo_Ialltoall.
[[nodiscard]] inline Request ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm) {
  return detail::pass<Request>(Rondo_Ialltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               recvtype, comm);
}

/// As alltoall(), but only starts the exchange.
template <SendBuffer Send, RecvBuffer Recv>
[[nodiscard]] Request ialltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  return detail::equal_blocks<Request>(Rondo_Ialltoall, detail::ranks_of(comm), send, recv, comm);
}

/// As alltoall() in place, but only starts the exchange.
template <RecvBuffer Recv>
[[nodiscard]] Request ialltoall(InPlace, Recv&& recv, MPI_Comm comm) {
  return detail::equal_blocks<Request>(Rondo_Ialltoall, detail::ranks_of(comm), in_place, recv,
                                       comm);
}

/// As Rondo_Ialltoallv. With MPI_IN_PLACE as sendbuf, sendcounts and sdispls may be empty.
[[nodiscard]] inline Request ialltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls,
                                        MPI_Datatype sendtype, void* recvbuf, Ints recvcounts,
                                        Ints rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ialltoallv, detail::ranks_of(comm), sendbuf, sendcounts,
                                    sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                    comm);
}

/// As alltoallv(), but only starts the exchange.
template <SendBuffer Send, RecvBuffer Recv>
[[nodiscard]] Request ialltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                                 Ints recvcounts, Ints rdispls, MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ialltoallv, detail::ranks_of(comm), send, sendcounts,
                                    sdispls, recv, recvcounts, rdispls, comm);
}

/// As alltoallv() in place, but only starts the exchange.
template <RecvBuffer Recv>
[[nodiscard]] Request ialltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ialltoallv, detail::ranks_of(comm), in_place, recv,
                                    counts, displs, comm);
}

/// As Rondo_Ialltoallw. With MPI_IN_PLACE as sendbuf, sendcounts, sdispls and sendtypes may be empty.
[[nodiscard]] inline Request ialltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls,
                                        Types sendtypes, void* recvbuf, Ints recvcounts,
                                        Ints rdispls, Types recvtypes, MPI_Comm comm) {
  return detail::typed_blocks<Request>(Rondo_Ialltoallw, detail::ranks_of(comm), sendbuf,
                                       sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm);
}

/// As Rondo_Ialltoallv_dynamic: `comm` must have been prepared. recvcounts and rdispls are right once the
/// request is complete, also if that throws MPI_ERR_TRUNCATE. dynamic_take() has the elements then.
[[nodiscard]] inline Request ialltoallv_dynamic(const void* sendbuf, Ints sendcounts, Ints sdispls,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                int recvcapacity, std::span<int> recvcounts,
                                                std::span<int> rdispls, MPI_Datatype recvtype,
                                                MPI_Comm comm) {
  return detail::dynamic<Request>(Rondo_Ialltoallv_dynamic, sendbuf, sendcounts, sdispls, sendtype,
                                  recvbuf, recvcapacity, recvcounts, rdispls, recvtype, comm);
}

/// As alltoallv_dynamic(), but only starts the exchange. `received` must stay where it is, and is resized when
/// the request completes.
template <SendBuffer Send>
[[nodiscard]] Request ialltoallv_dynamic(const Send& send, Ints sendcounts, Ints sdispls,
                                         Received<detail::ElementOf<Send>>& received,
                                         MPI_Comm comm) {
  return detail::dynamic_alloc<Request>(Rondo_Ialltoallv_dynamic_alloc, send, sendcounts, sdispls,
                                        received, comm);
}

/// As Rondo_Ineighbor_alltoall.
[[nodiscard]] inline Request ineighbor_alltoall(const void* sendbuf, int sendcount,
                                                MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                                MPI_Datatype recvtype, MPI_Comm comm) {
  return detail::pass<Request>(Rondo_Ineighbor_alltoall, sendbuf, sendcount, sendtype, recvbuf,
                               recvcount, recvtype, comm);
}

/// As neighbor_alltoall(), but only starts the exchange.
template <SendBuffer Send, RecvBuffer Recv>
[[nodiscard]] Request ineighbor_alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  return detail::equal_blocks<Request>(Rondo_Ineighbor_alltoall, detail::edges_of(comm), send, recv,
                                       comm);
}

/// As Rondo_Ineighbor_alltoallv.
[[nodiscard]] inline Request ineighbor_alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 Ints recvcounts, Ints rdispls,
                                                 MPI_Datatype recvtype, MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ineighbor_alltoallv, detail::edges_of(comm), sendbuf,
                                    sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                    recvtype, comm);
}

/// As neighbor_alltoallv(), but only starts the exchange.
template <SendBuffer Send, RecvBuffer Recv>
[[nodiscard]] Request ineighbor_alltoallv(const Send& send, Ints sendcounts, Ints sdispls,
                                          Recv&& recv, Ints recvcounts, Ints rdispls,
                                          MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ineighbor_alltoallv, detail::edges_of(comm), send,
                                    sendcounts, sdispls, recv, recvcounts, rdispls, comm);
}

/// As Rondo_Ineighbor_alltoallw.
[[nodiscard]] inline Request ineighbor_alltoallw(const void* sendbuf, Ints sendcounts,
                                                 std::span<const MPI_Aint> sdispls, Types sendtypes,
                                                 void* recvbuf, Ints recvcounts,
                                                 std::span<const MPI_Aint> rdispls, Types recvtypes,
                                                 MPI_Comm comm) {
  return detail::typed_blocks<Request>(Rondo_Ineighbor_alltoallw, detail::edges_of(comm), sendbuf,
                                       sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm);
}

}  // namespace rondo

#endif
