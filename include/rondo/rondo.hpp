/// Rondo for C++20: rondo.h with spans, types and exceptions. Header-only.
///
/// A buffer is anything contiguous and sized (std::vector, std::array, std::span) of an element
/// type that MPI knows: integers, floating-point numbers, std::byte, std::complex, or a type of
/// your own for which you specialise rondo::Datatype. Counts and displacements count elements.
/// For everything else there are functions that take MPI_Datatype arguments.
///
/// Every error is thrown as rondo::Exception, whatever error handler the communicator has.
///
/// Each rank first checks the sizes of its own buffers. A rank that throws because a buffer is too
/// small has sent nothing, and the other ranks may wait for it for ever, as with any collective
/// that one rank does not call.
///
/// rondo.h says who must call what and when. Everything here is collective unless marked local.
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/rondo.h>

#include <climits>
#include <complex>
#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

/// An error: its MPI error class, and a text that says what is wrong, with the numbers.
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

/// A type that the elements of buffers may have.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && requires {
  { Datatype<T>::get() } -> std::same_as<MPI_Datatype>;
};

/// A contiguous, sized range of elements, from which blocks are sent.
template <class R>
concept SendBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Element<std::ranges::range_value_t<R>>;

/// The same, but not const: a range into which blocks are received.
template <class R>
concept RecvBuffer =
    SendBuffer<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// The first argument of an in-place exchange, in which received blocks replace the sent ones.
struct InPlace {};
inline constexpr InPlace in_place{};

/// Counts and displacements, one for each rank or for each edge.
using Ints = std::span<const int>;

/// Datatypes, one for each rank or for each edge.
using Types = std::span<const MPI_Datatype>;

namespace detail {

/// Throws unless `error` is MPI_SUCCESS.
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

/// Calls one of Rondo's functions and throws its error, whatever error handler the communicator
/// has.
template <class... Parameters, class... Arguments>
void call(int (*function)(Parameters...), Arguments... arguments) {
  const int former = Rondo_Errors_return(1);
  const int error = function(arguments...);
  Rondo_Errors_return(former);
  check(error);
}

/// Returns the number of ranks with which a collective on `comm` exchanges.
inline std::size_t peers(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Exception(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  int count = 0;
  check(MPI_Comm_test_inter(comm, &inter));
  check(inter != 0 ? MPI_Comm_remote_size(comm, &count) : MPI_Comm_size(comm, &count));
  return static_cast<std::size_t>(count);
}

/// Returns the count of each block if `size` elements are divided evenly among `blocks`.
inline int block_count(const char* buffer, std::size_t size, std::size_t blocks,
                       const char* others) {
  if (blocks == 0) {
    if (size == 0) return 0;
    throw Exception(MPI_ERR_COUNT, std::string(buffer) + " has " + std::to_string(size) +
                                       " elements, but there is no edge for them");
  }
  if (size % blocks != 0)
    throw Exception(MPI_ERR_COUNT, std::string(buffer) + " has " + std::to_string(size) +
                                       " elements, which " + std::to_string(blocks) + " " + others +
                                       " cannot share evenly");
  if (size / blocks > INT_MAX)
    throw Exception(MPI_ERR_COUNT, std::string(buffer) + " has " + std::to_string(size / blocks) +
                                       " elements for each of the " + others +
                                       ", which an int cannot count; use a larger MPI_Datatype");
  return static_cast<int>(size / blocks);
}

/// An argument that has a number or a type for each block.
struct Array {
  const char* name;
  std::size_t length;
};

inline void check_lengths(std::initializer_list<Array> arrays, std::size_t blocks,
                          const char* others = "ranks") {
  for (const Array& array : arrays)
    if (array.length != blocks)
      throw Exception(MPI_ERR_ARG, std::string(array.name) + " has " +
                                       std::to_string(array.length) + " entries for " +
                                       std::to_string(blocks) + " " + others);
}

/// How many blocks a rank sends and receives: one for each rank, or for each edge of a topology.
struct Blocks {
  std::size_t to;
  std::size_t from;
  const char* others;  ///< what errors call those at the other end

  int sendcount(std::size_t size) const { return block_count("send", size, to, others); }
  int recvcount(std::size_t size) const { return block_count("recv", size, from, others); }
  void check_sent(std::initializer_list<Array> arrays) const { check_lengths(arrays, to, others); }
  void check_received(std::initializer_list<Array> arrays) const {
    check_lengths(arrays, from, others);
  }
};

inline Blocks ranks_of(MPI_Comm comm) {
  const std::size_t ranks = peers(comm);
  return {ranks, ranks, "ranks"};
}

/// Checks that all blocks lie within the buffer's `size` elements. The C interface checks for
/// negative counts.
inline void check_blocks(const char* buffer, std::size_t size, Ints counts, Ints displs) {
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] <= 0) continue;
    const long long end = static_cast<long long>(displs[rank]) + counts[rank];
    if (displs[rank] < 0 || end > static_cast<long long>(size))
      throw Exception(MPI_ERR_BUFFER, std::string(buffer) + " has " + std::to_string(size) +
                                          " elements, but block " + std::to_string(rank) +
                                          " has the elements " + std::to_string(displs[rank]) +
                                          " to " + std::to_string(end - 1));
  }
}

