/// Part of rondo.hpp: the exchanges as plans.
#ifndef RONDO_CPP_PLANS_HPP
#define RONDO_CPP_PLANS_HPP

#include <rondo/cpp/starts.hpp>

#include <string>
#include <utility>

namespace rondo {

/// The same exchange many times. Counts, displacements, types and the algorithm are bound, and
/// later executions send data only. Plans can be moved but not copied. Freeing is collective:
/// destroy plans in the same order on all ranks, and before MPI_Finalize (destroying a plan later
/// does nothing).
class Plan {
 public:
  Plan() = default;
  Plan(Plan&& other) noexcept { *this = std::move(other); }
  Plan& operator=(Plan&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(send_bytes_, other.send_bytes_);
    std::swap(recv_bytes_, other.recv_bytes_);
    std::swap(sources_, other.sources_);
    return *this;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    int finalized = 0;
    if (handle_ != RONDO_PLAN_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0)
      Rondo_Plan_free(&handle_);
  }

  /// Takes the arguments of alltoall(). The plan remembers only the sizes of the buffers.
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoall(const Send& send, Recv&& recv, MPI_Comm comm,
                       MPI_Info info = MPI_INFO_NULL) {
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::equal_blocks(Rondo_Alltoall_plan, detail::ranks_of(comm), send, recv, comm, info,
                         &plan.handle_);
    return plan;
  }

  /// Takes the arguments of alltoall() in place.
  template <RecvBuffer Recv>
  static Plan alltoall(InPlace, Recv&& recv, MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    Plan plan(0, detail::bytes_of(recv));
    detail::equal_blocks(Rondo_Alltoall_plan, detail::ranks_of(comm), in_place, recv, comm, info,
                         &plan.handle_);
    return plan;
  }

  /// Takes the arguments of alltoallv().
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                        Ints recvcounts, Ints rdispls, MPI_Comm comm,
                        MPI_Info info = MPI_INFO_NULL) {
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::blocks_at(Rondo_Alltoallv_plan, detail::ranks_of(comm), send, sendcounts, sdispls, recv,
                      recvcounts, rdispls, comm, info, &plan.handle_);
    return plan;
  }

