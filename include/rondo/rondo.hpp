/// Rondo for C++20: rondo.h with spans, types and exceptions. Header-only.
///
/// A buffer is anything contiguous and sized (std::vector, std::array, std::span) of an element
/// type that MPI knows: integers, floating-point numbers, std::byte, std::complex, or a type of
/// your own for which you specialise rondo::Datatype. Counts and displacements count elements.
/// Functions that take MPI_Datatype arguments are there for everything else.
///
/// Every error is thrown as rondo::Exception, whatever error handler the communicator has.
///
/// Sizes of buffers are checked first, on each rank for itself: a rank that throws because its own
/// buffer is too small has sent nothing, and the others may wait for it for ever, as with any call
/// that one rank leaves out.
///
/// Who must call what, and when, stands in rondo.h; everything here is collective unless it says
/// local.
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/rondo.h>

#include <climits>
#include <complex>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

/// What went wrong: an MPI error class, and a text that says what, with the numbers.
class Exception : public std::runtime_error {
 public:
  Exception(int error_class, const std::string& text)
      : std::runtime_error(text), error_class_(error_class) {}

  /// MPI_ERR_COUNT, MPI_ERR_TRUNCATE, ...
  int error_class() const noexcept { return error_class_; }

 private:
  int error_class_;
};

/// The MPI datatype of T: Datatype<T>::get(). Specialise it for a trivially copyable type of your
/// own; get() must then return a committed datatype whose extent is sizeof(T).
template <class T>
struct Datatype;

template <std::integral T>
struct Datatype<T> {
  static MPI_Datatype get() {
    if constexpr (std::same_as<T, bool>) return MPI_CXX_BOOL;
    if constexpr (std::same_as<T, char>) return MPI_CHAR;
    if constexpr (std::signed_integral<T>) {
      return sizeof(T) == 1   ? MPI_INT8_T
             : sizeof(T) == 2 ? MPI_INT16_T
             : sizeof(T) == 4 ? MPI_INT32_T
                              : MPI_INT64_T;
    } else {
      return sizeof(T) == 1   ? MPI_UINT8_T
             : sizeof(T) == 2 ? MPI_UINT16_T
             : sizeof(T) == 4 ? MPI_UINT32_T
                              : MPI_UINT64_T;
    }
  }
};

template <>
struct Datatype<float> {
  static MPI_Datatype get() { return MPI_FLOAT; }
};
template <>
struct Datatype<double> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <>
struct Datatype<long double> {
  static MPI_Datatype get() { return MPI_LONG_DOUBLE; }
};
template <>
struct Datatype<std::byte> {
  static MPI_Datatype get() { return MPI_BYTE; }
};
template <>
struct Datatype<std::complex<float>> {
  static MPI_Datatype get() { return MPI_CXX_FLOAT_COMPLEX; }
};
template <>
struct Datatype<std::complex<double>> {
  static MPI_Datatype get() { return MPI_CXX_DOUBLE_COMPLEX; }
};

/// A type that buffers may hold.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && requires {
  { Datatype<T>::get() } -> std::same_as<MPI_Datatype>;
};

/// What can be sent from: contiguous, sized, of elements.
template <class R>
concept SendBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Element<std::ranges::range_value_t<R>>;

/// What can be received into: the same, and not const.
template <class R>
concept RecvBuffer =
    SendBuffer<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// First argument of an in-place exchange: blocks are sent from the receive buffer, and replaced.
struct InPlace {};
inline constexpr InPlace in_place{};

/// Counts and displacements, one for each rank.
using Ints = std::span<const int>;