/// Returns the displacements of blocks that lie one after another.
inline std::vector<int> packed(const char* what, Ints counts) {
  std::vector<int> displs;
  displs.reserve(counts.size());
  long long next = 0;
  for (const int count : counts) {
    if (next > INT_MAX)
      throw Exception(MPI_ERR_COUNT, std::string("the sum of ") + what +
                                         " does not fit in an int; use a larger MPI_Datatype");
    displs.push_back(static_cast<int>(next));
    next += count > 0 ? count : 0;
  }
  return displs;
}

/// The type of a buffer's elements, without const.
template <class R>
using ElementOf = std::remove_cv_t<std::ranges::range_value_t<R>>;

template <class R>
MPI_Datatype datatype_of() {
  return Datatype<ElementOf<R>>::get();
}

/// Makes room for `count` elements in the std::vector<T> at `vector`; for Rondo_Allocate_function.
template <class T>
void* resize_vector(MPI_Count count, void* vector) {
  auto& elements = *static_cast<std::vector<T>*>(vector);
  try {
    elements.resize(static_cast<std::size_t>(count));
  } catch (const std::exception&) {
    return nullptr;
  }
  return elements.data();
}

template <class R>
std::size_t bytes_of(const R& buffer) {
  return std::ranges::size(buffer) * sizeof(std::ranges::range_value_t<R>);
}

// The bodies of calls, starts and plans. `function` is that of the C interface, and `last` are its last parameters.
// Result is Request if it starts the exchange: the request is its very last parameter.

template <class Result = void, class... Parameters, class... Arguments>
Result pass(int (*function)(Parameters...), Arguments... arguments) {
  if constexpr (std::is_void_v<Result>) {
    call(function, arguments...);
  } else {
    Rondo_Request request = RONDO_REQUEST_NULL;
    call(function, arguments..., &request);
    return Result::adopt(request);
  }
}

/// An exchange of blocks of equal size.
template <class Result = void, class Function, SendBuffer Send, RecvBuffer Recv, class... Last>
Result equal_blocks(Function* function, const Blocks& blocks, const Send& send, Recv&& recv,
                    MPI_Comm comm, Last... last) {
  const int sendcount = blocks.sendcount(std::ranges::size(send));
  const int recvcount = blocks.recvcount(std::ranges::size(recv));
  return pass<Result>(function, std::ranges::data(send), sendcount, datatype_of<Send>(),
                      std::ranges::data(recv), recvcount, datatype_of<Recv>(), comm, last...);
}

template <class Result = void, class Function, RecvBuffer Recv, class... Last>
Result equal_blocks(Function* function, const Blocks& blocks, InPlace, Recv&& recv, MPI_Comm comm,
                    Last... last) {
  const int count = blocks.recvcount(std::ranges::size(recv));
  return pass<Result>(function, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, std::ranges::data(recv), count,
                      datatype_of<Recv>(), comm, last...);
}