  /// Takes the arguments of alltoallv() without displacements.
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                        MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    return alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
                     detail::packed("recvcounts", recvcounts), comm, info);
  }

  /// Takes the arguments of alltoallv() in place.
  template <RecvBuffer Recv>
  static Plan alltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm,
                        MPI_Info info = MPI_INFO_NULL) {
    Plan plan(0, detail::bytes_of(recv));
    detail::blocks_at(Rondo_Alltoallv_plan, detail::ranks_of(comm), in_place, recv, counts, displs,
                      comm, info, &plan.handle_);
    return plan;
  }

  /// Takes the arguments of neighbor_alltoall().
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan neighbor_alltoall(const Send& send, Recv&& recv, MPI_Comm comm,
                                MPI_Info info = MPI_INFO_NULL) {
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::equal_blocks(Rondo_Neighbor_alltoall_plan, detail::edges_of(comm), send, recv, comm,
                         info, &plan.handle_);
    return plan;
  }

  /// Takes the arguments of neighbor_alltoallv().
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan neighbor_alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                                 Ints recvcounts, Ints rdispls, MPI_Comm comm,
                                 MPI_Info info = MPI_INFO_NULL) {
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::blocks_at(Rondo_Neighbor_alltoallv_plan, detail::edges_of(comm), send, sendcounts,
                      sdispls, recv, recvcounts, rdispls, comm, info, &plan.handle_);
    return plan;
  }

  /// Takes the arguments of neighbor_alltoallv() without displacements.
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan neighbor_alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                                 MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    return neighbor_alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv,
                              recvcounts, detail::packed("recvcounts", recvcounts), comm, info);
  }

  /// Takes the arguments of sparse_alltoallv(). sources() says what comes, and so how large the buffer for it
  /// must be.
  template <SendBuffer Send>
  static Plan sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, Ints sdispls,
                               MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    detail::check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}},
                          destinations.size());
    detail::check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
    const MPI_Datatype type = detail::datatype_of<Send>();
    Plan plan(detail::bytes_of(send), 0);
    detail::call(Rondo_Sparse_alltoallv_plan, static_cast<int>(destinations.size()),
                 destinations.data(), sendcounts.data(), sdispls.data(), type, type, &plan.sources_,
                 comm, info, &plan.handle_);
    plan.recv_bytes_ = plan.arriving() * sizeof(std::ranges::range_value_t<Send>);
    return plan;
  }

  /// Local. From which ranks blocks come in a sparse exchange, and where they lie. Valid until the plan is freed.
  const Rondo_Sources& sources() const noexcept { return sources_; }

  /// Local. How many elements come in a sparse exchange: the size of the receive buffer.
  std::size_t arriving() const noexcept {
    if (sources_.count == 0) return 0;
    const int last = sources_.count - 1;
    return static_cast<std::size_t>(sources_.displs[last]) +
           static_cast<std::size_t>(sources_.counts[last]);
  }

  /// Local. Takes over a plan that was made with the C interface. It does not check the sizes of buffers.
  static Plan adopt(Rondo_Plan handle) {
    Plan plan(0, 0);
    plan.handle_ = handle;
    return plan;
  }

  /// Executes the plan. The buffers must be at least as large as those it was made with.
  template <SendBuffer Send, RecvBuffer Recv>
  void execute(const Send& send, Recv&& recv) const {
    check_size("send", detail::bytes_of(send), send_bytes_);
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    execute(std::ranges::data(send), std::ranges::data(recv));
  }

  /// Executes a plan that was made in place.
  template <RecvBuffer Recv>
  void execute(InPlace, Recv&& recv) const {
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    execute(MPI_IN_PLACE, std::ranges::data(recv));
  }

  /// Executes the plan without checking the sizes of the buffers. sendbuf is MPI_IN_PLACE in place.
  void execute(const void* sendbuf, void* recvbuf) const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    detail::call(Rondo_Execute, handle_, sendbuf, recvbuf);
  }

  /// As execute(), but only starts the execution.
  template <SendBuffer Send, RecvBuffer Recv>
  [[nodiscard]] Request start(const Send& send, Recv&& recv) const {
    check_size("send", detail::bytes_of(send), send_bytes_);
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    return start(std::ranges::data(send), std::ranges::data(recv));
  }

  /// Starts an execution of a plan that was made in place.
  template <RecvBuffer Recv>
  [[nodiscard]] Request start(InPlace, Recv&& recv) const {
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    return start(MPI_IN_PLACE, std::ranges::data(recv));
  }

  /// Starts an execution without checking the sizes of the buffers. sendbuf is MPI_IN_PLACE in place.
  [[nodiscard]] Request start(const void* sendbuf, void* recvbuf) const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    return detail::pass<Request>(Rondo_Start, handle_, sendbuf, recvbuf);
  }

  /// Local. Returns what the plan runs, with all parameters. For a plan that learns this is the fastest
  /// algorithm so far.
  std::string algorithm() const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    constexpr int kLength = 1024;
    char text[kLength];
    detail::call(Rondo_Plan_get_algorithm, handle_, text, kLength);
    return text;
  }

  /// Frees the plan now, and throws the error that the destructor would ignore.
  void free() { detail::call(Rondo_Plan_free, &handle_); }

  /// Local. Whether there is a plan.
  explicit operator bool() const noexcept { return handle_ != RONDO_PLAN_NULL; }
  /// Local. The plan of the C interface, or RONDO_PLAN_NULL.
  Rondo_Plan handle() const noexcept { return handle_; }

 private:
  Plan(std::size_t send_bytes, std::size_t recv_bytes)
      : send_bytes_(send_bytes), recv_bytes_(recv_bytes) {}

  static void check_size(const char* buffer, std::size_t bytes, std::size_t needed) {
    if (bytes < needed)
      throw Exception(MPI_ERR_BUFFER, std::string(buffer) + " has " + std::to_string(bytes) +
                                          " bytes, but the plan was made for " +
                                          std::to_string(needed));
  }

  Rondo_Plan handle_ = RONDO_PLAN_NULL;
  std::size_t send_bytes_ = 0;
  std::size_t recv_bytes_ = 0;
  Rondo_Sources sources_{};
};

}  // namespace rondo

#endif
