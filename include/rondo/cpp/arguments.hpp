/// Part of rondo.hpp: how the arguments of calls, starts and plans are checked and handed to rondo.h.
#ifndef RONDO_CPP_ARGUMENTS_HPP
#define RONDO_CPP_ARGUMENTS_HPP

#include <rondo/cpp/buffers.hpp>

#include <climits>
#include <exception>
#include <initializer_list>
#include <vector>

namespace rondo {

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

}  // namespace rondo

#endif