/// An exchange of blocks with counts and displacements.
template <class Result = void, class Function, class... Last>
Result blocks_at(Function* function, const Blocks& blocks, const void* sendbuf, Ints sendcounts,
                 Ints sdispls, MPI_Datatype sendtype, void* recvbuf, Ints recvcounts, Ints rdispls,
                 MPI_Datatype recvtype, MPI_Comm comm, Last... last) {
  if (sendbuf != MPI_IN_PLACE)
    blocks.check_sent({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}});
  blocks.check_received({{"recvcounts", recvcounts.size()}, {"rdispls", rdispls.size()}});
  return pass<Result>(function, sendbuf, sendcounts.data(), sdispls.data(), sendtype, recvbuf,
                      recvcounts.data(), rdispls.data(), recvtype, comm, last...);
}

template <class Result = void, class Function, SendBuffer Send, RecvBuffer Recv, class... Last>
Result blocks_at(Function* function, const Blocks& blocks, const Send& send, Ints sendcounts,
                 Ints sdispls, Recv&& recv, Ints recvcounts, Ints rdispls, MPI_Comm comm,
                 Last... last) {
  blocks.check_sent({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}});
  blocks.check_received({{"recvcounts", recvcounts.size()}, {"rdispls", rdispls.size()}});
  check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  check_blocks("recv", std::ranges::size(recv), recvcounts, rdispls);
  return pass<Result>(function, std::ranges::data(send), sendcounts.data(), sdispls.data(),
                      datatype_of<Send>(), std::ranges::data(recv), recvcounts.data(),
                      rdispls.data(), datatype_of<Recv>(), comm, last...);
}

template <class Result = void, class Function, RecvBuffer Recv, class... Last>
Result blocks_at(Function* function, const Blocks& blocks, InPlace, Recv&& recv, Ints counts,
                 Ints displs, MPI_Comm comm, Last... last) {
  blocks.check_received({{"counts", counts.size()}, {"displs", displs.size()}});
  check_blocks("recv", std::ranges::size(recv), counts, displs);
  return pass<Result>(function, MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL,
                      std::ranges::data(recv), counts.data(), displs.data(), datatype_of<Recv>(),
                      comm, last...);
}

/// An exchange of blocks with a datatype for each.
template <class Result = void, class Function, class Displacement>
Result typed_blocks(Function* function, const Blocks& blocks, const void* sendbuf, Ints sendcounts,
                    std::span<const Displacement> sdispls, Types sendtypes, void* recvbuf,
                    Ints recvcounts, std::span<const Displacement> rdispls, Types recvtypes,
                    MPI_Comm comm) {
  if (sendbuf != MPI_IN_PLACE)
    blocks.check_sent({{"sendcounts", sendcounts.size()},
                       {"sdispls", sdispls.size()},
                       {"sendtypes", sendtypes.size()}});
  blocks.check_received({{"recvcounts", recvcounts.size()},
                         {"rdispls", rdispls.size()},
                         {"recvtypes", recvtypes.size()}});
  return pass<Result>(function, sendbuf, sendcounts.data(), sdispls.data(), sendtypes.data(),
                      recvbuf, recvcounts.data(), rdispls.data(), recvtypes.data(), comm);
}

}  // namespace detail

// ---- alltoall: the buffers hold P blocks of equal size, in the order of the ranks.

/// As MPI_Alltoall.
inline void alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  detail::call(Rondo_Alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/// Sends the q-th block of `send` to every rank q, and receives the q-th block of `recv` from it.
template <SendBuffer Send, RecvBuffer Recv>
void alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Alltoall, detail::ranks_of(comm), send, recv, comm);
}

/// The same in place: blocks are sent from `recv`.
template <RecvBuffer Recv>
void alltoall(InPlace, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Alltoall, detail::ranks_of(comm), in_place, recv, comm);
}

// ---- alltoallv: the block to or from rank q has counts[q] elements, from displs[q] on. Without
// displacements the blocks lie one after another.

/// As MPI_Alltoallv. With MPI_IN_PLACE as sendbuf, sendcounts and sdispls may be empty.
inline void alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, MPI_Datatype sendtype,
                      void* recvbuf, Ints recvcounts, Ints rdispls, MPI_Datatype recvtype,
                      MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), sendbuf, sendcounts, sdispls, sendtype,
                    recvbuf, recvcounts, rdispls, recvtype, comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv, Ints recvcounts,
               Ints rdispls, MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), send, sendcounts, sdispls, recv,
                    recvcounts, rdispls, comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts, MPI_Comm comm) {
  alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
            detail::packed("recvcounts", recvcounts), comm);
}