namespace detail {

/// Throw unless `error` is MPI_SUCCESS.
inline void check(int error) {
  if (error == MPI_SUCCESS) return;
  int error_class = error;
  MPI_Error_class(error, &error_class);
  std::string text = Rondo_Get_last_error();
  if (text.empty()) {
    char known[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, known, &length);
    text.assign(known, static_cast<std::size_t>(length));
  }
  throw Exception(error_class, text);
}

/// Call one of Rondo's functions and throw its error, whatever error handler the communicator has.
template <class... Parameters, class... Arguments>
void call(int (*function)(Parameters...), Arguments... arguments) {
  const int former = Rondo_Errors_return(1);
  const int error = function(arguments...);
  Rondo_Errors_return(former);
  check(error);
}

/// The number of ranks that a collective on `comm` exchanges with.
inline std::size_t peers(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Exception(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  int count = 0;
  check(MPI_Comm_test_inter(comm, &inter));
  check(inter != 0 ? MPI_Comm_remote_size(comm, &count) : MPI_Comm_size(comm, &count));
  return static_cast<std::size_t>(count);
}

/// `size` elements dealt out to `ranks` ranks, as a count for each.
inline int block_count(const char* buffer, std::size_t size, std::size_t ranks) {
  if (size % ranks != 0)
    throw Exception(MPI_ERR_COUNT, std::string(buffer) + " has " + std::to_string(size) +
                                       " elements, which " + std::to_string(ranks) +
                                       " ranks cannot share evenly");
  if (size / ranks > INT_MAX)
    throw Exception(MPI_ERR_COUNT, std::string(buffer) + " has " + std::to_string(size / ranks) +
                                       " elements a rank, more than an int counts; use a larger "
                                       "MPI_Datatype");
  return static_cast<int>(size / ranks);
}

inline void check_length(const char* what, std::size_t length, std::size_t ranks) {
  if (length != ranks)
    throw Exception(MPI_ERR_ARG, std::string(what) + " has " + std::to_string(length) +
                                     " entries for " + std::to_string(ranks) + " ranks");
}

/// All blocks must lie within the buffer's `size` elements. A negative count is left to the C
/// interface.
inline void check_blocks(const char* buffer, std::size_t size, Ints counts, Ints displs) {
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] <= 0) continue;
    const long long end = static_cast<long long>(displs[rank]) + counts[rank];
    if (displs[rank] < 0 || end > static_cast<long long>(size))
      throw Exception(MPI_ERR_BUFFER, std::string(buffer) + " has " + std::to_string(size) +
                                          " elements, but block " + std::to_string(rank) + " is " +
                                          std::to_string(displs[rank]) + " to " +
                                          std::to_string(end - 1));
  }
}

/// Displacements of blocks that lie one after the other.
inline std::vector<int> packed(const char* what, Ints counts) {
  std::vector<int> displs;
  displs.reserve(counts.size());
  long long next = 0;
  for (const int count : counts) {
    if (next > INT_MAX)
      throw Exception(MPI_ERR_COUNT, std::string("the sum of ") + what +
                                         " is more than an int counts; use a larger MPI_Datatype");
    displs.push_back(static_cast<int>(next));
    next += count > 0 ? count : 0;
  }
  return displs;
}

template <class R>
MPI_Datatype datatype_of() {
  return Datatype<std::remove_cv_t<std::ranges::range_value_t<R>>>::get();
}

template <class R>
std::size_t bytes_of(const R& buffer) {
  return std::ranges::size(buffer) * sizeof(std::ranges::range_value_t<R>);
}

}  // namespace detail

// ---- alltoall: the buffers hold P blocks of equal size, in the order of the ranks.

/// As MPI_Alltoall.
inline void alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  detail::call(Rondo_Alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/// Send the q-th block of `send` to rank q, for all q; receive rank q's as the q-th block of
/// `recv`.
template <SendBuffer Send, RecvBuffer Recv>
void alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  const std::size_t ranks = detail::peers(comm);
  const int sendcount = detail::block_count("send", std::ranges::size(send), ranks);
  const int recvcount = detail::block_count("recv", std::ranges::size(recv), ranks);
  detail::call(Rondo_Alltoall, std::ranges::data(send), sendcount, detail::datatype_of<Send>(),
               std::ranges::data(recv), recvcount, detail::datatype_of<Recv>(), comm);
}

/// The same, sent from `recv`.
template <RecvBuffer Recv>
void alltoall(InPlace, Recv&& recv, MPI_Comm comm) {
  const int count = detail::block_count("recv", std::ranges::size(recv), detail::peers(comm));
  detail::call(Rondo_Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, std::ranges::data(recv), count,
               detail::datatype_of<Recv>(), comm);
}

// ---- alltoallv: counts[q] elements from displs[q] on go to, or come from, rank q. Without
// displacements the blocks lie one after the other.