/// In place: the block from rank q replaces the block to rank q. Both have counts[q] elements.
template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), in_place, recv, counts, displs, comm);
}

template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, MPI_Comm comm) {
  alltoallv(in_place, recv, counts, detail::packed("counts", counts), comm);
}

// ---- Dynamic alltoallv: the ranks do not know how much they receive.

/// What has arrived: the block from rank q has counts[q] elements, from displs[q] on. The blocks lie
/// one after another.
template <Element T>
requires(!std::same_as<T, bool>)  // a std::vector<bool> has no memory of its elements
    struct Received {
  std::vector<T> data;
  std::vector<int> counts;
  std::vector<int> displs;

  std::span<const T> from(std::size_t rank) const {
    return {data.data() + displs[rank], static_cast<std::size_t>(counts[rank])};
  }
};

/// Local. Copies what Rondo keeps of this rank's last dynamic exchange on `comm` to `recvbuf`.
inline void dynamic_take(void* recvbuf, MPI_Count recvcapacity, MPI_Datatype recvtype,
                         MPI_Comm comm) {
  detail::call(Rondo_Alltoallv_dynamic_take, recvbuf, recvcapacity, recvtype, comm);
}

namespace detail {

/// A dynamic exchange into a buffer of the caller.
template <class Result = void, class Function>
Result dynamic(Function* function, const void* sendbuf, Ints sendcounts, Ints sdispls,
               MPI_Datatype sendtype, void* recvbuf, int recvcapacity, std::span<int> recvcounts,
               std::span<int> rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  const std::size_t ranks = peers(comm);
  check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}}, ranks);
  check_lengths({{"recvcounts", recvcounts.size()}, {"rdispls", rdispls.size()}}, ranks);
  return pass<Result>(function, sendbuf, sendcounts.data(), sdispls.data(), sendtype, recvbuf,
                      recvcapacity, recvcounts.data(), rdispls.data(), recvtype, comm);
}

/// A dynamic exchange that receives in `received`.
template <class Result = void, class Function, SendBuffer Send>
Result dynamic_alloc(Function* function, const Send& send, Ints sendcounts, Ints sdispls,
                     Received<ElementOf<Send>>& received, MPI_Comm comm) {
  const std::size_t ranks = peers(comm);
  check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}}, ranks);
  check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  received.counts.resize(ranks);
  received.displs.resize(ranks);
  const MPI_Datatype type = datatype_of<Send>();
  return pass<Result>(function, std::ranges::data(send), sendcounts.data(), sdispls.data(), type,
                      resize_vector<ElementOf<Send>>, &received.data, nullptr,
                      received.counts.data(), received.displs.data(), type, comm);
}

}  // namespace detail

/// As Rondo_Alltoallv_dynamic. Throws MPI_ERR_TRUNCATE on this rank if more than `recvcapacity`
/// elements arrive. recvcounts and rdispls are right then too, and dynamic_take() has the elements.
inline void alltoallv_dynamic(const void* sendbuf, Ints sendcounts, Ints sdispls,
                              MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                              std::span<int> recvcounts, std::span<int> rdispls,
                              MPI_Datatype recvtype, MPI_Comm comm) {
  detail::dynamic(Rondo_Alltoallv_dynamic, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                  recvcapacity, recvcounts, rdispls, recvtype, comm);
}

/// Receives in `received`, whose vectors are resized. Their memory serves again if it suffices. After
/// an error their contents are undefined.
template <SendBuffer Send>
void alltoallv_dynamic(const Send& send, Ints sendcounts, Ints sdispls,
                       Received<detail::ElementOf<Send>>& received, MPI_Comm comm) {
  detail::dynamic_alloc(Rondo_Alltoallv_dynamic_alloc, send, sendcounts, sdispls, received, comm);
}

template <SendBuffer Send>
auto alltoallv_dynamic(const Send& send, Ints sendcounts, Ints sdispls, MPI_Comm comm) {
  Received<detail::ElementOf<Send>> received;
  alltoallv_dynamic(send, sendcounts, sdispls, received, comm);
  return received;
}

template <SendBuffer Send>
auto alltoallv_dynamic(const Send& send, Ints sendcounts, MPI_Comm comm) {
  return alltoallv_dynamic(send, sendcounts, detail::packed("sendcounts", sendcounts), comm);
}

// ---- Sparse alltoallv: a rank names only the ranks to which it sends.

/// What has arrived: the i-th block is from rank sources[i] and has counts[i] elements, from displs[i]
/// on. The blocks lie one after another in the order of their sources.
template <Element T>
requires(!std::same_as<T, bool>) struct SparseReceived {
  std::vector<T> data;
  std::vector<int> sources;
  std::vector<int> counts;
  std::vector<int> displs;

  /// The i-th block, which is from rank sources[i].
  std::span<const T> block(std::size_t i) const {
    return {data.data() + displs[i], static_cast<std::size_t>(counts[i])};
  }
};

/// As Rondo_Sparse_alltoallv. Throws MPI_ERR_TRUNCATE on this rank if more than `recvcapacity`
/// elements arrive. `sources` is right then too, and dynamic_take() has the elements.
inline void sparse_alltoallv(const void* sendbuf, Ints destinations, Ints sendcounts, Ints sdispls,
                             MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                             MPI_Datatype recvtype, Rondo_Sources& sources, MPI_Comm comm) {
  detail::check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}},
                        destinations.size());
  detail::call(Rondo_Sparse_alltoallv, sendbuf, static_cast<int>(destinations.size()),
               destinations.data(), sendcounts.data(), sdispls.data(), sendtype, recvbuf,
               recvcapacity, recvtype, &sources, comm);
}

/// Receives in `received`, whose vectors are resized. Their memory serves again if it suffices. After
/// an error their contents are undefined.
template <SendBuffer Send>
void sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, Ints sdispls,
                      SparseReceived<detail::ElementOf<Send>>& received, MPI_Comm comm) {
  detail::check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}},
                        destinations.size());
  detail::check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  const MPI_Datatype type = detail::datatype_of<Send>();
  constexpr auto kResize = detail::resize_vector<detail::ElementOf<Send>>;
  Rondo_Sources sources;
  detail::call(Rondo_Sparse_alltoallv_alloc, std::ranges::data(send),
               static_cast<int>(destinations.size()), destinations.data(), sendcounts.data(),
               sdispls.data(), type, kResize, &received.data, nullptr, type, &sources, comm);
  received.sources.assign(sources.ranks, sources.ranks + sources.count);
  received.counts.assign(sources.counts, sources.counts + sources.count);
  received.displs.assign(sources.displs, sources.displs + sources.count);
}

template <SendBuffer Send>
auto sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, Ints sdispls,
                      MPI_Comm comm) {
  SparseReceived<detail::ElementOf<Send>> received;
  sparse_alltoallv(send, destinations, sendcounts, sdispls, received, comm);
  return received;
}

template <SendBuffer Send>
auto sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, MPI_Comm comm) {
  return sparse_alltoallv(send, destinations, sendcounts, detail::packed("sendcounts", sendcounts),
                          comm);
}

// ---- alltoallw: a datatype for every rank, displacements in bytes.