/// As MPI_Alltoallv. With MPI_IN_PLACE as sendbuf, sendcounts and sdispls may be empty.
inline void alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, MPI_Datatype sendtype,
                      void* recvbuf, Ints recvcounts, Ints rdispls, MPI_Datatype recvtype,
                      MPI_Comm comm) {
  const std::size_t ranks = detail::peers(comm);
  if (sendbuf != MPI_IN_PLACE) {
    detail::check_length("sendcounts", sendcounts.size(), ranks);
    detail::check_length("sdispls", sdispls.size(), ranks);
  }
  detail::check_length("recvcounts", recvcounts.size(), ranks);
  detail::check_length("rdispls", rdispls.size(), ranks);
  detail::call(Rondo_Alltoallv, sendbuf, sendcounts.data(), sdispls.data(), sendtype, recvbuf,
               recvcounts.data(), rdispls.data(), recvtype, comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv, Ints recvcounts,
               Ints rdispls, MPI_Comm comm) {
  detail::check_length("sdispls", sdispls.size(), sendcounts.size());
  detail::check_length("rdispls", rdispls.size(), recvcounts.size());
  detail::check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  detail::check_blocks("recv", std::ranges::size(recv), recvcounts, rdispls);
  alltoallv(std::ranges::data(send), sendcounts, sdispls, detail::datatype_of<Send>(),
            std::ranges::data(recv), recvcounts, rdispls, detail::datatype_of<Recv>(), comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts, MPI_Comm comm) {
  alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
            detail::packed("recvcounts", recvcounts), comm);
}

/// In place: what comes from rank q replaces what went to rank q, so both have counts[q] elements.
template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm) {
  detail::check_length("displs", displs.size(), counts.size());
  detail::check_blocks("recv", std::ranges::size(recv), counts, displs);
  alltoallv(MPI_IN_PLACE, Ints{}, Ints{}, MPI_DATATYPE_NULL, std::ranges::data(recv), counts,
            displs, detail::datatype_of<Recv>(), comm);
}

template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, MPI_Comm comm) {
  alltoallv(in_place, recv, counts, detail::packed("counts", counts), comm);
}

// ---- alltoallw: a datatype for every rank, displacements in bytes.

/// As MPI_Alltoallw. With MPI_IN_PLACE as sendbuf, the arguments about sending may be empty.
inline void alltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls,
                      std::span<const MPI_Datatype> sendtypes, void* recvbuf, Ints recvcounts,
                      Ints rdispls, std::span<const MPI_Datatype> recvtypes, MPI_Comm comm) {
  const std::size_t ranks = detail::peers(comm);
  if (sendbuf != MPI_IN_PLACE) {
    detail::check_length("sendcounts", sendcounts.size(), ranks);
    detail::check_length("sdispls", sdispls.size(), ranks);
    detail::check_length("sendtypes", sendtypes.size(), ranks);
  }
  detail::check_length("recvcounts", recvcounts.size(), ranks);
  detail::check_length("rdispls", rdispls.size(), ranks);
  detail::check_length("recvtypes", recvtypes.size(), ranks);
  detail::call(Rondo_Alltoallw, sendbuf, sendcounts.data(), sdispls.data(), sendtypes.data(),
               recvbuf, recvcounts.data(), rdispls.data(), recvtypes.data(), comm);
}

// ---- Which algorithm.

/// Set up `comm` now, so that no call is forwarded to the MPI library first.
inline void prepare(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
  detail::call(Rondo_Comm_prepare, comm, info);
}

/// `collective` is "alltoall", "alltoallv" or "alltoallw"; `algorithm` a name with parameters, as
/// in "fused_bruck:radix=4", or "auto".
inline void set_algorithm(MPI_Comm comm, const std::string& collective,
                          const std::string& algorithm) {
  detail::call(Rondo_Comm_set_algorithm, comm, collective.c_str(), algorithm.c_str());
}

/// Local, after the set-up. What a call of `collective` runs, with all parameters.
inline std::string algorithm(MPI_Comm comm, const std::string& collective) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_algorithm, comm, collective.c_str(), text, kLength);
  return text;
}

/// Local, after the set-up. What the last exchange ran, with all parameters; "mpi" where it was left to the
/// MPI library.
inline std::string last_algorithm(MPI_Comm comm) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_last_algorithm, comm, text, kLength);
  return text;
}