/// As MPI_Alltoallw. With MPI_IN_PLACE as sendbuf, sendcounts, sdispls and sendtypes may be empty.
inline void alltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls, Types sendtypes,
                      void* recvbuf, Ints recvcounts, Ints rdispls, Types recvtypes,
                      MPI_Comm comm) {
  detail::typed_blocks(Rondo_Alltoallw, detail::ranks_of(comm), sendbuf, sendcounts, sdispls,
                       sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

// ---- Neighbourhood exchanges: a block for every edge of the communicator's topology, in the order in
// which MPI numbers the edges.

/// Local. How many edges of a topology lead from this rank and to it.
struct Degrees {
  std::size_t to = 0;
  std::size_t from = 0;
};

/// Local. Throws MPI_ERR_TOPOLOGY if `comm` has no topology.
inline Degrees degrees(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Exception(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  int kind = MPI_UNDEFINED;
  int inter = 0;
  int to = 0;
  int from = 0;
  detail::check(MPI_Comm_test_inter(comm, &inter));
  if (inter == 0) detail::check(MPI_Topo_test(comm, &kind));
  if (kind == MPI_CART) {
    detail::check(MPI_Cartdim_get(comm, &to));
    from = to *= 2;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    detail::check(MPI_Comm_rank(comm, &rank));
    detail::check(MPI_Graph_neighbors_count(comm, rank, &to));
    from = to;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    detail::check(MPI_Dist_graph_neighbors_count(comm, &from, &to, &weighted));
  } else {
    throw Exception(MPI_ERR_TOPOLOGY, "the communicator has no topology");
  }
  return {static_cast<std::size_t>(to), static_cast<std::size_t>(from)};
}

namespace detail {

inline Blocks edges_of(MPI_Comm comm) {
  const Degrees edges = degrees(comm);
  return {edges.to, edges.from, "edges"};
}

}  // namespace detail

/// As MPI_Neighbor_alltoall.
inline void neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  detail::call(Rondo_Neighbor_alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
               comm);
}

/// The edges share the elements of each buffer evenly.
template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Neighbor_alltoall, detail::edges_of(comm), send, recv, comm);
}

/// As MPI_Neighbor_alltoallv.
inline void neighbor_alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls,
                               MPI_Datatype sendtype, void* recvbuf, Ints recvcounts, Ints rdispls,
                               MPI_Datatype recvtype, MPI_Comm comm) {
  detail::blocks_at(Rondo_Neighbor_alltoallv, detail::edges_of(comm), sendbuf, sendcounts, sdispls,
                    sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                        Ints recvcounts, Ints rdispls, MPI_Comm comm) {
  detail::blocks_at(Rondo_Neighbor_alltoallv, detail::edges_of(comm), send, sendcounts, sdispls,
                    recv, recvcounts, rdispls, comm);
}

template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                        MPI_Comm comm) {
  neighbor_alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
                     detail::packed("recvcounts", recvcounts), comm);
}

/// As MPI_Neighbor_alltoallw: a datatype for every edge, displacements in bytes.
inline void neighbor_alltoallw(const void* sendbuf, Ints sendcounts,
                               std::span<const MPI_Aint> sdispls, Types sendtypes, void* recvbuf,
                               Ints recvcounts, std::span<const MPI_Aint> rdispls, Types recvtypes,
                               MPI_Comm comm) {
  detail::typed_blocks(Rondo_Neighbor_alltoallw, detail::edges_of(comm), sendbuf, sendcounts,
                       sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

// ---- Started exchanges.

/// An exchange that has been started. Until it is complete, its buffers and its arrays of counts,
/// displacements and types must stay as they are. Requests can be moved but not copied. The destructor
/// waits for the exchange and ignores its errors: call wait() to see them. rondo.h says where it goes on
/// ("May this hang?"). Errors are thrown also if the MPI library carries out the exchange.
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

  /// Takes over a request of the C interface.
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

  explicit operator bool() const noexcept { return handle_ != RONDO_REQUEST_NULL; }
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

/// As MPI_Ialltoall.
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

template <RecvBuffer Recv>
[[nodiscard]] Request ialltoall(InPlace, Recv&& recv, MPI_Comm comm) {
  return detail::equal_blocks<Request>(Rondo_Ialltoall, detail::ranks_of(comm), in_place, recv,
                                       comm);
}

/// As MPI_Ialltoallv. With MPI_IN_PLACE as sendbuf, sendcounts and sdispls may be empty.
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

template <RecvBuffer Recv>
[[nodiscard]] Request ialltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm) {
  return detail::blocks_at<Request>(Rondo_Ialltoallv, detail::ranks_of(comm), in_place, recv,
                                    counts, displs, comm);
}

/// As MPI_Ialltoallw. With MPI_IN_PLACE as sendbuf, sendcounts, sdispls and sendtypes may be empty.
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

/// As MPI_Ineighbor_alltoall.
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

/// As MPI_Ineighbor_alltoallv.
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

/// As MPI_Ineighbor_alltoallw.
[[nodiscard]] inline Request ineighbor_alltoallw(const void* sendbuf, Ints sendcounts,
                                                 std::span<const MPI_Aint> sdispls, Types sendtypes,
                                                 void* recvbuf, Ints recvcounts,
                                                 std::span<const MPI_Aint> rdispls, Types recvtypes,
                                                 MPI_Comm comm) {
  return detail::typed_blocks<Request>(Rondo_Ineighbor_alltoallw, detail::edges_of(comm), sendbuf,
                                       sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm);
}

// ---- Which algorithm.

/// Sets up `comm` now, so that `auto` forwards no call to the MPI library.
inline void prepare(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
  detail::call(Rondo_Comm_prepare, comm, info);
}

/// Sets the algorithm of `collective`, which is "alltoall", "alltoallv", "alltoallw",
/// "neighbor_alltoallv" or "sparse_alltoallv". `algorithm` is a name with parameters, as in
/// "fused_bruck:radix=4", or "auto".
inline void set_algorithm(MPI_Comm comm, const std::string& collective,
                          const std::string& algorithm) {
  detail::call(Rondo_Comm_set_algorithm, comm, collective.c_str(), algorithm.c_str());
}

/// Local, after the set-up. Returns what a call of `collective` runs, with all parameters.
inline std::string algorithm(MPI_Comm comm, const std::string& collective) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_algorithm, comm, collective.c_str(), text, kLength);
  return text;
}

/// Local, after the set-up. Returns what the last exchange ran, with all parameters, or "mpi" if it
/// was forwarded to the MPI library.
inline std::string last_algorithm(MPI_Comm comm) {
  constexpr int kLength = 256;
  char text[kLength];
  detail::call(Rondo_Comm_get_last_algorithm, comm, text, kLength);
  return text;
}

/// Local. Returns all rows of the registry of algorithms.
inline std::vector<Rondo_Algorithm> algorithms() {
  std::vector<Rondo_Algorithm> rows(static_cast<std::size_t>(Rondo_Algorithm_count()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    detail::call(Rondo_Algorithm_get, static_cast<int>(i), &rows[i]);
  return rows;
}

// ---- Plans.

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

  template <SendBuffer Send, RecvBuffer Recv>
  static Plan alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                        MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    return alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
                     detail::packed("recvcounts", recvcounts), comm, info);
  }

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

  /// Local. Whose blocks come, and where they lie; of a sparse exchange, until the plan is freed.
  const Rondo_Sources& sources() const noexcept { return sources_; }

  /// Local. How many elements come in a sparse exchange.
  std::size_t arriving() const noexcept {
    if (sources_.count == 0) return 0;
    const int last = sources_.count - 1;
    return static_cast<std::size_t>(sources_.displs[last]) +
           static_cast<std::size_t>(sources_.counts[last]);
  }

  /// Takes over a plan made with the C interface. It does not check the sizes of buffers.
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

  template <RecvBuffer Recv>
  void execute(InPlace, Recv&& recv) const {
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    execute(MPI_IN_PLACE, std::ranges::data(recv));
  }

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

  template <RecvBuffer Recv>
  [[nodiscard]] Request start(InPlace, Recv&& recv) const {
    check_size("recv", detail::bytes_of(recv), recv_bytes_);
    return start(MPI_IN_PLACE, std::ranges::data(recv));
  }

  [[nodiscard]] Request start(const void* sendbuf, void* recvbuf) const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    return detail::pass<Request>(Rondo_Start, handle_, sendbuf, recvbuf);
  }

  /// Local. Returns what the plan runs, with all parameters, or the algorithms that it is
  /// measuring.
  std::string algorithm() const {
    if (handle_ == RONDO_PLAN_NULL) throw Exception(MPI_ERR_ARG, "the plan is empty");
    constexpr int kLength = 1024;
    char text[kLength];
    detail::call(Rondo_Plan_get_algorithm, handle_, text, kLength);
    return text;
  }

  /// Frees the plan now, and throws the error that the destructor would ignore.
  void free() { detail::call(Rondo_Plan_free, &handle_); }

  explicit operator bool() const noexcept { return handle_ != RONDO_PLAN_NULL; }
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