/// Local. All rows of the registry of algorithms.
inline std::vector<Rondo_Algorithm> algorithms() {
  std::vector<Rondo_Algorithm> rows(static_cast<std::size_t>(Rondo_Algorithm_count()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    detail::call(Rondo_Algorithm_get, static_cast<int>(i), &rows[i]);
  return rows;
}

// ---- Plans.

/// The same exchange many times: counts, displacements, types and algorithm are bound, later
/// executions send data only. Move-only. Freeing is collective: destroy plans in the same order on
/// all ranks, and before MPI_Finalize (a plan that is destroyed after it does nothing).
class Plan {
 public:
  Plan() = default;
  Plan(Plan&& other) noexcept { *this = std::move(other); }
  Plan& operator=(Plan&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(send_bytes_, other.send_bytes_);
    std::swap(recv_bytes_, other.recv_bytes_);
    return *this;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    int finalized = 0;
    if (handle_ != RONDO_PLAN_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0)
      Rondo_Plan_free(&handle_);
  }

  /// Arguments as for alltoall(); of the buffers only their sizes are remembered.
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoall(const Send& send, Recv&& recv, MPI_Comm comm,
                       MPI_Info info = MPI_INFO_NULL) {
    const std::size_t ranks = detail::peers(comm);
    const int sendcount = detail::block_count("send", std::ranges::size(send), ranks);
    const int recvcount = detail::block_count("recv", std::ranges::size(recv), ranks);
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::call(Rondo_Alltoall_plan, std::ranges::data(send), sendcount,
                 detail::datatype_of<Send>(), std::ranges::data(recv), recvcount,
                 detail::datatype_of<Recv>(), comm, info, &plan.handle_);
    return plan;
  }

  template <RecvBuffer Recv>
  static Plan alltoall(InPlace, Recv&& recv, MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    const int count = detail::block_count("recv", std::ranges::size(recv), detail::peers(comm));
    Plan plan(0, detail::bytes_of(recv));
    detail::call(Rondo_Alltoall_plan, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, std::ranges::data(recv),
                 count, detail::datatype_of<Recv>(), comm, info, &plan.handle_);
    return plan;
  }

  /// Arguments as for alltoallv().
  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                        Ints recvcounts, Ints rdispls, MPI_Comm comm,
                        MPI_Info info = MPI_INFO_NULL) {
    const std::size_t ranks = detail::peers(comm);
    detail::check_length("sendcounts", sendcounts.size(), ranks);
    detail::check_length("sdispls", sdispls.size(), ranks);
    detail::check_length("recvcounts", recvcounts.size(), ranks);
    detail::check_length("rdispls", rdispls.size(), ranks);
    detail::check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
    detail::check_blocks("recv", std::ranges::size(recv), recvcounts, rdispls);
    Plan plan(detail::bytes_of(send), detail::bytes_of(recv));
    detail::call(Rondo_Alltoallv_plan, std::ranges::data(send), sendcounts.data(), sdispls.data(),
                 detail::datatype_of<Send>(), std::ranges::data(recv), recvcounts.data(),
                 rdispls.data(), detail::datatype_of<Recv>(), comm, info, &plan.handle_);
    return plan;
  }

  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                        MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    return alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
                     detail::packed("recvcounts", recvcounts), comm, info);
  }

  template <RecvBuffer Recv>
  static Plan alltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm,
                        MPI_Info info = MPI_INFO_NULL) {
    const std::size_t ranks = detail::peers(comm);
    detail::check_length("counts", counts.size(), ranks);
    detail::check_length("displs", displs.size(), ranks);
    detail::check_blocks("recv", std::ranges::size(recv), counts, displs);
    Plan plan(0, detail::bytes_of(recv));
    detail::call(Rondo_Alltoallv_plan, MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL,
                 std::ranges::data(recv), counts.data(), displs.data(), detail::datatype_of<Recv>(),
                 comm, info, &plan.handle_);
    return plan;
  }

  /// Take over a plan made with the C interface; sizes of buffers are not checked.
  static Plan adopt(Rondo_Plan handle) {
    Plan plan(0, 0);
    plan.handle_ = handle;
    return plan;
  }

  /// Run the plan; the buffers must be as large as those it was made with.
  template <SendBuffer Send, RecvBuffer Recv>
  void execute(const Send& send, Recv&& recv) const {
    check_size("send", detail::bytes_of(send), send_bytes_);
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    execute(std::ranges::data(send), std::ranges::data(recv));
  }

  template <RecvBuffer Recv>
  void execute(InPlace, Recv&& recv) const {
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    execute(MPI_IN_PLACE, std::ranges::data(recv));
  }

  void execute(const void* sendbuf, void* recvbuf) const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    detail::call(Rondo_Execute, handle_, sendbuf, recvbuf);
  }

  /// Local. What it runs, with all parameters, or the names that it is still measuring.
  std::string algorithm() const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    constexpr int kLength = 1024;
    char text[kLength];
    detail::call(Rondo_Plan_get_algorithm, handle_, text, kLength);
    return text;
  }

  /// Free it now, with the error thrown that the destructor would swallow.
  void free() { detail::call(Rondo_Plan_free, &handle_); }

  explicit operator bool() const noexcept { return handle_ != RONDO_PLAN_NULL; }
  Rondo_Plan handle() const noexcept { return handle_; }

 private:
  Plan(std::size_t send_bytes, std::size_t recv_bytes)
      : send_bytes_(send_bytes), recv_bytes_(recv_bytes) {}

  static void check_size(const char* buffer, std::size_t bytes, std::size_t needed) {
    if (bytes < needed)
      throw Exception(MPI_ERR_BUFFER, std::string(buffer) + " has " + std::to_string(bytes) +
                                          " bytes; the plan was made for " +
                                          std::to_string(needed));
  }

  Rondo_Plan handle_ = RONDO_PLAN_NULL;
  std::size_t send_bytes_ = 0;
  std::size_t recv_bytes_ = 0;
};

}  // namespace rondo

#endif
